import type { error as en } from '../en/error.ts';

export const error: Record<keyof typeof en, string> = {
  'error.title': 'Das konnte nicht geladen werden',
  'error.absent': 'Dieses Gerät hat das nicht',
  'error.aborted': 'Es wurde abgebrochen.',
  'error.bundle_in_use': 'Das Paket ist auf dem Bildschirm. Zeigen Sie zuerst etwas anderes.',
  'error.bundle_invalid': 'Das Archiv ist kein gültiges Paket.',
  'error.conflict':
    'Das Gerät kann das jetzt nicht tun. Warten Sie, bis es mit seiner Arbeit fertig ist, und versuchen Sie es noch einmal.',
  'error.content_not_found': 'Das Gerät hat dieses Paket nicht mehr.',
  'error.forbidden':
    'Das Gerät lehnt Anfragen unter dieser Adresse ab. Öffnen Sie es unter seiner IP-Adresse oder seinem eigenen Namen.',
  'error.insufficient_storage':
    'Der Speicher des Geräts ist voll. Löschen Sie Pakete, die nicht gebraucht werden.',
  'error.internal': 'Das Gerät ist daran gescheitert. Der Grund steht in seinem Protokoll.',
  'error.no_result':
    'Das Gerät hat den Auftrag angenommen, aber das Ergebnis kam nicht rechtzeitig. Prüfen Sie, was der Bildschirm zeigt.',
  'error.not_applied':
    'Es ist gespeichert, konnte aber gerade nicht wirksam werden. Nach einem Neustart des Geräts ist es wirksam.',
  'error.not_found': 'Das Gerät kennt das nicht.',
  'error.not_implemented': 'Diese Version der Firmware kann das nicht.',
  'error.offline':
    'Das Gerät ist nicht erreichbar. Prüfen Sie das Kabel oder das Netzwerk, und versuchen Sie es noch einmal.',
  'error.payload_too_large': 'Die Datei ist zu groß.',
  'error.refused': 'Das Gerät hat das abgelehnt.',
  'error.timeout': 'Das Gerät hat nicht rechtzeitig geantwortet. Versuchen Sie es noch einmal.',
  'error.too_many_requests':
    'Das Gerät tut das gerade zu oft gleichzeitig. Versuchen Sie es gleich noch einmal.',
  'error.unavailable': 'Was dafür nötig ist, fehlt oder funktioniert gerade nicht.',
};
