import type { overview as en } from '../en/overview.ts';

export const overview: Record<keyof typeof en, string> = {
  'overview.title': 'Resumen',
  'overview.screen': 'En la pantalla',
  'overview.change': 'Cambiar',
  'overview.change_shown': 'Cambiar lo que se muestra',
  'overview.health': 'Estado',
  'overview.facts': 'Dispositivo',
  'overview.problems': 'Requiere atención',
  'overview.problems_one': '{count} mensaje del dispositivo',
  'overview.problems_other': '{count} mensajes del dispositivo',
  'overview.rename': 'Cambiar el nombre',
  'overview.name': 'Nombre del dispositivo',
  'overview.name_hint': 'Una línea, 63 caracteres como máximo',
  'overview.renamed': 'El dispositivo se llama ahora {name}.',
};
