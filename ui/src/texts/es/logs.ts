import type { logs as en } from '../en/logs.ts';

export const logs: Record<keyof typeof en, string> = {
  'logs.title': 'Registros',
  'logs.live': 'Registro del dispositivo',
  'logs.about':
    'Las últimas {count} líneas que tiene el dispositivo, y cada línea nueva en cuanto se escribe.',
  'logs.program': 'Programa',
  'logs.all_programs': 'Todos los programas',
  'logs.empty': 'El registro está vacío',
  'logs.empty_do': 'Las líneas nuevas aparecen aquí por sí solas.',
  'logs.support': 'Para el soporte',
  'logs.support_text':
    'La vista «Mantenimiento» crea un archivo para el soporte, con el registro, el estado del dispositivo y sus ajustes.',
  'logs.archive': 'Ir a mantenimiento',
};
