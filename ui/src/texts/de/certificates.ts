import type { certificates as en } from '../en/certificates.ts';

export const certificates: Record<keyof typeof en, string> = {
  'certificates.title': 'Zertifikate',
  'certificates.problems': 'Was Aufmerksamkeit braucht',
  'certificates.is_valid': 'Noch {time} gültig',
  'certificates.is_soon': 'Läuft in {time} ab',
  'certificates.is_expired': 'Seit {time} abgelaufen',
  'certificates.is_future': 'Wird in {time} gültig',
  'certificates.is_unknown': 'Gültigkeit unbekannt',
  'certificates.period': 'Von {from} bis {to}',
  'certificates.issued_by': 'Ausgestellt von {name}',
  'certificates.self': 'sich selbst',
  'certificates.unnamed': 'Ohne Namen',
  'certificates.subject': 'Inhaber',
  'certificates.issuer': 'Aussteller',
  'certificates.names': 'Gültig für',
  'certificates.validity': 'Gültigkeit',
  'certificates.fingerprint': 'Fingerabdruck (SHA-256)',

  'certificates.chosen': 'Ausgewählte Dateien',
  'certificates.leave_out': '{name} weglassen',
  'certificates.unusable': 'Nicht verwendbar',
  'certificates.part_certificate_one': '{count} Zertifikat',
  'certificates.part_certificate_other': '{count} Zertifikate',
  'certificates.part_key_one': '{count} privater Schlüssel',
  'certificates.part_key_other': '{count} private Schlüssel',
  'certificates.part_encrypted_key_one': '{count} verschlüsselter privater Schlüssel',
  'certificates.part_encrypted_key_other': '{count} verschlüsselte private Schlüssel',
  'certificates.part_request_one': '{count} Zertifikatsanfrage',
  'certificates.part_request_other': '{count} Zertifikatsanfragen',
  'certificates.part_public_key_one': '{count} öffentlicher Schlüssel',
  'certificates.part_public_key_other': '{count} öffentliche Schlüssel',
  'certificates.part_other_one': '{count} unbekannter Block',
  'certificates.part_other_other': '{count} unbekannte Blöcke',
  'certificates.file_unknown': 'Das ist weder eine PEM-Datei noch ein Zertifikat.',
  'certificates.file_incomplete':
    'Die Datei ist abgeschnitten: Eine END-Zeile fehlt. Die Datei noch einmal kopieren.',
  'certificates.file_package':
    'Das ist eine PKCS#12-Datei. In PEM ohne Passwort umwandeln: openssl pkcs12 -in FILE -out NEW.pem -nodes',
  'certificates.file_too_large': 'Die Datei ist größer als 1 MiB.',

  'certificates.server': 'Zertifikat des Geräts (HTTPS)',
  'certificates.server_text':
    'Damit sind diese Seite und die API über das Kabel auch mit https:// erreichbar. http:// funktioniert weiter.',
  'certificates.server_none': 'Kein Zertifikat, also kein HTTPS',
  'certificates.server_none_do': 'Unten ein Zertifikat und dessen privaten Schlüssel auswählen.',
  'certificates.role_server': 'Des Geräts',
  'certificates.role_chain': 'Einer Stelle in seiner Kette',
  'certificates.not_for': 'Nicht für die Adresse {host}',
  'certificates.not_for_do': 'Unter der jetzt benutzten Adresse warnen Browser davor. Es gilt für: {names}.',
  'certificates.server_upload': 'Ein Zertifikat hochladen',
  'certificates.server_replace': 'Das Zertifikat ersetzen',
  'certificates.server_drop': 'Zertifikat und privaten Schlüssel hier ablegen',
  'certificates.server_drop_hint':
    'PEM, in einer Datei oder mehreren: Zertifikat, Schlüssel und, falls vorhanden, die Kette',
  'certificates.server_use': 'Dieses Zertifikat benutzen',
  'certificates.server_used': 'Das Zertifikat ist in Gebrauch',
  'certificates.server_certificate_missing': 'Das Zertifikat fehlt. Auch dessen Datei auswählen.',
  'certificates.server_key_missing': 'Der private Schlüssel fehlt. Auch dessen Datei auswählen.',
  'certificates.server_key_encrypted':
    'Der private Schlüssel hat ein Passwort, das das Gerät nicht eingeben kann. Es entfernen: openssl pkey -in KEY -out NEW.pem',
  'certificates.server_keys':
    'Es ist mehr als ein privater Schlüssel dabei. Die von anderen Zertifikaten weglassen.',
  'certificates.server_strange':
    'Es ist etwas anderes als Zertifikate und ein privater Schlüssel dabei. Diese Datei weglassen.',
  'certificates.step_certificate': 'Zertifikat',
  'certificates.step_key': 'Privater Schlüssel',
  'certificates.step_trial': 'Vom Gerät ausprobiert',
  'certificates.step_used': 'In Gebrauch',
  'certificates.trial':
    'Vor dem Gebrauch verbindet sich das Gerät damit mit sich selbst, wie ein Browser. Würde ein Browser es ablehnen, nennt das Gerät den Grund, und das bisherige bleibt in Gebrauch.',
  'certificates.replace_title': 'Das Zertifikat ersetzen?',
  'certificates.replace_text':
    'Diese Seite läuft weiter. Die nächste Verbindung benutzt das neue Zertifikat: Vertraut der Browser ihm nicht, warnt er oder lädt die Seite nicht. Dann http:// statt https:// benutzen.',
  'certificates.replace_name':
    'Das Gerät antwortet auf den Namen {host} nur, weil er im Zertifikat steht. Fehlt er im neuen, endet diese Verbindung: Das Gerät dann mit seiner IP-Adresse öffnen.',
  'certificates.server_remove': 'Zertifikat entfernen',
  'certificates.server_removed': 'HTTPS ist aus',
  'certificates.server_remove_title': 'Zertifikat und Schlüssel entfernen?',
  'certificates.server_remove_text':
    'HTTPS endet sofort, auch für andere Programme. Sie erreichen das Gerät dann über http://.',
  'certificates.cut_https':
    'Diese Seite wurde über HTTPS geöffnet, ihre Verbindung endet also. Weiter geht es unter {address}',
  'certificates.cut_name':
    'Das Gerät antwortet auf den Namen {host} nur wegen dieses Zertifikats. Danach mit seiner IP-Adresse öffnen.',

  'certificates.ca': 'Vertraute Zertifizierungsstellen',
  'certificates.ca_text':
    'Zertifikate einer eigenen Zertifizierungsstelle, für von ihr signierte Seiten und Update-Server. Die des Webs sind eingebaut.',
  'certificates.ca_none': 'Nur die eingebauten Stellen',
  'certificates.ca_none_do': 'Eine hinzufügen, wenn Seiten wegen ihres Zertifikats abgelehnt werden.',
  'certificates.ca_add_title': 'Zertifizierungsstellen hinzufügen',
  'certificates.ca_drop': 'Zertifikate von Zertifizierungsstellen hier ablegen',
  'certificates.ca_drop_hint': 'PEM mit einem oder mehreren Zertifikaten, oder eine binäre .cer-Datei',
  'certificates.ca_restart':
    'Bei jeder Änderung startet der Browser neu: Der Bildschirm ist einige Sekunden dunkel und zeigt dann dieselbe Seite.',
  'certificates.ca_add': 'Hinzufügen',
  'certificates.ca_added': 'Den Zertifizierungsstellen wird vertraut',
  'certificates.ca_certificate_missing': 'In der Datei ist kein Zertifikat.',
  'certificates.ca_key_inside':
    'In der Datei ist ein privater Schlüssel. Ihn geheim halten und nur das Zertifikat auswählen.',
  'certificates.ca_strange': 'In der Datei ist etwas anderes als Zertifikate. Sie weglassen.',
  'certificates.ca_remove': 'Entfernen',
  'certificates.ca_remove_what': '{name} entfernen',
  'certificates.ca_remove_title': '{name} entfernen?',
  'certificates.ca_remove_all': 'Alle entfernen',
  'certificates.ca_remove_all_title': 'Alle Zertifizierungsstellen entfernen?',
  'certificates.ca_remove_text':
    'Seiten, die sie signiert haben, werden danach abgelehnt. Der Browser startet neu, und der Bildschirm ist einige Sekunden dunkel.',
  'certificates.ca_removed': 'Die Zertifizierungsstellen sind geändert',
  'certificates.more_one': '{count} weiteres ist nicht aufgeführt.',
  'certificates.more_other': '{count} weitere sind nicht aufgeführt.',
};
