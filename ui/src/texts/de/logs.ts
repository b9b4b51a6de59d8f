import type { logs as en } from '../en/logs.ts';

export const logs: Record<keyof typeof en, string> = {
  'logs.title': 'Protokoll',
  'logs.live': 'Protokoll des Geräts',
  'logs.about': 'Die letzten {count} Zeilen, die das Gerät hat, und jede neue, sobald sie geschrieben wird.',
  'logs.program': 'Programm',
  'logs.all_programs': 'Alle Programme',
  'logs.empty': 'Das Protokoll ist leer',
  'logs.empty_do': 'Neue Zeilen erscheinen hier von selbst.',
  'logs.support': 'Für den Support',
  'logs.support_text':
    'Die Ansicht „Wartung“ erstellt eine Datei für den Support, mit dem Protokoll, dem Zustand des Geräts und seinen Einstellungen.',
  'logs.archive': 'Zur Wartung',
};
