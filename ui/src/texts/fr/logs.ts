import type { logs as en } from '../en/logs.ts';

export const logs: Record<keyof typeof en, string> = {
  'logs.title': 'Journaux',
  'logs.live': 'Journal de l’appareil',
  'logs.about':
    'Les {count} dernières lignes de l’appareil, puis chaque nouvelle ligne dès qu’elle est écrite.',
  'logs.program': 'Programme',
  'logs.all_programs': 'Tous les programmes',
  'logs.empty': 'Le journal est vide',
  'logs.empty_do': 'Les nouvelles lignes apparaissent ici d’elles-mêmes.',
  'logs.support': 'Pour l’assistance',
  'logs.support_text':
    'La vue « Maintenance » crée un fichier pour l’assistance, avec le journal, l’état de l’appareil et ses réglages.',
  'logs.archive': 'Aller à la maintenance',
};
