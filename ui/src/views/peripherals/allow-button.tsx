import { useState } from 'preact/hooks';
import { type Peripheral, patchToAllow } from '../../../../client/peripheral-permissions.ts';
import { useAction } from '../../app/actions.ts';
import { groupIn, textsIn } from '../../app/config-values.ts';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import type { Peripherals } from './devices.ts';
import { effectOfAllowing } from './effects.ts';
import { allow } from './requests.ts';
import { API_NAMES, listOf, partName, suggestionText } from './words.ts';

interface AllowButtonProps {
  part: Peripheral;
  /** Of its device. */
  name: string;
  /** Of the displayed page. */
  origin: string;
  state: Peripherals;
  config: unknown;
}

/** Lets pages of the displayed origin use a peripheral, after the user has read what that allows. */
export function AllowButton({ part, name, origin, state, config }: AllowButtonProps) {
  // What is asked stays, also if another page is displayed meanwhile.
  const [asked, setAsked] = useState<string>();
  const action = useAction({
    showsFailure: true,
    run: () => allow(part, asked ?? origin),
    done: () => t('peripherals.now_allowed', { origin: asked ?? origin, name }),
  });
  const label = t('peripherals.allow_what', { name: `${name} (${API_NAMES[part.kind]})`, origin });
  return (
    <>
      <Button label={label} onClick={() => setAsked(origin)}>
        {t('peripherals.allow', { origin })}
      </Button>
      <CopyAs
        what={label}
        sample={{ method: 'PATCH', path: '/config', json: patchToAllow(config, part, origin) ?? {} }}
      />
      {asked !== undefined && (
        <Confirm
          title={t('peripherals.allow_ask', { name, origin: asked })}
          confirm={t('peripherals.allow_do')}
          action={action}
          onClose={() => setAsked(undefined)}
        >
          <Effects part={part} origin={asked} state={state} config={config} />
        </Confirm>
      )}
    </>
  );
}

function Effects({ part, origin, state, config }: Omit<AllowButtonProps, 'name'>) {
  const { kind } = part;
  const devices = groupIn(config, 'devices');
  const { otherOrigins, others, unusedEntries } = effectOfAllowing(config, state, part, origin);
  const sentences = [
    suggestionText(part),
    groupIn(devices, kind).enabled !== true && t('peripherals.allow_kind', { kind: API_NAMES[kind] }),
    !textsIn(devices, 'origins').includes(origin) && t('peripherals.allow_origin', { origin }),
    otherOrigins.length > 0 && t('peripherals.allow_other_origins', { origins: listOf(otherOrigins) }),
    others.length > 0 && t('peripherals.allow_others', { names: listOf(others.map(partName)) }),
    unusedEntries > 0 && plural('peripherals.allow_unused', unusedEntries),
  ];
  return (
    <>
      <p>{t('peripherals.allow_text', { origin, kind: API_NAMES[kind] })}</p>
      <ul class="peripherals-effects">
        {sentences.flatMap((sentence) => (sentence ? [<li key={sentence}>{sentence}</li>] : []))}
      </ul>
    </>
  );
}
