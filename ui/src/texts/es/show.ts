import type { show as en } from '../en/show.ts';

export const show: Record<keyof typeof en, string> = {
  'show.title': 'Mostrar',
  'show.now': 'Ahora',
  'show.url': 'Página web',
  'show.address': 'Dirección',
  'show.address_hint': 'Empieza por http:// o https://',
  'show.address_invalid': 'El dispositivo no puede mostrar esta dirección. Empieza por http:// o https://.',
  'show.show': 'Mostrar',
  'show.show_what': 'Mostrar {what}',
  'show.history': 'Ya mostrado desde este navegador',
  'show.forget': 'Quitar {what} de la lista',
  'show.bundles': 'En el dispositivo',
  'show.no_bundles': 'Aún no hay paquetes',
  'show.no_bundles_do': 'Un paquete es un archivo zip con una aplicación web que funciona sin red.',
  'show.waiting': 'Página de espera',
  'show.waiting_text': 'La página integrada, con el nombre del dispositivo y cómo acceder a él.',
  'show.current': 'En la pantalla',
  'show.reload': 'Recargar',
  'show.restart': 'Reiniciar el navegador',
  'show.restart_text':
    'Tras reiniciar el navegador, la pantalla queda negra unos segundos. Lo que se muestra vuelve por sí solo.',
  'show.sent': 'Enviado',
  'show.loading': 'Cargando',
  'show.on_screen': 'En la pantalla',
  'show.failed': 'Ha fallado',
  'show.replaced': 'Mientras tanto se ha pedido otra cosa.',
};
