import type { events as en } from '../en/events.ts';

export const events: Record<keyof typeof en, string> = {
  'events.title': 'Eventos',
  'events.live': 'Lo que ocurre ahora',
  'events.about':
    'El dispositivo avisa de lo que cambia en el momento en que ocurre. No se guarda nada: solo se lista lo que ocurre mientras esta vista está abierta. Las contraseñas están ocultas.',
  'events.topic': 'Tema',
  'events.all_topics': 'Todos los temas',
  'events.chosen_one': 'Temas: se sigue {count}',
  'events.chosen_other': 'Temas: se siguen {count}',
  'events.usual': 'Los habituales',
  'events.all': 'Todos',
  'events.none': 'Ninguno',
  'events.copy_frame': 'Copiar la suscripción',
  'events.empty': 'Aún no ha ocurrido nada',
  'events.empty_do': 'Cambie algo, por ejemplo la página mostrada, o siga más temas.',
  'events.no_topics': 'No se sigue ningún tema',
  'events.no_topics_do': 'Elija temas arriba.',
  'events.group_screen': 'Pantalla',
  'events.group_page': 'Página',
  'events.group_connections': 'Conexiones',
  'events.group_device': 'Dispositivo',
  'events.topic_display_state': 'Lo que muestra la pantalla, si está cargando y por qué ha fallado.',
  'events.topic_splash_changed': 'Se cambió la imagen del arranque o del apagado.',
  'events.topic_input_raw':
    'Cada toque y cada clic en la pantalla. Muchos por segundo mientras alguien la usa.',
  'events.topic_page_channel': 'La página ha abierto o cerrado su canal de mensajes.',
  'events.topic_page_message':
    'Mensajes de la página a sus hosts. La página espera hasta que cada host los haya leído.',
  'events.topic_page_console':
    'La consola de JavaScript de la página. El dispositivo solo la recoge para quienes la siguen.',
  'events.topic_network_changed': 'Han cambiado el nombre de host, las interfaces o las direcciones.',
  'events.topic_wifi_changed':
    'El wifi se activó o desactivó, se conectó, perdió su red o terminó una búsqueda.',
  'events.topic_bluetooth_changed': 'Ha cambiado el adaptador Bluetooth o uno de sus dispositivos.',
  'events.topic_peripherals_changed':
    'Se ha conectado o desconectado un periférico, una página lo ha abierto o cerrado, o ha cambiado su permiso.',
  'events.topic_nfc_tag': 'Una etiqueta ha llegado a un lector.',
  'events.topic_nfc_tag_removed': 'La etiqueta se ha retirado del lector.',
  'events.topic_nfc_reader_connected': 'Se ha conectado un lector.',
  'events.topic_nfc_reader_disconnected': 'Se ha desconectado un lector.',
  'events.topic_operation': 'El avance de las subidas e instalaciones.',
  'events.topic_update_changed':
    'Los dos sistemas del dispositivo: una instalación, su inicio o su confirmación.',
  'events.topic_certificates_changed': 'Se guardó, se sustituyó o se eliminó un certificado.',
  'events.topic_config_changed': 'Se cambiaron ajustes, con todos tal como están ahora.',
  'events.topic_health': 'Memoria, almacenamiento, temperatura y más, cada pocos segundos.',
  'events.topic_log': 'Líneas nuevas del registro. Pueden ser muchas.',
};
