import { useAction } from '../../app/actions.ts';
import { connection } from '../../app/device-state.ts';
import { ActionError } from '../../app/failure.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';

const TIMEOUT_MS = 60_000;
/** Plays in the displayed page, so that the whole way of a page's sound is tested. Not a file: a page may forbid those. */
const SCRIPT = `const context = new AudioContext({ latencyHint: 'playback' });
try {
  await Promise.race([context.resume(), new Promise((go) => setTimeout(go, 1000))]);
  if (context.state !== 'running') return false;
  const begin = context.currentTime;
  await Promise.all([[-1, 440], [1, 660]].map(([pan, frequency], index) => {
    const tone = new OscillatorNode(context, { frequency });
    tone
      .connect(new GainNode(context, { gain: 0.25 }))
      .connect(new StereoPannerNode(context, { pan }))
      .connect(context.destination);
    tone.start(begin + index);
    tone.stop(begin + index + 0.9);
    return new Promise((ended) => tone.addEventListener('ended', ended));
  }));
  return true;
} finally {
  await context.close();
}`;
const SAMPLE = { method: 'POST', path: '/display/execute-js', json: { script: SCRIPT } } as const;

/** Plays a tone on each side. */
export function TestTone() {
  const action = useAction({
    showsFailure: true,
    run: async () => {
      const { result } = await connection.client.post(SAMPLE.path, {
        json: SAMPLE.json,
        timeoutMs: TIMEOUT_MS,
      });
      if (result !== true) throw new ActionError(t('audio.tone_refused'));
    },
    done: () => t('audio.tone_played'),
  });
  return (
    <>
      <Row>
        <Button kind="primary" busy={action.busy.value} onClick={() => void action.start()}>
          {t('audio.tone')}
        </Button>
        <CopyAs what={t('audio.tone')} sample={SAMPLE} />
      </Row>
      <p class="soft small">{t('audio.tone_hint')}</p>
      <FailureText failure={action.failure.value} />
    </>
  );
}
