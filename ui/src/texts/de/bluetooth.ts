import type { bluetooth as en } from '../en/bluetooth.ts';

export const bluetooth: Record<keyof typeof en, string> = {
  'bluetooth.title': 'Bluetooth',
  'bluetooth.adapter': 'Funk',
  'bluetooth.name': 'Name, den andere sehen',
  'bluetooth.address': 'Adresse',
  'bluetooth.on': 'Ein',
  'bluetooth.off': 'Aus',
  'bluetooth.searching': 'Sucht',
  'bluetooth.enabled': 'Bluetooth benutzen',
  'bluetooth.enabled_hint':
    'Ohne Bluetooth tun gekoppelte Tastaturen und Mäuse nichts. Sie bleiben gekoppelt.',
  'bluetooth.powered': 'Funk eingeschaltet',
  'bluetooth.powered_hint': 'Nur vorübergehend: Nach einem Neustart des Geräts ist der Funk wieder an.',
  'bluetooth.discoverable': 'Andere können dieses Gerät finden',
  'bluetooth.discoverable_hint':
    'Wer in der Nähe ist, kann dann koppeln, aber nicht tippen. Danach am besten wieder ausschalten.',

  'bluetooth.unsupported': 'Dieses Gerät hat kein Bluetooth',
  'bluetooth.unsupported_do': 'Tastaturen, Mäuse und Scanner lassen sich über USB anschließen.',
  'bluetooth.disabled': 'Bluetooth ist aus',
  'bluetooth.disabled_text': 'Für Tastaturen, Mäuse, Barcode-Scanner und Fernbedienungen.',
  'bluetooth.enable': 'Bluetooth einschalten',
  'bluetooth.unavailable': 'Bluetooth funktioniert gerade nicht',
  'bluetooth.unavailable_do':
    'Der Start dauert einige Sekunden. Wenn nichts geschieht, hilft ein Neustart des Geräts.',
  'bluetooth.not_started':
    'Die Einstellung ist gespeichert, aber Bluetooth startet nicht. Prüfen Sie den Schalter des Funks, oder starten Sie das Gerät neu.',

  'bluetooth.known': 'Gekoppelte Geräte',
  'bluetooth.none_known': 'Noch ist kein Gerät gekoppelt. Die Suche ist weiter unten.',
  'bluetooth.known_hint':
    'Ein gekoppeltes Gerät verbindet sich von selbst, wenn es benutzt wird. „Vergessen“ trennt es dauerhaft.',
  'bluetooth.connected': 'Verbunden',
  'bluetooth.not_now': 'Nicht verbunden',
  'bluetooth.untrusted': 'Darf nicht tippen',
  'bluetooth.untrusted_hint': 'Dieses Gerät hat sich selbst gekoppelt. Tippen kann es nur mit Erlaubnis.',
  'bluetooth.trust': 'Erlauben',
  'bluetooth.trust_what': '{name} das Tippen erlauben',
  'bluetooth.connect': 'Verbinden',
  'bluetooth.connect_what': '{name} verbinden',
  'bluetooth.not_connected':
    'Das Gerät hat sich nicht verbunden. Schalten Sie es ein, gehen Sie näher heran, oder drücken Sie eine seiner Tasten.',
  'bluetooth.forget': 'Vergessen',
  'bluetooth.forget_what': '{name} vergessen',
  'bluetooth.forget_ask': '{name} vergessen?',
  'bluetooth.forget_text':
    'Das Gerät wird getrennt und kann nicht mehr tippen. Um es wieder zu benutzen, muss es neu gekoppelt werden.',
  'bluetooth.forgotten': '{name} ist vergessen.',

  'bluetooth.found': 'Geräte in der Nähe',
  'bluetooth.search': 'Geräte suchen',
  'bluetooth.stop': 'Suche beenden',
  'bluetooth.searching_text': 'Die Suche läuft. Sie endet von selbst nach zwei Minuten.',
  'bluetooth.off_text': 'Der Funk ist aus. Zum Suchen muss er eingeschaltet sein.',
  'bluetooth.none_found': 'Nichts gefunden',
  'bluetooth.none_found_do':
    'Das Gerät muss in seinem Kopplungsmodus sein: Wie, sagt seine Anleitung. Dann suchen.',
  'bluetooth.unnamed_one': 'Auch {count} Gerät ohne Namen zeigen',
  'bluetooth.unnamed_other': 'Auch {count} Geräte ohne Namen zeigen',
  'bluetooth.pair': 'Koppeln',
  'bluetooth.pair_what': 'Mit {name} koppeln',
  'bluetooth.notice': '{name} wird gerade gekoppelt.',
  'bluetooth.notice_passkey': '{name} wird gerade gekoppelt. Die Ziffern: {passkey}',

  'bluetooth.kind_keyboard': 'Tastatur',
  'bluetooth.kind_mouse': 'Maus',
  'bluetooth.kind_gamepad': 'Spielsteuerung',
  'bluetooth.kind_tablet': 'Zeichentablett',
  'bluetooth.kind_phone': 'Telefon',
  'bluetooth.kind_computer': 'Computer',
  'bluetooth.kind_sound': 'Ton',
  'bluetooth.kind_unknown': 'Unbekannte Art',
  'bluetooth.signal_strong': 'starkes Signal',
  'bluetooth.signal_medium': 'mittleres Signal',
  'bluetooth.signal_weak': 'schwaches Signal',
  'bluetooth.signal_none': 'gerade kein Signal',

  'bluetooth.pairing': 'Kopplung mit {name}',
  'bluetooth.pairing_wait':
    'Die Verbindung wird hergestellt. Das Gerät muss in der Nähe und im Kopplungsmodus bleiben.',
  'bluetooth.pairing_type': 'Diese Ziffern auf dem Gerät tippen, dann dort die Eingabetaste drücken.',
  'bluetooth.pairing_same': 'Wenn das Gerät selbst dieselben Ziffern zeigt, dort bestätigen.',
  'bluetooth.time_left': 'Verbleibende Zeit',
  'bluetooth.finishing': 'Wird abgeschlossen',
  'bluetooth.paired': 'Das Gerät ist gekoppelt und kann benutzt werden.',
  'bluetooth.unreachable':
    'Das Gerät antwortet nicht. Starten Sie seinen Kopplungsmodus neu, gehen Sie näher heran, und versuchen Sie es noch einmal.',
  'bluetooth.refused':
    'Das Gerät hat abgelehnt, oder die Ziffern waren falsch. Löschen Sie dort die alte Kopplung, und versuchen Sie es noch einmal.',
  'bluetooth.late':
    'Die Zeit ist abgelaufen. Versuchen Sie es noch einmal, und tippen Sie die Ziffern und die Eingabetaste innerhalb von 30 Sekunden.',
  'bluetooth.blocked':
    'Der Funk ist durch einen Schalter des Geräts gesperrt. Geben Sie ihn frei, und versuchen Sie es noch einmal.',
  'bluetooth.gone':
    'Das Gerät ist nicht mehr da. Starten Sie seinen Kopplungsmodus, und suchen Sie noch einmal.',
  'bluetooth.busy':
    'Ein anderes Gerät wird gerade gekoppelt, oder der Funk ist aus. Versuchen Sie es in einer halben Minute noch einmal.',
  'bluetooth.failed':
    'Das Gerät konnte nicht gekoppelt werden. Starten Sie seinen Kopplungsmodus neu, und versuchen Sie es noch einmal.',
};
