import type { audio as en } from '../en/audio.ts';

export const audio: Record<keyof typeof en, string> = {
  'audio.title': 'Sonido',
  'audio.playback': 'Reproducción',
  'audio.output': 'Salida',
  'audio.output_hint': 'Lo que suena pasa allí al instante.',
  'audio.automatic': 'Automática: USB, luego la pantalla, luego otras',
  'audio.missing': '{name} (ahora no está)',
  'audio.plays_on': 'Suena en {name}',
  'audio.nowhere': 'No hay ninguna salida. Conecte una pantalla, un altavoz o auriculares.',
  'audio.stopped': 'El sonido no funciona ahora. Se intenta de nuevo por sí solo.',
  'audio.volume': 'Volumen',
  'audio.volume_hint': 'Se ajusta al soltar el control.',
  'audio.mute': 'Silencio',
  'audio.mute_hint': 'El volumen se conserva.',
  'audio.muted': 'En silencio',
  'audio.silent': 'Volumen 0',
  'audio.test': 'Prueba',
  'audio.tone': 'Reproducir un tono de prueba',
  'audio.tone_hint':
    'La página en pantalla reproduce un tono grave a la izquierda y luego uno más agudo a la derecha.',
  'audio.tone_played': 'Se han reproducido los dos tonos.',
  'audio.tone_refused':
    'La página en pantalla no puede reproducir sonido. Muestre otra página y vuelva a intentarlo.',
  'audio.test_show': 'Muestre una página o un paquete con sonido.',
  'audio.test_volume': 'Vuelva aquí y cambie la salida o el volumen mientras suena.',
  'audio.test_screen':
    'Si por HDMI no se oye nada, compruebe el volumen de la pantalla y si tiene altavoces.',
  'audio.go_show': 'Mostrar algo',
};
