import type { maintenance as en } from '../en/maintenance.ts';

export const maintenance: Record<keyof typeof en, string> = {
  'maintenance.title': 'Wartung',
  'maintenance.danger': 'Gefahrenbereich',
  'maintenance.reboot': 'Gerät neu starten',
  'maintenance.reboot_text':
    'Dauert etwa eine Minute. Einstellungen, die auf einen Neustart warten, wirken danach. Nichts wird gelöscht.',
  'maintenance.reboot_question': 'Gerät neu starten?',
  'maintenance.reboot_happens':
    'Der Bildschirm ist etwa eine Minute dunkel. Diese Seite wartet und kommt von selbst wieder.',
  'maintenance.reboot_done':
    'Das Gerät ist neu gestartet und nach {time} wieder da. Version {version} läuft.',
  'maintenance.shutdown': 'Gerät ausschalten',
  'maintenance.shutdown_text':
    'Von hier lässt es sich nicht wieder einschalten: Jemand muss zum Gerät gehen.',
  'maintenance.shutdown_question': 'Gerät ausschalten?',
  'maintenance.shutdown_happens':
    'Der Bildschirm wird dunkel und bleibt es. Zum Einschalten die Stromversorgung trennen und wieder verbinden.',
  'maintenance.reset': 'Auf Werkseinstellungen zurücksetzen',
  'maintenance.reset_short': 'Zurücksetzen',
  'maintenance.reset_text':
    'Löscht alles, was eingerichtet und gespeichert wurde. Das lässt sich nicht rückgängig machen.',
  'maintenance.reset_question': 'Alles auf diesem Gerät löschen?',
  'maintenance.reset_happens':
    'Das Gerät startet leer neu. Ist diese Seite über WLAN verbunden, kommt es dort nicht wieder: Verbinden Sie das Kabel.',
  'maintenance.reset_word': 'Seriennummer des Geräts eintippen',
  'maintenance.reset_done': 'Das Gerät wurde zurückgesetzt und ist nach {time} wieder da.',
  'maintenance.deleted': 'Gelöscht wird',
  'maintenance.deleted_settings': 'Alle Einstellungen, mit Name, Netzwerken und gekoppelten Geräten',
  'maintenance.deleted_content': 'Inhaltspakete und Bilder',
  'maintenance.deleted_certificates': 'Zertifikate',
  'maintenance.deleted_pages': 'Was Seiten gespeichert haben, mit ihren Anmeldungen',
  'maintenance.deleted_log': 'Das Protokoll',
  'maintenance.kept': 'Erhalten bleibt',
  'maintenance.kept_versions': 'Beide Versionen der Firmware',
  'maintenance.kept_serial': 'Die Seriennummer',
  'maintenance.kept_authority': 'Wessen Aktualisierungen angenommen werden',
  'maintenance.accepted': 'Angenommen',
  'maintenance.goes_down': 'Fährt herunter',
  'maintenance.comes_back': 'Startet',
  'maintenance.not_gone':
    'Das Gerät hat es angenommen, läuft aber weiter. Versuchen Sie es noch einmal; hilft das nicht, trennen und verbinden Sie die Stromversorgung.',
  'maintenance.not_back':
    'Das Gerät ist seit einer Viertelstunde nicht zurück. Prüfen Sie Strom und Netzwerk; vielleicht hat es jetzt eine andere Adresse.',
  'maintenance.not_restarted':
    'Nur die Verbindung war unterbrochen: Das Gerät ist nicht neu gestartet. Versuchen Sie es noch einmal.',
  'maintenance.browser': 'Browser des Geräts',
  'maintenance.browser_done': 'Der Browser ist neu gestartet, und der Bildschirm zeigt dasselbe wie vorher.',
  'maintenance.clear_data': 'Cookies, Anmeldungen und was Seiten gespeichert haben, werden hier gelöscht:',
  'maintenance.diagnostics': 'Diagnose',
  'maintenance.diagnostics_text':
    'Eine Datei mit dem Zustand des Geräts, seinen Einstellungen ohne Passwörter und dem Protokoll eines Tages: für alle, die die Ursache eines Problems suchen. Sie enthält Adressen von Seiten und Namen von Netzwerken.',
  'maintenance.diagnostics_picture': 'Mit einem Bild dessen, was der Bildschirm zeigt',
  'maintenance.diagnostics_collecting': 'Wird gesammelt',
  'maintenance.diagnostics_get': 'Herunterladen',
  'maintenance.diagnostics_done': 'Die Datei liegt bei den Downloads dieses Browsers.',
  'maintenance.pictures': 'Logo',
  'maintenance.pictures_text':
    'Was der Bildschirm zeigt, solange keine Seite da ist. Die Bilder stehen in der Mitte und werden verkleinert, wenn sie nicht passen.',
  'maintenance.picture_boot': 'Beim Start und auf der Warteseite',
  'maintenance.picture_shutdown': 'Beim Herunterfahren',
  'maintenance.picture_drop': 'Bild hier ablegen: {what}',
  'maintenance.picture_hint': 'PNG, höchstens 4 MB',
  'maintenance.picture_not_png':
    'Diese Datei ist kein PNG-Bild. Speichern Sie sie als PNG, und wählen Sie sie noch einmal.',
  'maintenance.picture_too_large':
    'Dieses Bild hat mehr als 4 MB. Verkleinern Sie es, und wählen Sie es noch einmal.',
  'maintenance.picture_too_many_pixels':
    'Dieses Bild hat zu viele Pixel: höchstens 8192 je Seite und 33 Millionen im Ganzen. Verkleinern Sie es, und wählen Sie es noch einmal.',
  'maintenance.picture_remove': 'Entfernen',
  'maintenance.picture_remove_what': 'Bild entfernen: {what}',
  'maintenance.picture_use': 'Dieses Bild benutzen',
  'maintenance.picture_use_what': 'Bild setzen: {what}',
  'maintenance.picture_happens': 'Es ersetzt das Bild davor. „Entfernen“ bringt das eingebaute zurück.',
  'maintenance.picture_done': 'Das Gerät hat das Bild jetzt.',
  'maintenance.picture_removed': 'Das Bild wurde entfernt.',
};
