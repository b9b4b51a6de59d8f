import type { audio as en } from '../en/audio.ts';

export const audio: Record<keyof typeof en, string> = {
  'audio.title': 'Ton',
  'audio.playback': 'Wiedergabe',
  'audio.output': 'Ausgang',
  'audio.output_hint': 'Was gerade spielt, wechselt sofort dorthin.',
  'audio.automatic': 'Automatisch: USB, dann der Bildschirm, dann andere',
  'audio.missing': '{name} (gerade nicht da)',
  'audio.plays_on': 'Spielt über {name}',
  'audio.nowhere': 'Es gibt keinen Ausgang. Schließen Sie einen Bildschirm, Lautsprecher oder Kopfhörer an.',
  'audio.stopped': 'Der Ton funktioniert gerade nicht. Es wird von selbst weiter versucht.',
  'audio.volume': 'Lautstärke',
  'audio.volume_hint': 'Sie gilt, sobald der Regler losgelassen wird.',
  'audio.mute': 'Stumm',
  'audio.mute_hint': 'Die Lautstärke bleibt gespeichert.',
  'audio.muted': 'Stumm',
  'audio.silent': 'Lautstärke 0',
  'audio.test': 'Test',
  'audio.tone': 'Testton spielen',
  'audio.tone_hint': 'Die Seite auf dem Bildschirm spielt links einen tiefen Ton, dann rechts einen höheren.',
  'audio.tone_played': 'Beide Töne wurden gespielt.',
  'audio.tone_refused':
    'Die Seite auf dem Bildschirm kann keinen Ton spielen. Eine andere Seite zeigen und es noch einmal versuchen.',
  'audio.test_show': 'Eine Seite oder ein Paket mit Ton zeigen.',
  'audio.test_volume': 'Hierher zurückkehren und während der Wiedergabe Ausgang oder Lautstärke ändern.',
  'audio.test_screen':
    'Wenn über HDMI nichts zu hören ist: die Lautstärke des Bildschirms prüfen, und ob er Lautsprecher hat.',
  'audio.go_show': 'Etwas zeigen',
};
