import type { bluetooth as en } from '../en/bluetooth.ts';

export const bluetooth: Record<keyof typeof en, string> = {
  'bluetooth.title': 'Bluetooth',
  'bluetooth.adapter': 'Radio',
  'bluetooth.name': 'Nom visible par les autres',
  'bluetooth.address': 'Adresse',
  'bluetooth.on': 'Activée',
  'bluetooth.off': 'Désactivée',
  'bluetooth.searching': 'Recherche',
  'bluetooth.enabled': 'Utiliser Bluetooth',
  'bluetooth.enabled_hint':
    'Sans Bluetooth, les claviers et souris associés ne font rien. Ils restent associés.',
  'bluetooth.powered': 'Radio activée',
  'bluetooth.powered_hint':
    'Provisoire : après un redémarrage de l’appareil, la radio est de nouveau activée.',
  'bluetooth.discoverable': 'Visible par les autres',
  'bluetooth.discoverable_hint':
    'Toute personne à proximité peut alors s’associer, mais pas taper. À désactiver ensuite.',

  'bluetooth.unsupported': 'Cet appareil n’a pas de Bluetooth',
  'bluetooth.unsupported_do': 'Branchez claviers, souris et lecteurs en USB.',
  'bluetooth.disabled': 'Bluetooth est désactivé',
  'bluetooth.disabled_text': 'Pour les claviers, souris, lecteurs de codes-barres et télécommandes.',
  'bluetooth.enable': 'Activer Bluetooth',
  'bluetooth.unavailable': 'Bluetooth ne fonctionne pas maintenant',
  'bluetooth.unavailable_do':
    'Le démarrage peut prendre quelques secondes. Si rien ne vient, redémarrez l’appareil.',
  'bluetooth.not_started':
    'Le réglage est enregistré, mais Bluetooth ne démarre pas. Vérifiez l’interrupteur de la radio, ou redémarrez l’appareil.',

  'bluetooth.known': 'Périphériques associés',
  'bluetooth.none_known': 'Aucun périphérique n’est encore associé. Lancez la recherche plus bas.',
  'bluetooth.known_hint':
    'Un périphérique associé se connecte de lui-même quand on l’utilise. Pour le déconnecter définitivement, oubliez-le.',
  'bluetooth.connected': 'Connecté',
  'bluetooth.not_now': 'Non connecté',
  'bluetooth.untrusted': 'Ne peut pas taper',
  'bluetooth.untrusted_hint':
    'Ce périphérique s’est associé de lui-même. Il ne peut taper qu’avec votre autorisation.',
  'bluetooth.trust': 'Autoriser',
  'bluetooth.trust_what': 'Autoriser {name} à taper',
  'bluetooth.connect': 'Connecter',
  'bluetooth.connect_what': 'Connecter {name}',
  'bluetooth.not_connected':
    'Le périphérique ne s’est pas connecté. Allumez-le, rapprochez-le, ou appuyez sur une de ses touches.',
  'bluetooth.forget': 'Oublier',
  'bluetooth.forget_what': 'Oublier {name}',
  'bluetooth.forget_ask': 'Oublier {name} ?',
  'bluetooth.forget_text':
    'Il est déconnecté et ne peut plus taper. Pour s’en servir de nouveau, il faut l’associer de nouveau.',
  'bluetooth.forgotten': '{name} est oublié.',

  'bluetooth.found': 'Périphériques à proximité',
  'bluetooth.search': 'Rechercher',
  'bluetooth.stop': 'Arrêter la recherche',
  'bluetooth.searching_text': 'Recherche en cours. Elle s’arrête d’elle-même après deux minutes.',
  'bluetooth.off_text': 'La radio est désactivée. Activez-la pour rechercher.',
  'bluetooth.none_found': 'Rien trouvé',
  'bluetooth.none_found_do':
    'Mettez le périphérique en mode d’association : sa notice dit comment. Puis recherchez.',
  'bluetooth.unnamed_one': 'Montrer aussi {count} périphérique sans nom',
  'bluetooth.unnamed_other': 'Montrer aussi {count} périphériques sans nom',
  'bluetooth.pair': 'Associer',
  'bluetooth.pair_what': 'Associer {name}',
  'bluetooth.notice': '{name} est en cours d’association.',
  'bluetooth.notice_passkey': '{name} est en cours d’association. Ses chiffres : {passkey}',

  'bluetooth.kind_keyboard': 'Clavier',
  'bluetooth.kind_mouse': 'Souris',
  'bluetooth.kind_gamepad': 'Manette de jeu',
  'bluetooth.kind_tablet': 'Tablette graphique',
  'bluetooth.kind_phone': 'Téléphone',
  'bluetooth.kind_computer': 'Ordinateur',
  'bluetooth.kind_sound': 'Son',
  'bluetooth.kind_unknown': 'Type inconnu',
  'bluetooth.signal_strong': 'signal fort',
  'bluetooth.signal_medium': 'signal moyen',
  'bluetooth.signal_weak': 'signal faible',
  'bluetooth.signal_none': 'pas de signal',

  'bluetooth.pairing': 'Association avec {name}',
  'bluetooth.pairing_wait': 'Connexion. Gardez le périphérique proche et en mode d’association.',
  'bluetooth.pairing_type': 'Tapez ces chiffres sur le périphérique, puis appuyez sur Entrée.',
  'bluetooth.pairing_same': 'Si le périphérique montre les mêmes chiffres, acceptez-les sur celui-ci.',
  'bluetooth.time_left': 'Temps restant',
  'bluetooth.finishing': 'Fin de l’association',
  'bluetooth.paired': 'Le périphérique est associé et utilisable.',
  'bluetooth.unreachable':
    'Le périphérique ne répond pas. Relancez son mode d’association, rapprochez-le, puis réessayez.',
  'bluetooth.refused':
    'Le périphérique a refusé, ou les chiffres étaient faux. Supprimez-y l’ancienne association, puis réessayez.',
  'bluetooth.late':
    'Le temps est écoulé. Réessayez, et tapez les chiffres puis Entrée en moins de 30 secondes.',
  'bluetooth.blocked':
    'La radio est bloquée par un interrupteur de l’appareil. Débloquez-la, puis réessayez.',
  'bluetooth.gone':
    'Le périphérique n’est plus là. Lancez son mode d’association, puis recherchez de nouveau.',
  'bluetooth.busy':
    'Un autre périphérique est en cours d’association, ou la radio est désactivée. Réessayez dans une demi-minute.',
  'bluetooth.failed':
    'Le périphérique n’a pas pu être associé. Relancez son mode d’association, puis réessayez.',
};
