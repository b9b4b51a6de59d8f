import type { Action } from '../app/actions.ts';
import type { Sample } from '../app/code-samples.ts';
import { Switch } from './choice.tsx';
import { CopyAs } from './copy-as.tsx';
import { FailureText } from './failure-text.tsx';
import { Spinner } from './spinner.tsx';

interface SwitchActionProps {
  label: string;
  /** As the device says. */
  isOn: boolean;
  hint?: string | undefined;
  /** It cannot be changed. */
  isFixed?: boolean;
  /** Switches it, and waits until the device says so; give it `showsFailure`. */
  action: Action<[isOn: boolean]>;
  /** The request that does it. */
  sample: (isOn: boolean) => Sample;
}

/** A switch of the device. It moves when the device has done it. In a grid with the gap of a card. */
export function SwitchAction({ label, isOn, hint, isFixed = false, action, sample }: SwitchActionProps) {
  return (
    <>
      <div class="switch-action">
        <Switch
          label={label}
          isOn={isOn}
          hint={hint}
          disabled={isFixed}
          onChange={(wanted) => void action.start(wanted)}
        />
        {action.busy.value && <Spinner />}
        <CopyAs what={label} sample={sample(!isOn)} />
      </div>
      <FailureText failure={action.failure.value} />
    </>
  );
}
