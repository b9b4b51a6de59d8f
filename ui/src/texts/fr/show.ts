import type { show as en } from '../en/show.ts';

export const show: Record<keyof typeof en, string> = {
  'show.title': 'Afficher',
  'show.now': 'Maintenant',
  'show.url': 'Page web',
  'show.address': 'Adresse',
  'show.address_hint': 'Commence par http:// ou https://',
  'show.address_invalid':
    'L’appareil ne peut pas afficher cette adresse. Elle commence par http:// ou https://.',
  'show.show': 'Afficher',
  'show.show_what': 'Afficher {what}',
  'show.history': 'Déjà affiché depuis ce navigateur',
  'show.forget': 'Retirer {what} de la liste',
  'show.bundles': 'Sur l’appareil',
  'show.no_bundles': 'Pas encore de paquets',
  'show.no_bundles_do': 'Un paquet est une archive zip avec une application web qui marche sans réseau.',
  'show.waiting': 'Page d’attente',
  'show.waiting_text': 'La page intégrée, avec le nom de l’appareil et comment le joindre.',
  'show.current': 'À l’écran',
  'show.reload': 'Recharger',
  'show.restart': 'Redémarrer le navigateur',
  'show.restart_text':
    'Après un redémarrage du navigateur, l’écran est noir quelques secondes. Ce qui est affiché revient de lui-même.',
  'show.sent': 'Envoyé',
  'show.loading': 'Chargement',
  'show.on_screen': 'À l’écran',
  'show.failed': 'Échec',
  'show.replaced': 'Autre chose a été demandé entre-temps.',
};
