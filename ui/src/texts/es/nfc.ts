import type { nfc as en } from '../en/nfc.ts';

export const nfc: Record<keyof typeof en, string> = {
  'nfc.title': 'NFC',
  'nfc.disabled': 'NFC está apagado',
  'nfc.disabled_text': 'Para leer y escribir etiquetas y tarjetas que se acercan a un lector.',
  'nfc.enable': 'Encender NFC',
  'nfc.enabled': 'Usar NFC',
  'nfc.enabled_hint': 'Sin NFC, los lectores están apagados y no se detectan etiquetas.',

  'nfc.tags': 'Etiquetas presentes',
  'nfc.count_one': '{count} etiqueta en los lectores',
  'nfc.count_other': '{count} etiquetas en los lectores',
  'nfc.no_tags': 'Ninguna etiqueta',
  'nfc.no_tags_do': 'Acerque una etiqueta a un lector. Aparece aquí al instante.',
  'nfc.no_tags_reader': 'Antes hay que conectar un lector.',
  'nfc.kind_ndef': 'Etiqueta para textos y direcciones',
  'nfc.kind_card': 'Tarjeta con chip',
  'nfc.kind_number': 'Solo se puede leer su número',
  'nfc.content': 'Contenido',
  'nfc.nothing': 'No tiene nada escrito.',
  'nfc.damaged': 'Su contenido está dañado, o es de un tipo que aquí no se puede mostrar.',
  'nfc.record_text': 'Texto',
  'nfc.record_address': 'Dirección',
  'nfc.record_empty': 'Vacío',
  'nfc.record_unknown': 'Otro contenido',

  'nfc.write': 'Escribir',
  'nfc.write_what': 'Escribir en la etiqueta {uid}',
  'nfc.write_text': 'Se sustituye lo que hay en la etiqueta. No la mueva hasta que termine.',
  'nfc.what': 'Qué escribir',
  'nfc.what_text': 'Texto',
  'nfc.what_address': 'Dirección',
  'nfc.size': 'Ocupa {size} en la etiqueta.',
  'nfc.text_missing': 'Introduzca un texto.',
  'nfc.address_invalid': 'Introduzca una dirección con su comienzo, como https:// o tel:',
  'nfc.put_back': 'La etiqueta ya no está en el lector. Acérquela de nuevo.',
  'nfc.written': 'Escrito, y leído de nuevo sin errores.',
  'nfc.tag_gone':
    'La etiqueta ya no está en el lector, o la usa otro programa. Acérquela e inténtelo de nuevo.',
  'nfc.reader_gone': 'El lector ya no está. Conéctelo de nuevo.',
  'nfc.not_possible':
    'Esta etiqueta no lo permite: está protegida, es demasiado pequeña o de otro tipo. No ha cambiado.',
  'nfc.no_answer': 'El lector o la etiqueta no han respondido. No mueva la etiqueta e inténtelo de nuevo.',
  'nfc.left_unchanged':
    'No se ha podido escribir. La etiqueta no ha cambiado. No la mueva e inténtelo de nuevo.',
  'nfc.left_empty':
    'No se ha podido escribir. La etiqueta está ahora vacía. No la mueva e inténtelo de nuevo.',
  'nfc.left_written':
    'La etiqueta se ha escrito, pero no se ha podido leer de nuevo. Acérquela otra vez al lector.',
  'nfc.left_unknown': 'No se ha podido escribir, y no se sabe qué hay en la etiqueta. Escríbala de nuevo.',

  'nfc.commands': 'Comandos para tarjetas con chip',
  'nfc.command': 'Comando (APDU)',
  'nfc.command_hint':
    'Pares de cifras hexadecimales. Para desarrolladores: un comando erróneo puede bloquear una tarjeta.',
  'nfc.command_invalid': 'Introduzca de 4 a 512 bytes como pares de las cifras 0 a 9 y A a F.',
  'nfc.send': 'Enviar',
  'nfc.answers': 'Respuestas',
  'nfc.accepted': '{status}: hecho',
  'nfc.rejected': '{status}: no hecho',

  'nfc.readers': 'Lectores',
  'nfc.no_readers': 'Ningún lector',
  'nfc.no_readers_do': 'Conecte un ACR122U por USB, o configure el lector de la placa.',
  'nfc.settings': 'Ir a los ajustes',
  'nfc.present': 'Listo',
  'nfc.absent': 'Sin conectar',
  'nfc.absent_do': 'Compruebe su cable y su alimentación. Se usa en cuanto responda.',
  'nfc.beep': 'Pitido',
  'nfc.beep_what': 'Hacer pitar {reader}',
  'nfc.beeped': 'El lector lo ha aceptado y debería oírse ahora.',

  'nfc.history': 'Últimas etiquetas',
  'nfc.history_text': 'Las últimas {most} etiquetas que llegaron con esta vista abierta.',
  'nfc.clear': 'Vaciar',
};
