import type { certificates as en } from '../en/certificates.ts';

export const certificates: Record<keyof typeof en, string> = {
  'certificates.title': 'Certificats',
  'certificates.problems': 'À surveiller',
  'certificates.is_valid': 'Valable encore {time}',
  'certificates.is_soon': 'Expire dans {time}',
  'certificates.is_expired': 'Expiré depuis {time}',
  'certificates.is_future': 'Valable dans {time}',
  'certificates.is_unknown': 'Validité inconnue',
  'certificates.period': 'Du {from} au {to}',
  'certificates.issued_by': 'Émis par {name}',
  'certificates.self': 'lui-même',
  'certificates.unnamed': 'Sans nom',
  'certificates.subject': 'Sujet',
  'certificates.issuer': 'Émetteur',
  'certificates.names': 'Valable pour',
  'certificates.validity': 'Validité',
  'certificates.fingerprint': 'Empreinte (SHA-256)',

  'certificates.chosen': 'Fichiers choisis',
  'certificates.leave_out': 'Écarter {name}',
  'certificates.unusable': 'Inutilisable',
  'certificates.part_certificate_one': '{count} certificat',
  'certificates.part_certificate_other': '{count} certificats',
  'certificates.part_key_one': '{count} clé privée',
  'certificates.part_key_other': '{count} clés privées',
  'certificates.part_encrypted_key_one': '{count} clé privée chiffrée',
  'certificates.part_encrypted_key_other': '{count} clés privées chiffrées',
  'certificates.part_request_one': '{count} demande de certificat',
  'certificates.part_request_other': '{count} demandes de certificat',
  'certificates.part_public_key_one': '{count} clé publique',
  'certificates.part_public_key_other': '{count} clés publiques',
  'certificates.part_other_one': '{count} bloc inconnu',
  'certificates.part_other_other': '{count} blocs inconnus',
  'certificates.file_unknown': 'Ce n’est ni un fichier PEM ni un certificat.',
  'certificates.file_incomplete': 'Le fichier est coupé : une ligne END manque. Copiez-le de nouveau.',
  'certificates.file_package':
    'C’est un fichier PKCS#12. Convertissez-le en PEM sans mot de passe : openssl pkcs12 -in FILE -out NEW.pem -nodes',
  'certificates.file_too_large': 'Le fichier dépasse 1 Mio.',

  'certificates.server': 'Certificat de l’appareil (HTTPS)',
  'certificates.server_text':
    'Avec lui, cette page et l’API sont aussi accessibles en https:// par le câble. http:// continue de fonctionner.',
  'certificates.server_none': 'Pas de certificat, donc pas de HTTPS',
  'certificates.server_none_do': 'Choisissez ci-dessous un certificat et sa clé privée.',
  'certificates.role_server': 'De l’appareil',
  'certificates.role_chain': 'D’une autorité de sa chaîne',
  'certificates.not_for': 'Pas pour l’adresse {host}',
  'certificates.not_for_do':
    'À l’adresse que vous utilisez, les navigateurs avertiront. Il est pour : {names}.',
  'certificates.server_upload': 'Téléverser un certificat',
  'certificates.server_replace': 'Remplacer le certificat',
  'certificates.server_drop': 'Déposez ici le certificat et sa clé privée',
  'certificates.server_drop_hint':
    'PEM, en un ou plusieurs fichiers : certificat, clé et, s’il y en a une, la chaîne',
  'certificates.server_use': 'Utiliser ce certificat',
  'certificates.server_used': 'Le certificat est utilisé',
  'certificates.server_certificate_missing': 'Le certificat manque. Choisissez aussi son fichier.',
  'certificates.server_key_missing': 'La clé privée manque. Choisissez aussi son fichier.',
  'certificates.server_key_encrypted':
    'La clé privée a un mot de passe, que l’appareil ne peut pas saisir. Retirez-le : openssl pkey -in KEY -out NEW.pem',
  'certificates.server_keys': 'Il y a plus d’une clé privée. Écartez celles d’autres certificats.',
  'certificates.server_strange':
    'Il y a autre chose que des certificats et une clé privée. Écartez ce fichier.',
  'certificates.step_certificate': 'Certificat',
  'certificates.step_key': 'Clé privée',
  'certificates.step_trial': 'Essayé par l’appareil',
  'certificates.step_used': 'Utilisé',
  'certificates.trial':
    'Avant de l’utiliser, l’appareil se connecte à lui-même avec, comme un navigateur. Si un navigateur le refusait, l’appareil dit pourquoi et garde le précédent.',
  'certificates.replace_title': 'Remplacer le certificat ?',
  'certificates.replace_text':
    'Cette page continue. La prochaine connexion utilisera le nouveau certificat : si votre navigateur ne lui fait pas confiance, il avertit ou ne charge pas la page. Utilisez alors http:// au lieu de https://.',
  'certificates.replace_name':
    'L’appareil ne répond au nom {host} que parce que son certificat le contient. S’il manque dans le nouveau, cette connexion s’arrête : ouvrez alors l’appareil par son adresse IP.',
  'certificates.server_remove': 'Supprimer le certificat',
  'certificates.server_removed': 'HTTPS est désactivé',
  'certificates.server_remove_title': 'Supprimer le certificat et sa clé ?',
  'certificates.server_remove_text':
    'HTTPS s’arrête aussitôt, aussi pour les autres programmes. Ils joindront l’appareil par http://.',
  'certificates.cut_https':
    'Cette page a été ouverte par HTTPS : sa connexion s’arrête. Continuez à l’adresse {address}',
  'certificates.cut_name':
    'L’appareil ne répond au nom {host} que grâce à ce certificat. Ensuite, ouvrez-le par son adresse IP.',

  'certificates.ca': 'Autorités de confiance',
  'certificates.ca_text':
    'Certificats de votre propre autorité, pour les pages et serveurs de mise à jour qu’elle a signés. Celles du web sont intégrées.',
  'certificates.ca_none': 'Seulement les autorités intégrées',
  'certificates.ca_none_do': 'Ajoutez-en une si des pages sont refusées à cause de leur certificat.',
  'certificates.ca_add_title': 'Ajouter des autorités',
  'certificates.ca_drop': 'Déposez ici des certificats d’autorités',
  'certificates.ca_drop_hint': 'PEM avec un ou plusieurs certificats, ou un fichier .cer binaire',
  'certificates.ca_restart':
    'À chaque changement, le navigateur redémarre : l’écran est noir quelques secondes, puis montre la même page.',
  'certificates.ca_add': 'Ajouter',
  'certificates.ca_added': 'Les autorités sont de confiance',
  'certificates.ca_certificate_missing': 'Il n’y a pas de certificat dans le fichier.',
  'certificates.ca_key_inside':
    'Il y a une clé privée dans le fichier. Gardez-la secrète et ne choisissez que le certificat.',
  'certificates.ca_strange': 'Il y a autre chose que des certificats dans le fichier. Écartez-le.',
  'certificates.ca_remove': 'Supprimer',
  'certificates.ca_remove_what': 'Supprimer {name}',
  'certificates.ca_remove_title': 'Supprimer {name} ?',
  'certificates.ca_remove_all': 'Tout supprimer',
  'certificates.ca_remove_all_title': 'Supprimer toutes les autorités ?',
  'certificates.ca_remove_text':
    'Les pages qu’elles ont signées seront refusées. Le navigateur redémarre et l’écran est noir quelques secondes.',
  'certificates.ca_removed': 'Les autorités ont changé',
  'certificates.more_one': '{count} autre n’est pas affiché.',
  'certificates.more_other': '{count} autres ne sont pas affichés.',
};
