/** The view "Sound". */
export const audio = {
  'audio.title': 'Sound',
  'audio.playback': 'Playback',
  'audio.output': 'Output',
  'audio.output_hint': 'What plays moves there at once.',
  'audio.automatic': 'Automatic: USB, then the screen, then others',
  'audio.missing': '{name} (not there now)',
  'audio.plays_on': 'Plays on {name}',
  'audio.nowhere': 'There is no output to play on. Connect a screen, a loudspeaker or headphones.',
  'audio.stopped': 'Sound does not work now. It is tried again by itself.',
  'audio.volume': 'Volume',
  'audio.volume_hint': 'It is set when the slider is released.',
  'audio.mute': 'Mute',
  'audio.mute_hint': 'The volume is kept.',
  'audio.muted': 'Muted',
  'audio.silent': 'Volume 0',
  'audio.test': 'How to test it',
  'audio.test_show': 'Show a page or a bundle that plays sound.',
  'audio.test_volume': 'Come back here, and change the output or the volume while it plays.',
  'audio.test_screen':
    'If nothing is heard over HDMI, check the volume of the screen, and whether it has loudspeakers.',
  'audio.go_show': 'Show something',
};
