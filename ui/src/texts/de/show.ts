import type { show as en } from '../en/show.ts';

export const show: Record<keyof typeof en, string> = {
  'show.title': 'Zeigen',
  'show.now': 'Jetzt',
  'show.url': 'Webseite',
  'show.address': 'Adresse',
  'show.address_hint': 'Beginnt mit http:// oder https://',
  'show.address_invalid': 'Diese Adresse kann das Gerät nicht zeigen. Sie beginnt mit http:// oder https://.',
  'show.show': 'Zeigen',
  'show.show_what': '{what} zeigen',
  'show.history': 'Von diesem Browser aus schon gezeigt',
  'show.forget': '{what} aus der Liste entfernen',
  'show.bundles': 'Auf dem Gerät',
  'show.no_bundles': 'Noch keine Pakete',
  'show.no_bundles_do': 'Ein Paket ist ein Zip-Archiv mit einer Web-App, die ohne Netzwerk läuft.',
  'show.waiting': 'Warteseite',
  'show.waiting_text': 'Die eingebaute Seite mit dem Namen des Geräts und wie man es erreicht.',
  'show.current': 'Auf dem Bildschirm',
  'show.reload': 'Neu laden',
  'show.restart': 'Browser neu starten',
  'show.restart_text':
    'Nach einem Neustart des Browsers ist der Bildschirm einige Sekunden dunkel. Was gezeigt wird, kommt von selbst wieder.',
  'show.sent': 'Gesendet',
  'show.loading': 'Wird geladen',
  'show.on_screen': 'Auf dem Bildschirm',
  'show.failed': 'Fehlgeschlagen',
  'show.replaced': 'Inzwischen wurde etwas anderes verlangt.',
};
