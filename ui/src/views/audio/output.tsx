import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { SelectField } from '../../parts/choice.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Spinner } from '../../parts/spinner.tsx';
import { type Audio, type Chosen, playOn } from './state.ts';

interface OutputProps {
  audio: Audio;
  chosen: Chosen;
}

/** Where sound is played, and the choice of it. */
export function Output({ audio: { output, outputs }, chosen }: OutputProps) {
  const [wanted, setWanted] = useState<string | null>();
  const action = useAction<[string | null]>({ showsFailure: true, run: playOn });
  const choose = async (name: string) => {
    const next = name === '' ? null : name;
    if (action.busy.peek()) return;
    setWanted(next);
    await action.start(next);
    setWanted(undefined);
  };
  const shown = wanted === undefined ? chosen.output : wanted;
  // What was chosen stays an option while it is unplugged.
  const others = new Set([chosen.output, shown].filter((name) => name !== null));
  const options: [name: string, text: string][] = [['', t('audio.automatic')]];
  for (const name of outputs) options.push([name, name]);
  for (const name of others) if (!outputs.includes(name)) options.push([name, t('audio.missing', { name })]);
  return (
    <>
      <div class="audio-output">
        <SelectField
          label={t('audio.output')}
          hint={t('audio.output_hint')}
          value={shown ?? ''}
          options={options}
          onChange={(name) => void choose(name)}
        />
        {action.busy.value && <Spinner />}
        <CopyAs
          what={t('audio.output')}
          sample={{ method: 'PATCH', path: '/config', json: { audio: { output: shown } } }}
        />
      </div>
      <FailureText failure={action.failure.value} />
      <Playing output={output} isOther={chosen.output !== null && chosen.output !== output} />
    </>
  );
}

/** @param isOther it is not the one that was chosen */
function Playing({ output, isOther }: { output: string | null; isOther: boolean }) {
  if (output === null) return <Badge level="bad" text={t('audio.nowhere')} />;
  return <Badge level={isOther ? 'warning' : 'good'} text={t('audio.plays_on', { name: output })} />;
}
