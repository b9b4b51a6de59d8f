import type { audio as en } from '../en/audio.ts';

export const audio: Record<keyof typeof en, string> = {
  'audio.title': 'Son',
  'audio.playback': 'Lecture',
  'audio.output': 'Sortie',
  'audio.output_hint': 'Ce qui est en cours de lecture y passe aussitôt.',
  'audio.automatic': 'Automatique : USB, puis l’écran, puis les autres',
  'audio.missing': '{name} (absente maintenant)',
  'audio.plays_on': 'Lecture sur {name}',
  'audio.nowhere': 'Il n’y a aucune sortie. Branchez un écran, un haut-parleur ou un casque.',
  'audio.stopped': 'Le son ne fonctionne pas maintenant. L’appareil réessaie de lui-même.',
  'audio.volume': 'Volume',
  'audio.volume_hint': 'Il est réglé quand le curseur est relâché.',
  'audio.mute': 'Muet',
  'audio.mute_hint': 'Le volume est conservé.',
  'audio.muted': 'Muet',
  'audio.silent': 'Volume 0',
  'audio.test': 'Test',
  'audio.tone': 'Jouer un son d’essai',
  'audio.tone_hint': 'La page à l’écran joue un son grave à gauche, puis un son plus aigu à droite.',
  'audio.tone_played': 'Les deux sons ont été joués.',
  'audio.tone_refused':
    'La page à l’écran ne peut pas jouer de son. Affichez une autre page, puis réessayez.',
  'audio.test_show': 'Affichez une page ou un paquet avec du son.',
  'audio.test_volume': 'Revenez ici, et changez la sortie ou le volume pendant la lecture.',
  'audio.test_screen':
    'Si rien ne s’entend en HDMI, vérifiez le volume de l’écran, et s’il a des haut-parleurs.',
  'audio.go_show': 'Afficher quelque chose',
};
