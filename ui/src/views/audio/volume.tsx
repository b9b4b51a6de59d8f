import { useRef, useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { formatPercent } from '../../app/format.ts';
import { language, t } from '../../app/texts.ts';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { FieldFrame } from '../../parts/field.tsx';
import { Spinner } from '../../parts/spinner.tsx';
import { setVolume } from './state.ts';

/** How loud it is. The device gets the volume where the slider is left, not each one on the way there. */
export function Volume({ volume }: { volume: number }) {
  /** Where the slider is until the device has that volume. */
  const [draft, setDraft] = useState<number>();
  const wanted = useRef(volume);
  const action = useAction({
    showsFailure: true,
    run: async () => {
      let sent: number;
      // Keys change it again while it is being set.
      do {
        sent = wanted.current;
        await setVolume(sent);
      } while (sent !== wanted.current);
    },
  });
  const set = async (value: number) => {
    wanted.current = value;
    setDraft(value);
    if (action.busy.peek()) return;
    await action.start();
    // The slider may be moved at this moment.
    setDraft((now) => (now === wanted.current ? undefined : now));
  };
  const shown = draft ?? volume;
  const text = formatPercent(shown / 100, language.value);
  return (
    <>
      <FieldFrame label={t('audio.volume')} hint={t('audio.volume_hint')}>
        {(attributes) => (
          <div class="audio-volume">
            <input
              {...attributes}
              type="range"
              min={0}
              max={100}
              step={1}
              value={shown}
              aria-valuetext={text}
              onInput={({ currentTarget }) => setDraft(currentTarget.valueAsNumber)}
              onChange={({ currentTarget }) => void set(currentTarget.valueAsNumber)}
            />
            <span class="audio-percent">{text}</span>
            {action.busy.value && <Spinner />}
            <CopyAs
              what={t('audio.volume')}
              sample={{ method: 'POST', path: '/audio', json: { volume: shown } }}
            />
          </div>
        )}
      </FieldFrame>
      <FailureText failure={action.failure.value} />
    </>
  );
}
