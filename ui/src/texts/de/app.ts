import type { app as en } from '../en/app.ts';

export const app: Record<keyof typeof en, string> = {
  'app.skip': 'Zum Inhalt springen',
  'app.menu': 'Menü',
  'app.close': 'Schließen',
  'app.cancel': 'Abbrechen',
  'app.save': 'Speichern',
  'app.show_secret': '{what} anzeigen',
  'app.choose_file': 'Datei auswählen',
  'app.try_again': 'Noch einmal versuchen',
  'app.reload': 'Seite neu laden',
  'app.more': 'Einzelheiten',
  'app.loading': 'Wird geladen',
  'app.views': 'Ansichten',
  'app.messages': 'Meldungen',
  'app.api': 'API-Dokumentation',
  'app.preferences': 'Einstellungen der App',
  'app.language': 'Sprache',
  'app.theme': 'Darstellung',
  'app.theme_system': 'System',
  'app.theme_light': 'Hell',
  'app.theme_dark': 'Dunkel',
  'app.crashed': 'Diese Ansicht ist fehlgeschlagen',
  'app.crashed_do':
    'Der Rest der App funktioniert. Laden Sie die Seite neu, und melden Sie die Einzelheiten, falls es wieder geschieht.',
  'app.updated':
    'Das Gerät hat jetzt Version {version}. Laden Sie diese Seite neu, um die neue App zu benutzen.',

  'nav.screen': 'Bildschirm',
  'nav.connections': 'Verbindungen',
  'nav.diagnosis': 'Diagnose',
  'nav.device': 'Gerät',

  'link.online': 'Verbunden',
  'link.connecting': 'Verbindet',
  'link.offline': 'Nicht verbunden',
  'link.first': 'Das Gerät hat noch nicht geantwortet. Prüfen Sie das Kabel oder das Netzwerk.',
  'link.lost': 'Verbindung seit {time} unterbrochen. Es wird weiter versucht.',
  'link.reboot': 'Das Gerät startet neu, bisher {time}. Diese Seite kommt von selbst wieder.',
  'link.update': 'Das Gerät startet die Aktualisierung, bisher {time}. Diese Seite kommt von selbst wieder.',
  'link.reset': 'Das Gerät wird zurückgesetzt, bisher {time}. Diese Seite kommt von selbst wieder.',
  'link.shutdown':
    'Das Gerät wurde vor {time} ausgeschaltet. Schalten Sie es an der Stromversorgung wieder ein.',
  'link.retry': 'Jetzt versuchen',

  'code.title': '{what}: die Anfrage als Code',
  'code.language': 'Sprache',
  'code.copy': 'Kopieren',
  'code.copied': 'Kopiert',
  'code.not_copied':
    'Der Browser erlaubt das Kopieren nicht. Markieren Sie den Text, und kopieren Sie ihn selbst.',

  'missing.title': 'Hier ist nichts',
  'missing.text': 'Keine Ansicht hat die Adresse {path}. Sie ist umgezogen, oder der Link ist falsch.',
  'missing.home': 'Zur Übersicht',
};
