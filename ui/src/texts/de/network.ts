import type { network as en } from '../en/network.ts';

export const network: Record<keyof typeof en, string> = {
  'network.title': 'Netzwerk',
  'network.yours': 'Diese Verbindung',
  'network.address': 'Adresse im Browser',
  'network.over': 'Schnittstelle',
  'network.over_local':
    'Eine Adresse des eigenen Computers: Das Gerät läuft darauf, oder ein Port wird an das Gerät weitergeleitet.',
  'network.over_unknown':
    'An der Adresse im Browser ist das nicht zu erkennen. Mit einer IP-Adresse des Geräts geöffnet, steht es hier.',
  'network.encryption': 'Verschlüsselung',
  'network.encrypted': 'Verschlüsselt (HTTPS)',
  'network.not_encrypted': 'Nicht verschlüsselt (HTTP)',
  'network.certificates': 'Zertifikate',
  'network.safe': 'Nichts auf dieser Seite unterbricht die Verbindung zum Gerät.',
  'network.safe_https': 'Sie endet, wenn das Zertifikat des Geräts entfernt wird.',

  'network.interfaces': 'Schnittstellen des Geräts',
  'network.none': 'Keine Schnittstelle',
  'network.none_do': 'Ein Kabel anschließen oder WLAN einschalten.',
  'network.more_one': '{count} weitere ist nicht aufgeführt.',
  'network.more_other': '{count} weitere sind nicht aufgeführt.',
  'network.kind_cable': 'Kabel zum Computer',
  'network.kind_ethernet': 'Ethernet',
  'network.kind_wifi': 'WLAN',
  'network.kind_modem': 'Mobilfunk',
  'network.kind_virtual': 'Virtuell oder anderes',
  'network.own': 'Diese Verbindung',
  'network.has_address': 'Hat eine Adresse',
  'network.link_local': 'Nur lokale Adresse',
  'network.link_local_do': 'Kein Router hat eine Adresse vergeben. Router (DHCP) und Kabel prüfen.',
  'network.no_address': 'Keine Adresse',

  'network.access': 'Zugriff auf den Computer',
  'network.host_services': 'Seiten dürfen Dienste des Computers am Kabel nutzen',
  'network.host_services_hint':
    'Nötig für Seiten, die dieser Computer bereitstellt, und für einen Proxy darauf. Sonst ausgeschaltet lassen.',
  'network.debugging': 'Web-Inspektor auf Port 9222',
  'network.debugging_hint':
    'Für Entwickler. Es gibt kein Passwort: nur einschalten, solange es gebraucht wird. Der Browser startet neu, und der Bildschirm ist einige Sekunden dunkel.',
  'network.not_here':
    'Dieses Gerät ist ein gewöhnlicher Computer: Die Einstellung wird gespeichert, hat dort aber keine Wirkung.',

  'network.proxy': 'Proxy',
  'network.proxy_mode': 'Wie Seiten das Internet erreichen',
  'network.proxy_none': 'Direkt',
  'network.proxy_manual': 'Über einen Proxy',
  'network.proxy_pac': 'Wie ein Skript es sagt (PAC)',
  'network.proxy_hint': 'Eine Änderung startet den Browser neu: Der Bildschirm ist einige Sekunden dunkel.',
  'network.for_http': 'Proxy für http-Seiten',
  'network.for_https': 'Proxy für https-Seiten',
  'network.for_hint': 'Leer: ohne Proxy',
  'network.for_missing': 'Hier oder im nächsten Feld die Adresse eines Proxys eingeben.',
  'network.except': 'Ohne den Proxy erreicht',
  'network.except_hint': 'Hosts, Domänen, Adressen oder Netze, durch Leerzeichen getrennt',
  'network.script': 'Adresse des Skripts',
  'network.script_missing': 'Die Adresse des Skripts eingeben.',
  'network.discard': 'Änderungen verwerfen',
  'network.saved': 'Gespeichert',

  'network.time': 'Zeitserver',
  'network.servers': 'Server',
  'network.servers_hint': 'Einer je Zeile, höchstens {most}. Leer: die der Firmware.',
  'network.servers_many': 'Das sind mehr als {most}. Einige entfernen.',
  'network.more_settings': 'Alle Einstellungen',
};
