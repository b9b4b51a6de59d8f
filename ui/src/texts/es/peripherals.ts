import type { peripherals as en } from '../en/peripherals.ts';

export const peripherals: Record<keyof typeof en, string> = {
  'peripherals.title': 'Periféricos',
  'peripherals.none': 'No hay nada conectado',
  'peripherals.none_do':
    'Conecte un lector de códigos, una balanza o una impresora a un puerto USB del dispositivo: aparece aquí enseguida.',
  'peripherals.no_port': 'Este dispositivo no tiene puerto USB para periféricos',
  'peripherals.no_port_do': 'Los ajustes de periféricos no tienen efecto en él.',
  'peripherals.no_port_listed':
    'Este dispositivo no tiene puerto USB para periféricos. Lo que aparece está conectado por Bluetooth.',

  'peripherals.unnamed': 'Aparato sin nombre',
  'peripherals.serial_number': 'número de serie {number}',
  'peripherals.kind_hid': 'Entrada y salida por informes (WebHID)',
  'peripherals.kind_serial': 'Puerto serie (Web Serial)',
  'peripherals.kind_usb': 'El propio aparato USB (WebUSB)',
  'peripherals.usages': 'uso {usages}',
  'peripherals.drivers': 'controlador {drivers}',

  'peripherals.open': 'En uso',
  'peripherals.open_by': 'Una página de {origin} lo tiene abierto ahora.',
  'peripherals.allowed': 'Permitido',
  'peripherals.allowed_for': 'Las páginas de {origins} pueden usarlo.',
  'peripherals.not_this_page': 'La página mostrada, de {origin}, no puede usarlo.',
  'peripherals.disabled': 'Sin efecto',
  'peripherals.kind_off': 'Una entrada lo permite, pero su tipo está desactivado en los ajustes.',
  'peripherals.no_origin': 'Una entrada lo permite, pero ninguna página puede usar periféricos todavía.',
  'peripherals.not_allowed': 'No permitido',
  'peripherals.no_entry': 'Ninguna entrada lo permite.',
  'peripherals.protected': 'Protegido',
  'peripherals.never': 'Ninguna página lo obtiene nunca, sean cuales sean los ajustes.',

  'peripherals.allow': 'Permitir para {origin}',
  'peripherals.allow_what': 'Permitir para {origin}: {name}',
  'peripherals.allow_ask': '¿Permitir {name} para {origin}?',
  'peripherals.allow_do': 'Permitir',
  'peripherals.allow_text': 'Las páginas de {origin} pueden entonces leerlo y enviarle datos, por {kind}.',
  'peripherals.allow_entry':
    'La nueva entrada vale para todo aparato {ids}, también para otro del mismo tipo.',
  'peripherals.allow_entry_usage':
    'La nueva entrada vale para todo aparato {ids} con el uso {usage}, también para otro del mismo tipo.',
  'peripherals.allow_kind': '{kind} se activa.',
  'peripherals.allow_origin': '{origin} se añade a las páginas que pueden usar periféricos.',
  'peripherals.allow_other_origins': 'Las páginas de {origins} también pueden usarlo.',
  'peripherals.allow_others': 'Con esto se permite también {names}.',
  'peripherals.allow_unused_one':
    'Entra en vigor {count} entrada más, para un aparato que no está conectado.',
  'peripherals.allow_unused_other':
    'Entran en vigor {count} entradas más, para aparatos que no están conectados.',
  'peripherals.now_allowed': 'Las páginas de {origin} pueden usar {name}.',

  'peripherals.remove': 'Quitar',
  'peripherals.remove_what': 'Quitar la entrada de {name}',
  'peripherals.remove_ask': '¿Quitar la entrada de {name}?',
  'peripherals.remove_text':
    'Las páginas ya no pueden usarlo, salvo que otra entrada coincida. Si una página lo tiene abierto, se cierra enseguida.',
  'peripherals.remove_others': 'Lo mismo vale para {names}.',
  'peripherals.removed': 'La entrada se ha quitado.',

  'peripherals.gone': 'Ya no está. Conéctelo de nuevo e inténtelo otra vez.',
  'peripherals.changed': 'Los ajustes han cambiado entretanto. Cierre esto y lea de nuevo lo que se permite.',

  'peripherals.pages': 'Páginas que pueden usar periféricos',
  'peripherals.no_pages': 'Ninguna página puede usar periféricos.',
  'peripherals.displayed': 'Mostrada ahora',
  'peripherals.waiting':
    'Se muestra la página de espera. Para permitir un aparato aquí, muestre la página que lo necesita.',
  'peripherals.pages_hint': 'Cada una puede usar todo lo que está permitido.',
  'peripherals.settings': 'Ir a los ajustes',
};
