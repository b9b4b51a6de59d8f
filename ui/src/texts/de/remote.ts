import type { remote as en } from '../en/remote.ts';

export const remote: Record<keyof typeof en, string> = {
  'remote.title': 'Fernbedienung',
  'remote.off': 'Die Fernbedienung ist aus',
  'remote.what':
    'Mit der Fernbedienung lässt sich auf einem Bild des Bildschirms klicken, scrollen und tippen, als stünde man davor. Sie ist für Hilfe an einem Bildschirm gedacht, zu dem niemand gehen kann.',
  'remote.risk_acts':
    'Wer dieses Gerät erreicht, kann dann alles tun, was eine Person am Bildschirm kann, auch wo die Seite angemeldet ist.',
  'remote.risk_seen':
    'Die Seite bemerkt keinen Unterschied zu einer Person am Bildschirm, und die Leute dort sehen alles mit.',
  'remote.risk_end': 'Sie bleibt an, bis sie jemand ausschaltet. Am besten gleich, wenn alles erledigt ist.',
  'remote.cable':
    'Sie funktioniert nur für einen Computer am USB-Kabel des Geräts, niemals über andere Netzwerke.',
  'remote.turn_on': 'Fernbedienung einschalten',
  'remote.on':
    'Die Fernbedienung ist an. Wer dieses Gerät erreicht, kann auf seinem Bildschirm handeln. Schalten Sie sie aus, wenn alles erledigt ist.',
  'remote.turn_off': 'Ausschalten',
  'remote.screen': 'Auf dem Bildschirm',
  'remote.click': 'Auf den Bildschirm klicken',
  'remote.press': 'Ein Druck auf das Bild',
  'remote.press_left': 'klickt',
  'remote.press_right': 'klickt rechts',
  'remote.press_scroll': 'scrollt',
  'remote.full': 'Vollbild',
  'remote.small': 'Vollbild verlassen',
  'remote.keyboard_part':
    'Hier ist die Bildschirmtastatur. Sie kann gedrückt werden, aber Bilder zeigen sie nicht.',
  'remote.start_typing': 'Mit dieser Tastatur tippen',
  'remote.stop_typing': 'Tippen beenden',
  'remote.typing':
    'Alles Getippte geht an den Bildschirm. Zum Beenden zweimal nacheinander Escape oder diese Schaltfläche drücken.',
  'remote.typing_hint':
    'Dann gehen alle Tasten an den Bildschirm, auch Tab. Ein Klick auf das Bild tut dasselbe. Zweimal nacheinander Escape oder die Schaltfläche beendet es.',
  'remote.keys': 'Tasten',
  'remote.keys_edit': 'Formulare und Texte',
  'remote.keys_move': 'Bewegen',
  'remote.keys_together': 'Zusammen',
  'remote.key_Escape': 'Escape',
  'remote.key_Tab': 'Tab',
  'remote.key_Enter': 'Eingabe',
  'remote.key_Backspace': 'Rücktaste',
  'remote.key_Delete': 'Entf',
  'remote.key_ArrowLeft': 'Pfeil nach links',
  'remote.key_ArrowRight': 'Pfeil nach rechts',
  'remote.key_ArrowUp': 'Pfeil nach oben',
  'remote.key_ArrowDown': 'Pfeil nach unten',
  'remote.key_Home': 'Pos1',
  'remote.key_End': 'Ende',
  'remote.key_PageUp': 'Bild auf',
  'remote.key_PageDown': 'Bild ab',
  'remote.key_Shift': 'Umschalt',
  'remote.key_Control': 'Strg',
  'remote.text_card': 'Text',
  'remote.text': 'Diesen Text tippen',
  'remote.text_hint': 'Zuerst das Feld im Bild anklicken. Alle Zeichen sind möglich, höchstens 1000.',
  'remote.send': 'Senden',
  'remote.text_sent': 'Der Text wurde auf dem Bildschirm getippt.',
  'remote.text_long': 'Der Text ist zu lang. Es können höchstens 1000 Zeichen auf einmal getippt werden.',
  'remote.crowded':
    'Das Gerät ist langsamer als die Eingaben, deshalb wurde ein Teil ausgelassen. Warten Sie, bis sich das Bild geändert hat.',
  'remote.failed_busy':
    'Andere benutzen gleichzeitig die Fernbedienung, deshalb wurde das nicht ausgeführt. Versuchen Sie es noch einmal.',
  'remote.failed_forbidden':
    'Das Gerät nimmt diese Verbindung nicht an. Die Fernbedienung funktioniert nur an seinem USB-Kabel: Öffnen Sie diese Seite unter der dortigen Adresse des Geräts, meistens 10.55.77.1.',
  'remote.failed_off':
    'Die Fernbedienung ist ausgeschaltet, deshalb wurde das nicht ausgeführt. Vielleicht hat sie jemand ausgeschaltet.',
  'remote.failed_unavailable':
    'Das Gerät kann das gerade nicht auf seinem Bildschirm ausführen. Prüfen Sie, ob ein Bildschirm angeschlossen ist, und versuchen Sie es noch einmal, wenn sein Bild da ist.',
};
