import type { overview as en } from '../en/overview.ts';

export const overview: Record<keyof typeof en, string> = {
  'overview.title': 'Übersicht',
  'overview.screen': 'Auf dem Bildschirm',
  'overview.change': 'Ändern',
  'overview.change_shown': 'Ändern, was gezeigt wird',
  'overview.health': 'Zustand',
  'overview.facts': 'Gerät',
  'overview.problems': 'Was Aufmerksamkeit braucht',
  'overview.problems_one': '{count} Meldung des Geräts',
  'overview.problems_other': '{count} Meldungen des Geräts',
  'overview.rename': 'Namen ändern',
  'overview.name': 'Name des Geräts',
  'overview.name_hint': 'Eine Zeile, höchstens 63 Zeichen',
  'overview.renamed': 'Das Gerät heißt jetzt {name}.',
};
