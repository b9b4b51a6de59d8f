import type { remote as en } from '../en/remote.ts';

export const remote: Record<keyof typeof en, string> = {
  'remote.title': 'Contrôle à distance',
  'remote.off': 'Le contrôle à distance est désactivé',
  'remote.what':
    'Avec le contrôle à distance, vous appuyez, faites défiler et tapez sur une image de l’écran, comme si vous étiez devant. Il sert à aider là où personne ne peut se rendre.',
  'remote.risk_acts':
    'Quiconque atteint cet appareil peut alors faire tout ce que peut une personne devant l’écran, même là où la page est connectée à un compte.',
  'remote.risk_seen':
    'La page ne peut pas vous distinguer d’une personne devant l’écran, et les gens sur place voient ce que vous faites.',
  'remote.risk_end':
    'Il reste activé jusqu’à ce que vous le désactiviez. Faites-le dès que vous avez terminé.',
  'remote.cable':
    'Il ne fonctionne que pour un ordinateur branché au câble USB de l’appareil, jamais par d’autres réseaux.',
  'remote.turn_on': 'Activer le contrôle à distance',
  'remote.on':
    'Le contrôle à distance est activé. Quiconque atteint cet appareil peut agir sur son écran. Désactivez-le quand vous avez terminé.',
  'remote.turn_off': 'Désactiver',
  'remote.screen': 'À l’écran',
  'remote.click': 'Cliquer sur l’écran',
  'remote.press': 'Un appui sur l’image',
  'remote.press_left': 'clic',
  'remote.press_right': 'clic droit',
  'remote.press_scroll': 'défilement',
  'remote.full': 'Plein écran',
  'remote.small': 'Quitter le plein écran',
  'remote.keyboard_part':
    'Le clavier à l’écran se trouve ici. On peut appuyer dessus, mais les images ne le montrent pas.',
  'remote.start_typing': 'Taper avec ce clavier',
  'remote.stop_typing': 'Arrêter de taper',
  'remote.typing':
    'Ce que vous tapez va à l’écran. Pour arrêter, appuyez deux fois de suite sur Échap, ou sur ce bouton.',
  'remote.typing_hint':
    'Toutes les touches vont alors à l’écran, même Tab. Un clic sur l’image a le même effet. Échap deux fois de suite, ou le bouton, y met fin.',
  'remote.keys': 'Touches',
  'remote.keys_edit': 'Formulaires et textes',
  'remote.keys_move': 'Déplacements',
  'remote.keys_together': 'Ensemble',
  'remote.key_Escape': 'Échap',
  'remote.key_Tab': 'Tab',
  'remote.key_Enter': 'Entrée',
  'remote.key_Backspace': 'Retour arrière',
  'remote.key_Delete': 'Suppr',
  'remote.key_ArrowLeft': 'Flèche vers la gauche',
  'remote.key_ArrowRight': 'Flèche vers la droite',
  'remote.key_ArrowUp': 'Flèche vers le haut',
  'remote.key_ArrowDown': 'Flèche vers le bas',
  'remote.key_Home': 'Début',
  'remote.key_End': 'Fin',
  'remote.key_PageUp': 'Page précédente',
  'remote.key_PageDown': 'Page suivante',
  'remote.key_Shift': 'Maj',
  'remote.key_Control': 'Ctrl',
  'remote.text_card': 'Texte',
  'remote.text': 'Taper ce texte',
  'remote.text_hint':
    'Appuyez d’abord sur le champ dans l’image. Tous les caractères sont possibles, 1000 au plus.',
  'remote.send': 'Envoyer',
  'remote.text_sent': 'Le texte a été tapé à l’écran.',
  'remote.text_long': 'Le texte est trop long. On peut taper 1000 caractères au plus à la fois.',
  'remote.crowded':
    'L’appareil est plus lent que ce que vous faites, une partie a donc été omise. Attendez que l’image ait changé.',
  'remote.failed_busy':
    'D’autres utilisent le contrôle à distance en même temps, ceci n’a donc pas été fait. Réessayez.',
  'remote.failed_forbidden':
    'L’appareil n’accepte pas cette connexion. Le contrôle à distance ne fonctionne qu’à son câble USB : ouvrez cette page par l’adresse que l’appareil y a, en général 10.55.77.1.',
  'remote.failed_off':
    'Le contrôle à distance est désactivé, ceci n’a donc pas été fait. Quelqu’un l’a peut-être désactivé.',
  'remote.failed_unavailable':
    'L’appareil ne peut pas faire cela sur son écran maintenant. Vérifiez qu’un écran est branché, puis réessayez quand son image est là.',
};
