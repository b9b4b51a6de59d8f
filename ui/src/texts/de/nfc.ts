import type { nfc as en } from '../en/nfc.ts';

export const nfc: Record<keyof typeof en, string> = {
  'nfc.title': 'NFC',
  'nfc.disabled': 'NFC ist aus',
  'nfc.disabled_text': 'Zum Lesen und Beschreiben von Tags und Karten, die an ein Lesegerät gehalten werden.',
  'nfc.enable': 'NFC einschalten',
  'nfc.enabled': 'NFC benutzen',
  'nfc.enabled_hint': 'Ohne NFC sind die Lesegeräte aus, und Tags werden nicht bemerkt.',

  'nfc.tags': 'Tags, die gerade da sind',
  'nfc.count_one': '{count} Tag an den Lesegeräten',
  'nfc.count_other': '{count} Tags an den Lesegeräten',
  'nfc.no_tags': 'Kein Tag',
  'nfc.no_tags_do': 'Ein Tag, das an ein Lesegerät gehalten wird, erscheint hier sofort.',
  'nfc.no_tags_reader': 'Zuerst muss ein Lesegerät angeschlossen sein.',
  'nfc.kind_ndef': 'Tag für Texte und Adressen',
  'nfc.kind_card': 'Chipkarte',
  'nfc.kind_number': 'Nur die Nummer ist lesbar',
  'nfc.content': 'Inhalt',
  'nfc.nothing': 'Es steht nichts darauf.',
  'nfc.damaged': 'Der Inhalt ist beschädigt oder von einer Art, die hier nicht gezeigt werden kann.',
  'nfc.record_text': 'Text',
  'nfc.record_address': 'Adresse',
  'nfc.record_empty': 'Leer',
  'nfc.record_unknown': 'Anderer Inhalt',

  'nfc.write': 'Beschreiben',
  'nfc.write_what': 'Tag {uid} beschreiben',
  'nfc.write_text': 'Was auf dem Tag steht, wird ersetzt. Bis zum Ende muss es still liegen.',
  'nfc.what': 'Was geschrieben wird',
  'nfc.what_text': 'Text',
  'nfc.what_address': 'Adresse',
  'nfc.size': 'Braucht {size} auf dem Tag.',
  'nfc.text_missing': 'Geben Sie einen Text ein.',
  'nfc.address_invalid': 'Geben Sie eine Adresse mit ihrem Anfang ein, etwa https:// oder tel:',
  'nfc.put_back': 'Das Tag ist nicht mehr am Lesegerät. Halten Sie es wieder daran.',
  'nfc.written': 'Geschrieben und ohne Fehler zurückgelesen.',
  'nfc.tag_gone':
    'Das Tag ist nicht mehr am Lesegerät, oder ein anderes Programm benutzt es. Halten Sie es daran, und versuchen Sie es noch einmal.',
  'nfc.reader_gone': 'Das Lesegerät ist nicht mehr da. Schließen Sie es wieder an.',
  'nfc.not_possible':
    'Dieses Tag kann das nicht: Es ist schreibgeschützt, zu klein oder von anderer Art. Es ist unverändert.',
  'nfc.no_answer':
    'Lesegerät oder Tag haben nicht geantwortet. Halten Sie das Tag still, und versuchen Sie es noch einmal.',
  'nfc.left_unchanged':
    'Das Schreiben ist fehlgeschlagen. Das Tag ist unverändert. Halten Sie es still, und versuchen Sie es noch einmal.',
  'nfc.left_empty':
    'Das Schreiben ist fehlgeschlagen. Das Tag ist jetzt leer. Halten Sie es still, und versuchen Sie es noch einmal.',
  'nfc.left_written':
    'Das Tag wurde beschrieben, konnte aber nicht zurückgelesen werden. Halten Sie es noch einmal an das Lesegerät.',
  'nfc.left_unknown':
    'Das Schreiben ist fehlgeschlagen, und was auf dem Tag steht, ist nicht bekannt. Beschreiben Sie es noch einmal.',

  'nfc.commands': 'Befehle für Chipkarten',
  'nfc.command': 'Befehl (APDU)',
  'nfc.command_hint':
    'Paare hexadezimaler Ziffern. Für Entwickler: Ein falscher Befehl kann eine Karte sperren.',
  'nfc.command_invalid': 'Geben Sie 4 bis 512 Bytes als Paare der Ziffern 0 bis 9 und A bis F ein.',
  'nfc.send': 'Senden',
  'nfc.answers': 'Antworten',
  'nfc.accepted': '{status}: ausgeführt',
  'nfc.rejected': '{status}: nicht ausgeführt',

  'nfc.readers': 'Lesegeräte',
  'nfc.no_readers': 'Kein Lesegerät',
  'nfc.no_readers_do':
    'Schließen Sie ein ACR122U über USB an, oder richten Sie das Lesegerät der Platine ein.',
  'nfc.settings': 'Zu den Einstellungen',
  'nfc.present': 'Bereit',
  'nfc.absent': 'Nicht angeschlossen',
  'nfc.absent_do': 'Prüfen Sie Kabel und Strom. Es wird benutzt, sobald es antwortet.',
  'nfc.beep': 'Piepen',
  'nfc.beep_what': '{reader} piepen lassen',
  'nfc.beeped': 'Das Lesegerät hat den Auftrag angenommen und müsste jetzt zu hören sein.',

  'nfc.history': 'Letzte Tags',
  'nfc.history_text': 'Die letzten {most} Tags, die kamen, während diese Ansicht offen war.',
  'nfc.clear': 'Leeren',
};
