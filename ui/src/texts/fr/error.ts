import type { error as en } from '../en/error.ts';

export const error: Record<keyof typeof en, string> = {
  'error.title': 'Le chargement a échoué',
  'error.absent': 'Cet appareil n’en dispose pas',
  'error.aborted': 'C’est annulé.',
  'error.bundle_in_use': 'Le paquet est à l’écran. Affichez d’abord autre chose.',
  'error.bundle_invalid': 'L’archive n’est pas un paquet valide.',
  'error.conflict':
    'L’appareil ne peut pas faire cela maintenant. Attendez qu’il ait fini son travail, puis réessayez.',
  'error.content_not_found': 'L’appareil n’a plus ce paquet.',
  'error.forbidden':
    'L’appareil refuse les requêtes à cette adresse. Ouvrez-le par son adresse IP ou par son propre nom.',
  'error.insufficient_storage': 'Le stockage de l’appareil est plein. Supprimez les paquets inutiles.',
  'error.internal': 'L’appareil n’a pas pu faire cela. La raison est dans son journal.',
  'error.no_result':
    'L’appareil a accepté, mais le résultat n’est pas arrivé à temps. Vérifiez ce que montre l’écran.',
  'error.not_applied':
    'C’est enregistré, mais l’appareil n’a pas pu l’appliquer maintenant. Il le fera après son redémarrage.',
  'error.not_found': 'L’appareil ne connaît pas cela.',
  'error.not_implemented': 'Cette version du micrologiciel ne sait pas faire cela.',
  'error.offline': 'L’appareil est injoignable. Vérifiez le câble ou le réseau, puis réessayez.',
  'error.payload_too_large': 'Le fichier est trop grand.',
  'error.refused': 'L’appareil a refusé.',
  'error.timeout': 'L’appareil n’a pas répondu à temps. Réessayez.',
  'error.too_many_requests': 'L’appareil fait cela trop souvent en même temps. Réessayez dans un instant.',
  'error.unavailable': 'Ce qu’il faut pour cela manque ou ne fonctionne pas maintenant.',
};
