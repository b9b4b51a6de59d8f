import type { peripherals as en } from '../en/peripherals.ts';

export const peripherals: Record<keyof typeof en, string> = {
  'peripherals.title': 'Peripherie',
  'peripherals.none': 'Nichts angesteckt',
  'peripherals.none_do':
    'Scanner, Waage oder Drucker an einem USB-Anschluss des Geräts anstecken: Sie erscheinen hier sofort.',
  'peripherals.no_port': 'Dieses Gerät hat keinen USB-Anschluss für Peripherie',
  'peripherals.no_port_do': 'Einstellungen für Peripherie haben hier keine Wirkung.',
  'peripherals.no_port_listed':
    'Dieses Gerät hat keinen USB-Anschluss für Peripherie. Was hier steht, ist über Bluetooth verbunden.',

  'peripherals.unnamed': 'Gerät ohne Namen',
  'peripherals.serial_number': 'Seriennummer {number}',
  'peripherals.kind_hid': 'Ein- und Ausgabe mit Reports (WebHID)',
  'peripherals.kind_serial': 'Serielle Schnittstelle (Web Serial)',
  'peripherals.kind_usb': 'Das USB-Gerät selbst (WebUSB)',
  'peripherals.usages': 'Usage {usages}',
  'peripherals.drivers': 'Treiber {drivers}',

  'peripherals.open': 'In Benutzung',
  'peripherals.open_by': 'Eine Seite von {origin} hat es gerade geöffnet.',
  'peripherals.allowed': 'Erlaubt',
  'peripherals.allowed_for': 'Seiten von {origins} dürfen es benutzen.',
  'peripherals.not_this_page': 'Die gezeigte Seite, von {origin}, darf es nicht benutzen.',
  'peripherals.disabled': 'Ohne Wirkung',
  'peripherals.kind_off': 'Ein Eintrag erlaubt es, aber seine Art ist in den Einstellungen ausgeschaltet.',
  'peripherals.no_origin': 'Ein Eintrag erlaubt es, aber noch darf keine Seite Peripherie benutzen.',
  'peripherals.not_allowed': 'Nicht erlaubt',
  'peripherals.no_entry': 'Es gibt keinen Eintrag, der es erlaubt.',
  'peripherals.protected': 'Geschützt',
  'peripherals.never': 'Keine Seite bekommt es je, was auch immer eingestellt ist.',

  'peripherals.allow': 'Für {origin} erlauben',
  'peripherals.allow_what': 'Für {origin} erlauben: {name}',
  'peripherals.allow_ask': '{name} für {origin} erlauben?',
  'peripherals.allow_do': 'Erlauben',
  'peripherals.allow_text': 'Seiten von {origin} können dann über {kind} davon lesen und dorthin senden.',
  'peripherals.allow_entry':
    'Der neue Eintrag gilt für jedes Gerät {ids}, auch für ein anderes desselben Typs.',
  'peripherals.allow_entry_usage':
    'Der neue Eintrag gilt für jedes Gerät {ids} mit der Usage {usage}, auch für ein anderes desselben Typs.',
  'peripherals.allow_kind': '{kind} wird eingeschaltet.',
  'peripherals.allow_origin': '{origin} kommt zu den Seiten hinzu, die Peripherie benutzen dürfen.',
  'peripherals.allow_other_origins': 'Auch Seiten von {origins} können es benutzen.',
  'peripherals.allow_others': 'Erlaubt werden damit auch {names}.',
  'peripherals.allow_unused_one':
    '{count} weiterer Eintrag wird wirksam, für ein Gerät, das nicht angesteckt ist.',
  'peripherals.allow_unused_other':
    '{count} weitere Einträge werden wirksam, für Geräte, die nicht angesteckt sind.',
  'peripherals.now_allowed': 'Seiten von {origin} dürfen {name} benutzen.',

  'peripherals.remove': 'Entfernen',
  'peripherals.remove_what': 'Eintrag für {name} entfernen',
  'peripherals.remove_ask': 'Eintrag für {name} entfernen?',
  'peripherals.remove_text':
    'Seiten können es nicht mehr benutzen, wenn kein anderer Eintrag passt. Hat eine Seite es geöffnet, wird es sofort geschlossen.',
  'peripherals.remove_others': 'Das gilt auch für {names}.',
  'peripherals.removed': 'Der Eintrag ist entfernt.',

  'peripherals.gone': 'Es ist nicht mehr da. Wieder anstecken und noch einmal versuchen.',
  'peripherals.changed':
    'Die Einstellungen haben sich inzwischen geändert. Schließen und noch einmal lesen, was erlaubt wird.',

  'peripherals.pages': 'Seiten, die Peripherie benutzen dürfen',
  'peripherals.no_pages': 'Keine Seite darf Peripherie benutzen.',
  'peripherals.displayed': 'Gerade gezeigt',
  'peripherals.waiting':
    'Die Warteseite wird gezeigt. Um hier ein Gerät zu erlauben, die Seite zeigen, die es braucht.',
  'peripherals.pages_hint': 'Jede von ihnen darf alles benutzen, was erlaubt ist.',
  'peripherals.settings': 'Zu den Einstellungen',
};
