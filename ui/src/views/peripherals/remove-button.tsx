import { useState } from 'preact/hooks';
import { type Peripheral, patchToRevoke } from '../../../../client/peripheral-permissions.ts';
import { useAction } from '../../app/actions.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import type { Peripherals } from './devices.ts';
import { alsoMatched } from './effects.ts';
import { removeEntry } from './requests.ts';
import { API_NAMES, listOf, partName } from './words.ts';

interface RemoveButtonProps {
  part: Peripheral;
  /** Of its device. */
  name: string;
  state: Peripherals;
  config: unknown;
}

/** Removes the entry that matches a peripheral. */
export function RemoveButton({ part, name, state, config }: RemoveButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const action = useAction({
    showsFailure: true,
    run: () => removeEntry(part),
    done: () => t('peripherals.removed'),
  });
  const label = t('peripherals.remove_what', { name: `${name} (${API_NAMES[part.kind]})` });
  const others = alsoMatched(state, part);
  return (
    <>
      <Button kind="quiet" icon="remove" label={label} onClick={() => setAsking(true)}>
        {t('peripherals.remove')}
      </Button>
      <CopyAs
        what={label}
        sample={{ method: 'PATCH', path: '/config', json: patchToRevoke(config, part) ?? {} }}
      />
      {isAsking && (
        <Confirm
          title={t('peripherals.remove_ask', { name })}
          confirm={t('peripherals.remove')}
          isDanger
          action={action}
          onClose={() => setAsking(false)}
        >
          <p>{t('peripherals.remove_text')}</p>
          {others.length > 0 && (
            <p>{t('peripherals.remove_others', { names: listOf(others.map(partName)) })}</p>
          )}
        </Confirm>
      )}
    </>
  );
}
