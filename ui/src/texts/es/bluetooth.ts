import type { bluetooth as en } from '../en/bluetooth.ts';

export const bluetooth: Record<keyof typeof en, string> = {
  'bluetooth.title': 'Bluetooth',
  'bluetooth.adapter': 'Radio',
  'bluetooth.name': 'Nombre que ven los demás',
  'bluetooth.address': 'Dirección',
  'bluetooth.on': 'Encendida',
  'bluetooth.off': 'Apagada',
  'bluetooth.searching': 'Buscando',
  'bluetooth.enabled': 'Usar Bluetooth',
  'bluetooth.enabled_hint':
    'Sin Bluetooth, los teclados y ratones emparejados no hacen nada. Siguen emparejados.',
  'bluetooth.powered': 'Radio encendida',
  'bluetooth.powered_hint':
    'Solo por ahora: tras reiniciar el dispositivo, la radio vuelve a estar encendida.',
  'bluetooth.discoverable': 'Visible para los demás',
  'bluetooth.discoverable_hint':
    'Cualquiera que esté cerca puede entonces emparejarse, pero no escribir. Conviene apagarlo después.',

  'bluetooth.unsupported': 'Este dispositivo no tiene Bluetooth',
  'bluetooth.unsupported_do': 'Conecte teclados, ratones y lectores por USB.',
  'bluetooth.disabled': 'Bluetooth está apagado',
  'bluetooth.disabled_text': 'Para teclados, ratones, lectores de códigos de barras y mandos a distancia.',
  'bluetooth.enable': 'Encender Bluetooth',
  'bluetooth.unavailable': 'Bluetooth no funciona ahora',
  'bluetooth.unavailable_do':
    'Puede tardar unos segundos en arrancar. Si no aparece, reinicie el dispositivo.',
  'bluetooth.not_started':
    'El ajuste está guardado, pero Bluetooth no arranca. Compruebe el interruptor de la radio, o reinicie el dispositivo.',

  'bluetooth.known': 'Emparejados',
  'bluetooth.none_known': 'Aún no hay nada emparejado. La búsqueda está más abajo.',
  'bluetooth.known_hint':
    'Lo que está emparejado se conecta por sí solo al usarlo. Para desconectarlo del todo, olvídelo.',
  'bluetooth.connected': 'Conectado',
  'bluetooth.not_now': 'Sin conexión',
  'bluetooth.untrusted': 'No puede escribir',
  'bluetooth.untrusted_hint': 'Se ha emparejado por su cuenta. Solo puede escribir si se le permite.',
  'bluetooth.trust': 'Permitir',
  'bluetooth.trust_what': 'Permitir que {name} escriba',
  'bluetooth.connect': 'Conectar',
  'bluetooth.connect_what': 'Conectar {name}',
  'bluetooth.not_connected': 'No se ha conectado. Enciéndalo, acérquelo o pulse una de sus teclas.',
  'bluetooth.forget': 'Olvidar',
  'bluetooth.forget_what': 'Olvidar {name}',
  'bluetooth.forget_ask': '¿Olvidar {name}?',
  'bluetooth.forget_text':
    'Se desconecta y ya no puede escribir. Para usarlo de nuevo hay que volver a emparejarlo.',
  'bluetooth.forgotten': '{name} se ha olvidado.',

  'bluetooth.found': 'Cerca de aquí',
  'bluetooth.search': 'Buscar',
  'bluetooth.stop': 'Detener la búsqueda',
  'bluetooth.searching_text': 'Buscando. Termina por sí sola a los dos minutos.',
  'bluetooth.off_text': 'La radio está apagada. Enciéndala para buscar.',
  'bluetooth.none_found': 'No se ha encontrado nada',
  'bluetooth.none_found_do': 'Póngalo en modo de emparejamiento, como indica su manual. Después, busque.',
  'bluetooth.unnamed_one': 'Mostrar también {count} sin nombre',
  'bluetooth.unnamed_other': 'Mostrar también {count} sin nombre',
  'bluetooth.pair': 'Emparejar',
  'bluetooth.pair_what': 'Emparejar {name}',
  'bluetooth.notice': '{name} se está emparejando.',
  'bluetooth.notice_passkey': '{name} se está emparejando. Sus cifras: {passkey}',

  'bluetooth.kind_keyboard': 'Teclado',
  'bluetooth.kind_mouse': 'Ratón',
  'bluetooth.kind_gamepad': 'Mando de juegos',
  'bluetooth.kind_tablet': 'Tableta gráfica',
  'bluetooth.kind_phone': 'Teléfono',
  'bluetooth.kind_computer': 'Ordenador',
  'bluetooth.kind_sound': 'Sonido',
  'bluetooth.kind_unknown': 'Tipo desconocido',
  'bluetooth.signal_strong': 'señal fuerte',
  'bluetooth.signal_medium': 'señal media',
  'bluetooth.signal_weak': 'señal débil',
  'bluetooth.signal_none': 'ahora sin señal',

  'bluetooth.pairing': 'Emparejamiento con {name}',
  'bluetooth.pairing_wait': 'Conectando. Manténgalo cerca y en modo de emparejamiento.',
  'bluetooth.pairing_type': 'Escriba estas cifras en él y pulse allí Intro.',
  'bluetooth.pairing_same': 'Si él mismo muestra las mismas cifras, acéptelas allí.',
  'bluetooth.time_left': 'Tiempo restante',
  'bluetooth.finishing': 'Terminando',
  'bluetooth.paired': 'Está emparejado y se puede usar.',
  'bluetooth.unreachable':
    'No responde. Inicie de nuevo su modo de emparejamiento, acérquelo e inténtelo de nuevo.',
  'bluetooth.refused':
    'Lo ha rechazado, o las cifras no eran correctas. Borre en él el emparejamiento anterior e inténtelo de nuevo.',
  'bluetooth.late':
    'Se ha acabado el tiempo. Inténtelo de nuevo y escriba las cifras e Intro en 30 segundos.',
  'bluetooth.blocked': 'Un interruptor del dispositivo bloquea la radio. Desbloquéela e inténtelo de nuevo.',
  'bluetooth.gone': 'Ya no está. Inicie su modo de emparejamiento y busque de nuevo.',
  'bluetooth.busy': 'Se está emparejando otro, o la radio está apagada. Inténtelo de nuevo en medio minuto.',
  'bluetooth.failed':
    'No se ha podido emparejar. Inicie de nuevo su modo de emparejamiento e inténtelo de nuevo.',
};
