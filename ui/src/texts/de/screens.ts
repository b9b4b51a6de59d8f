import type { screens as en } from '../en/screens.ts';

export const screens: Record<keyof typeof en, string> = {
  'screens.title': 'Bildschirme',
  'screens.now': 'Jetzt',
  'screens.outputs': 'Ausgänge',
  'screens.look_again': 'Noch einmal nachsehen',
  'screens.no_outputs': 'Kein Ausgang gefunden',
  'screens.no_outputs_do':
    'Schließen Sie einen Bildschirm an, und warten Sie, bis der Browser des Geräts läuft.',
  'screens.which':
    'Der erste Ausgang mit einem Bildschirm zeigt die Seite, alle anderen bleiben dunkel. Um einen anderen Bildschirm zu benutzen, ziehen Sie den ersten ab.',
  'screens.shows_page': 'Zeigt die Seite',
  'screens.stays_dark': 'Bleibt dunkel',
  'screens.unplugged': 'Kein Bildschirm',

  'screens.shape': 'Drehung und Größe',
  'screens.rotation': 'Wie der Bildschirm hängt',
  'screens.rotation_hint':
    'Wählen Sie das Bild, das wie der Bildschirm aussieht. Berührungen drehen sich mit.',
  'screens.rotation_0': 'Aufrecht',
  'screens.rotation_90': 'Fuß rechts, 90°',
  'screens.rotation_180': 'Kopfüber, 180°',
  'screens.rotation_270': 'Fuß links, 270°',
  'screens.scale': 'Größe von Texten und Bildern',
  'screens.scale_hint': 'Schritte von 100 % sehen am schärfsten aus.',
  'screens.scale_automatic': 'Automatisch, nach dem Bildschirm',
  'screens.apply': 'Anwenden',

  'screens.mode': 'Auflösung',
  'screens.mode_label': 'Auflösung und Bildrate',
  'screens.mode_hint': 'Automatisch ist für fast alle Bildschirme richtig.',
  'screens.mode_automatic': 'Automatisch: der Bildschirm entscheidet',
  'screens.mode_custom': 'Eine andere Auflösung',
  'screens.mode_restart':
    'Für eine andere Auflösung muss das Gerät neu starten. Danach wird gefragt, ob der Bildschirm lesbar ist.',
  'screens.mode_apply': 'Diese Auflösung benutzen',
  'screens.width': 'Breite',
  'screens.height': 'Höhe',
  'screens.rate': 'Bildrate',
  'screens.mode_invalid': 'Geben Sie Breite und Höhe von 10 bis 99999 ein, und eine Rate von 1 bis 999.',

  'screens.power': 'Strom des Bildschirms',
  'screens.is_on': 'Der Bildschirm ist an',
  'screens.is_off': 'Der Bildschirm ist aus oder nicht angeschlossen',
  'screens.power_text':
    'Das Gerät schaltet den Bildschirm über das HDMI-Kabel (HDMI-CEC). Die Seite läuft dabei weiter.',
  'screens.turn_on': 'Einschalten',
  'screens.turn_off': 'Ausschalten',
  'screens.turning': 'Warten, bis der Bildschirm es bestätigt. Das dauert bis zu 45 Sekunden.',
  'screens.not_followed':
    'Der Bildschirm hat den Befehl angenommen, aber nicht befolgt. Schalten Sie HDMI-CEC in seinem Menü ein; dort heißt es etwa Anynet+, Bravia Sync, Simplink oder Viera Link.',
  'screens.test': 'CEC-Test',
  'screens.test_text':
    'Schaltet den Bildschirm um und wieder zurück, und sagt, ob er folgt. Der Bildschirm kann bis zu einer Minute dunkel sein.',
  'screens.test_start': 'Test starten',
  'screens.test_on': 'Eingeschaltet',
  'screens.test_off': 'Ausgeschaltet',
  'screens.test_good': 'Der Bildschirm befolgt HDMI-CEC.',

  'screens.ask': 'Ist der Bildschirm lesbar?',
  'screens.ask_text':
    'Sehen Sie den Bildschirm selbst an. Ohne Antwort kommen die früheren Einstellungen zurück.',
  'screens.left_one': 'Noch {count} Sekunde',
  'screens.left_other': 'Noch {count} Sekunden',
  'screens.undo': 'Rückgängig machen',
  'screens.keep': 'Behalten',
  'screens.restart_ask': 'Das Gerät jetzt neu starten?',
  'screens.restart_text':
    'Die Änderung wirkt nach einem Neustart. Wenn das Gerät wieder da ist, bleiben 15 Sekunden, um zu bestätigen, dass der Bildschirm lesbar ist. Sonst startet es noch einmal mit den früheren Einstellungen.',
  'screens.restart': 'Neu starten',
  'screens.restarting': 'Das Gerät startet für die Änderung neu',
  'screens.restarting_text': 'Lassen Sie diese Seite offen: Sie fragt, ob der Bildschirm lesbar ist.',
  'screens.step_stored': 'Gespeichert',
  'screens.step_restart': 'Neustart',
  'screens.step_screen': 'Bildschirm kommt wieder',
  'screens.undoing': 'Die Änderung wird rückgängig gemacht',
  'screens.undoing_now': 'Das Gerät bekommt die früheren Einstellungen.',
  'screens.undoing_later': 'Das Gerät bekommt die früheren Einstellungen, sobald es erreichbar ist.',
  'screens.returning': 'Das Gerät startet mit den früheren Einstellungen neu.',
  'screens.kept': 'Die Änderung bleibt.',
  'screens.undone_asked': 'Die Änderung wurde rückgängig gemacht.',
  'screens.undone_late': 'Die Änderung wurde rückgängig gemacht, weil sie niemand rechtzeitig bestätigt hat.',
  'screens.undone_lost':
    'Die Änderung wurde rückgängig gemacht, weil die Verbindung vor der Bestätigung abgebrochen ist.',
  'screens.undone_left':
    'Die Änderung wurde rückgängig gemacht, weil diese Seite vor der Bestätigung verlassen wurde.',
  'screens.undone_no_restart':
    'Die Änderung wurde rückgängig gemacht, weil das Gerät dafür nicht neu gestartet ist.',

  'screens.schedule': 'Wann der Bildschirm an ist',
  'screens.schedule_text':
    'Das Gerät schaltet den Bildschirm zu diesen Zeiten über HDMI-CEC. Zeitzone des Geräts: {zone}. Drücken Sie auf einen Tag, um ihn zu ändern.',
  'screens.schedule_none': 'Es sind keine Zeiten gesetzt: Das Gerät schaltet den Bildschirm nie von selbst.',
  'screens.schedule_saved': 'Die Zeiten sind gespeichert.',
  'screens.schedule_full':
    'Das Gerät nimmt höchstens {most} verschiedene Zeiten. Benutzen Sie die gleichen Zeiten an mehreren Tagen, oder entfernen Sie einige.',
  'screens.time_missing':
    'Eine Zeit ist nicht vollständig. Geben Sie Stunden und Minuten ein, oder entfernen Sie sie.',
  'screens.discard': 'Änderungen verwerfen',
  'screens.times_of': 'Zeiten: {day}',
  'screens.no_times': 'Keine Zeiten',
  'screens.no_times_text': 'An diesem Tag wird der Bildschirm nicht eingeschaltet.',
  'screens.add_times': 'Zeiten hinzufügen',
  'screens.copy_day': 'Auf andere Tage kopieren',
  'screens.on_at': 'An',
  'screens.off_at': 'Aus',
  'screens.off_next_day': 'Aus, am nächsten Tag',
  'screens.remove_times': '{times} entfernen',
  'screens.all_day': 'Ganzer Tag',
  'screens.range': '{on} – {off}',
  'screens.range_next_day': '{on} – {off} (nächster Tag)',
  'screens.copy_title': 'Die Zeiten kopieren: {day}',
  'screens.copy_text': 'Sie ersetzen die Zeiten der gewählten Tage.',
  'screens.copy': 'Kopieren',
  'screens.all_days': 'Alle Tage',
  'screens.no_day': 'Kein Tag',
};
