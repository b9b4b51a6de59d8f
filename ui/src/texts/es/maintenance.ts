import type { maintenance as en } from '../en/maintenance.ts';

export const maintenance: Record<keyof typeof en, string> = {
  'maintenance.title': 'Mantenimiento',
  'maintenance.danger': 'Zona de peligro',
  'maintenance.reboot': 'Reiniciar el dispositivo',
  'maintenance.reboot_text':
    'Tarda alrededor de un minuto. Los ajustes que esperan un reinicio surten efecto. No se borra nada.',
  'maintenance.reboot_question': '¿Reiniciar el dispositivo?',
  'maintenance.reboot_happens':
    'La pantalla queda negra alrededor de un minuto. Esta página espera y vuelve por sí sola.',
  'maintenance.reboot_done':
    'El dispositivo se ha reiniciado y ha vuelto tras {time}. Funciona la versión {version}.',
  'maintenance.shutdown': 'Apagar el dispositivo',
  'maintenance.shutdown_text': 'Desde aquí no se puede volver a encender: alguien tiene que ir hasta él.',
  'maintenance.shutdown_question': '¿Apagar el dispositivo?',
  'maintenance.shutdown_happens':
    'La pantalla queda negra. Para encenderlo de nuevo, desconecte la alimentación y vuelva a conectarla.',
  'maintenance.reset': 'Restablecer los valores de fábrica',
  'maintenance.reset_short': 'Restablecer',
  'maintenance.reset_text': 'Borra todo lo que se ha configurado y guardado. No se puede deshacer.',
  'maintenance.reset_question': '¿Borrar todo en este dispositivo?',
  'maintenance.reset_happens':
    'El dispositivo arranca vacío. Si esta página llega a él por Wi-Fi, no volverá por ahí: conecte el cable.',
  'maintenance.reset_word': 'Escriba el número de serie del dispositivo',
  'maintenance.reset_done': 'El dispositivo se ha restablecido y ha vuelto tras {time}.',
  'maintenance.deleted': 'Se borra',
  'maintenance.deleted_settings': 'Todos los ajustes, con el nombre, las redes y los dispositivos vinculados',
  'maintenance.deleted_content': 'Paquetes de contenido e imágenes',
  'maintenance.deleted_certificates': 'Certificados',
  'maintenance.deleted_pages': 'Lo que han guardado las páginas, con sus sesiones',
  'maintenance.deleted_log': 'El registro',
  'maintenance.kept': 'Se conserva',
  'maintenance.kept_versions': 'Las dos versiones del firmware',
  'maintenance.kept_serial': 'El número de serie',
  'maintenance.kept_authority': 'De quién se aceptan actualizaciones',
  'maintenance.accepted': 'Aceptado',
  'maintenance.goes_down': 'Se apaga',
  'maintenance.comes_back': 'Arranca',
  'maintenance.not_gone':
    'El dispositivo lo ha aceptado, pero sigue en marcha. Inténtelo de nuevo; si no sirve, desconecte y conecte la alimentación.',
  'maintenance.not_back':
    'El dispositivo no ha vuelto en un cuarto de hora. Compruebe la alimentación y la red; puede que su dirección haya cambiado.',
  'maintenance.not_restarted':
    'Solo se ha perdido la conexión: el dispositivo no se ha reiniciado. Inténtelo de nuevo.',
  'maintenance.browser': 'Navegador del dispositivo',
  'maintenance.browser_done': 'El navegador se ha reiniciado y la pantalla muestra lo mismo que antes.',
  'maintenance.clear_data':
    'Las cookies, las sesiones y lo que han guardado las páginas se borran en la vista',
  'maintenance.diagnostics': 'Diagnóstico',
  'maintenance.diagnostics_text':
    'Un archivo con el estado del dispositivo, sus ajustes sin contraseñas y su registro de un día: para quien busca la causa de un problema. Contiene direcciones de páginas y nombres de redes.',
  'maintenance.diagnostics_picture': 'Con una imagen de lo que muestra la pantalla',
  'maintenance.diagnostics_collecting': 'Recopilando',
  'maintenance.diagnostics_get': 'Descargar',
  'maintenance.diagnostics_done': 'El archivo está en las descargas de este navegador.',
  'maintenance.pictures': 'Logotipo',
  'maintenance.pictures_text':
    'Lo que muestra la pantalla mientras no hay página. Las imágenes se centran y se reducen si no caben.',
  'maintenance.picture_boot': 'Al arrancar y en la página de espera',
  'maintenance.picture_shutdown': 'Al apagarse',
  'maintenance.picture_drop': 'Suelte aquí una imagen: {what}',
  'maintenance.picture_hint': 'PNG, 4 MB como máximo',
  'maintenance.picture_not_png': 'Este archivo no es una imagen PNG. Guárdelo como PNG y elíjalo de nuevo.',
  'maintenance.picture_too_large': 'Esta imagen tiene más de 4 MB. Redúzcala y elíjala de nuevo.',
  'maintenance.picture_too_many_pixels':
    'Esta imagen tiene demasiados píxeles: 8192 por lado y 33 millones en total como máximo. Redúzcala y elíjala de nuevo.',
  'maintenance.picture_remove': 'Quitar',
  'maintenance.picture_remove_what': 'Quitar la imagen: {what}',
  'maintenance.picture_use': 'Usar esta imagen',
  'maintenance.picture_use_what': 'Poner la imagen: {what}',
  'maintenance.picture_happens': 'Sustituye a la imagen anterior. «Quitar» devuelve la integrada.',
  'maintenance.picture_done': 'El dispositivo ya tiene la imagen.',
  'maintenance.picture_removed': 'La imagen se ha quitado.',
};
