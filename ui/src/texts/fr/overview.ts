import type { overview as en } from '../en/overview.ts';

export const overview: Record<keyof typeof en, string> = {
  'overview.title': 'Vue d’ensemble',
  'overview.screen': 'À l’écran',
  'overview.change': 'Changer',
  'overview.change_shown': 'Changer ce qui est affiché',
  'overview.health': 'État',
  'overview.facts': 'Appareil',
  'overview.problems': 'À surveiller',
  'overview.problems_one': '{count} message de l’appareil',
  'overview.problems_other': '{count} messages de l’appareil',
  'overview.rename': 'Changer le nom',
  'overview.name': 'Nom de l’appareil',
  'overview.name_hint': 'Une ligne, 63 caractères au plus',
  'overview.renamed': 'L’appareil s’appelle maintenant {name}.',
};
