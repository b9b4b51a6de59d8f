import type { error as en } from '../en/error.ts';

export const error: Record<keyof typeof en, string> = {
  'error.title': 'No se ha podido cargar',
  'error.absent': 'Este dispositivo no dispone de esto',
  'error.aborted': 'Se ha cancelado.',
  'error.bundle_in_use': 'El paquete está en la pantalla. Muestre antes otra cosa.',
  'error.bundle_invalid': 'El archivo no es un paquete válido.',
  'error.conflict':
    'El dispositivo no puede hacerlo ahora. Espere a que termine lo que está haciendo e inténtelo de nuevo.',
  'error.content_not_found': 'El dispositivo ya no tiene este paquete.',
  'error.forbidden':
    'El dispositivo rechaza peticiones en esta dirección. Ábralo por su dirección IP o por su propio nombre.',
  'error.insufficient_storage':
    'El almacenamiento del dispositivo está lleno. Elimine los paquetes que no se necesiten.',
  'error.internal': 'El dispositivo no ha podido hacerlo. El motivo está en su registro.',
  'error.no_result':
    'El dispositivo lo ha aceptado, pero el resultado no ha llegado a tiempo. Compruebe qué muestra la pantalla.',
  'error.not_applied':
    'Se ha guardado, pero el dispositivo no ha podido aplicarlo ahora. Lo hará tras reiniciarse.',
  'error.not_found': 'El dispositivo no lo conoce.',
  'error.not_implemented': 'Esta versión del firmware no puede hacerlo.',
  'error.offline': 'No se puede acceder al dispositivo. Compruebe el cable o la red e inténtelo de nuevo.',
  'error.payload_too_large': 'El archivo es demasiado grande.',
  'error.refused': 'El dispositivo lo ha rechazado.',
  'error.timeout': 'El dispositivo no ha respondido a tiempo. Inténtelo de nuevo.',
  'error.too_many_requests':
    'El dispositivo hace esto demasiadas veces al mismo tiempo. Inténtelo de nuevo en un momento.',
  'error.unavailable': 'Lo que hace falta para esto no existe o no funciona ahora.',
};
