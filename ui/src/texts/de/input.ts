import type { input as en } from '../en/input.ts';

export const input: Record<keyof typeof en, string> = {
  'input.title': 'Eingabe',
  'input.devices': 'Angeschlossen',
  'input.no_devices': 'Keine Tastatur, keine Maus, kein Touchscreen',
  'input.no_devices_do':
    'Schließen Sie etwas über USB oder Bluetooth an. Es erscheint hier nach wenigen Sekunden.',
  'input.go_bluetooth': 'Zu Bluetooth',
  'input.others_one': '{count} anderes Gerät',
  'input.others_other': '{count} andere Geräte',
  'input.others_label': 'Andere Geräte',
  'input.use_touch': 'Berührungen gehen an die Seite auf dem Bildschirm.',
  'input.use_touch_turned': 'Berührungen werden mit dem Bildschirm um {degrees}° gedreht.',
  'input.use_keyboard': 'Tippt mit der Belegung {layout}.',
  'input.use_pointer': 'Bewegt den Mauszeiger.',
  'input.use_buttons': 'Tasten, Sensoren und Ähnliches.',

  'input.test': 'Berührungstest',
  'input.test_text':
    'Die Ecken des Bildschirms berühren: Die Punkte müssen in denselben Ecken erscheinen. Auch die Seite bekommt die Berührungen.',
  'input.test_none':
    'Es ist kein Touchscreen angeschlossen. Mäuse haben keine eigene Position und werden nicht gezeichnet.',
  'input.test_start': 'Test starten',
  'input.test_stop': 'Test beenden',
  'input.test_wait': 'Noch ist nichts angekommen. Berühren Sie den Bildschirm.',
  'input.area': 'Die Seite mit den letzten Berührungen',
  'input.last_at': 'Letzte Berührung: {x} von links, {y} von oben, mit {device}',
  'input.presses_one': '{count} Berührung',
  'input.presses_other': '{count} Berührungen',
  'input.fingers_one': '{count} Finger gerade darauf',
  'input.fingers_other': '{count} Finger gerade darauf',
  'input.turned_with':
    'Berührungen drehen sich mit dem Bildschirm. Erscheinen sie in einer anderen Ecke, stimmt die Drehung des Bildschirms nicht.',
  'input.go_screens': 'Drehung ändern',
  'input.keys_hidden': 'Was getippt wird, wird nie hierher gesendet.',

  'input.keyboard': 'Tastaturen und Scanner',
  'input.layout': 'Belegung',
  'input.layout_hint':
    'Die meisten Scanner tippen wie eine US-Tastatur. Nach dem Speichern ist der Bildschirm kurz dunkel und zeigt dann dieselbe Seite.',
  'input.layout_another': 'Andere Belegung',
  'input.layout_intl': 'international',
  'input.layout_name': 'Name der Belegung',
  'input.layout_name_hint': 'Wie XKB sie nennt, mit einer Variante in Klammern: us(dvorak)',
  'input.layout_invalid': 'Das ist nicht der Name einer Belegung. Er lautet etwa de oder ch(fr).',
  'input.after_restart': 'Es ist gespeichert und gilt nach einem Neustart des Geräts.',
  'input.keyboard_test': 'Zum Testen einer Tastatur eine Seite mit einem Textfeld zeigen und dort tippen.',
  'input.go_show': 'Eine Seite zeigen',

  'input.screen_keyboard': 'Bildschirmtastatur',
  'input.appears': 'Sie erscheint in Textfeldern',
  'input.mode_off': 'Nie',
  'input.mode_auto': 'Automatisch',
  'input.mode_on': 'Immer',
  'input.appears_off': 'Ohne echte Tastatur kann niemand tippen.',
  'input.appears_auto':
    'Solange es einen Touchscreen und keine Tastatur gibt. Ein Scanner zählt als Tastatur: dann „Immer“ wählen.',
  'input.appears_on': 'Auch wenn eine Tastatur angeschlossen ist.',
  'input.screen_layouts': 'Ihre Sprachen',
  'input.screen_layouts_hint': 'Bei mehreren wechselt eine Taste der Tastatur von einer zur nächsten.',

  'input.pointer': 'Mauszeiger',
  'input.pointer_shown': 'Er ist sichtbar',
  'input.pointer_auto': 'Automatisch',
  'input.pointer_always': 'Immer',
  'input.pointer_never': 'Nie',
  'input.shown_auto': 'Solange eine Maus angeschlossen ist und die Seite ihn nicht versteckt.',
  'input.shown_always': 'Auch ohne Maus. Seiten können ihn nicht verstecken.',
  'input.shown_never': 'Für Touchscreens, die sich auch als Maus ausgeben.',
};
