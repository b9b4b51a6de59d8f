import type { events as en } from '../en/events.ts';

export const events: Record<keyof typeof en, string> = {
  'events.title': 'Ereignisse',
  'events.live': 'Was jetzt geschieht',
  'events.about':
    'Das Gerät meldet, was sich ändert, sobald es geschieht. Nichts davon wird gespeichert: Aufgeführt ist nur, was geschieht, während diese Ansicht offen ist. Passwörter sind verborgen.',
  'events.topic': 'Thema',
  'events.all_topics': 'Alle Themen',
  'events.chosen_one': 'Themen: {count} wird verfolgt',
  'events.chosen_other': 'Themen: {count} werden verfolgt',
  'events.usual': 'Die üblichen',
  'events.all': 'Alle',
  'events.none': 'Keine',
  'events.copy_frame': 'Abonnement kopieren',
  'events.empty': 'Noch ist nichts geschehen',
  'events.empty_do': 'Etwas ändern, zum Beispiel eine andere Seite zeigen, oder mehr Themen verfolgen.',
  'events.no_topics': 'Kein Thema wird verfolgt',
  'events.no_topics_do': 'Oben Themen auswählen.',
  'events.group_screen': 'Bildschirm',
  'events.group_page': 'Seite',
  'events.group_connections': 'Verbindungen',
  'events.group_device': 'Gerät',
  'events.topic_display_state': 'Was der Bildschirm zeigt, ob es lädt und warum es fehlgeschlagen ist.',
  'events.topic_splash_changed': 'Das Bild beim Start oder beim Ausschalten wurde geändert.',
  'events.topic_input_raw':
    'Jede Berührung und jeder Klick auf dem Bildschirm. Viele in der Sekunde, während jemand ihn benutzt.',
  'events.topic_page_channel': 'Die Seite hat ihren Kanal für Nachrichten geöffnet oder geschlossen.',
  'events.topic_page_message':
    'Nachrichten der Seite an ihre Hosts. Die Seite wartet, bis jeder Host sie gelesen hat.',
  'events.topic_page_console':
    'Die JavaScript-Konsole der Seite. Das Gerät sammelt sie nur für die, die sie verfolgen.',
  'events.topic_network_changed': 'Hostname, Schnittstellen oder Adressen haben sich geändert.',
  'events.topic_wifi_changed':
    'WLAN wurde geschaltet, ist verbunden, hat sein Netz verloren oder eine Suche beendet.',
  'events.topic_bluetooth_changed': 'Der Bluetooth-Adapter oder eines seiner Geräte hat sich geändert.',
  'events.topic_peripherals_changed':
    'Ein Peripheriegerät wurde ein- oder ausgesteckt, von einer Seite geöffnet oder geschlossen, oder seine Erlaubnis hat sich geändert.',
  'events.topic_nfc_tag': 'Ein Tag ist bei einem Lesegerät.',
  'events.topic_nfc_tag_removed': 'Das Tag ist nicht mehr beim Lesegerät.',
  'events.topic_nfc_reader_connected': 'Ein Lesegerät wurde angeschlossen.',
  'events.topic_nfc_reader_disconnected': 'Ein Lesegerät wurde getrennt.',
  'events.topic_operation': 'Wie weit Uploads und Installationen sind.',
  'events.topic_update_changed':
    'Die beiden Systeme des Geräts: eine Installation, ihr Start oder ihre Bestätigung.',
  'events.topic_certificates_changed': 'Ein Zertifikat wurde gespeichert, ersetzt oder entfernt.',
  'events.topic_config_changed': 'Einstellungen wurden geändert, mit allen, wie sie jetzt sind.',
  'events.topic_health': 'Arbeitsspeicher, Speicherplatz, Temperatur und mehr, alle paar Sekunden.',
  'events.topic_log': 'Neue Zeilen des Protokolls. Es können viele sein.',
};
