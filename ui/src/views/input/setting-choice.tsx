import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { SegmentedField } from '../../parts/choice.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { change, type InputSettings } from './settings.ts';

interface SettingChoiceProps<T extends string> {
  label: string;
  hint: string;
  /** As the device has it. */
  value: T;
  options: readonly (readonly [value: T, text: string])[];
  /** Of the configuration group `browser`. */
  field: string;
  /** The value in the settings of the device. */
  read: (settings: InputSettings) => T;
}

/** A setting with a few values that takes effect at once. */
export function SettingChoice<T extends string>({
  label,
  hint,
  value,
  options,
  field,
  read,
}: SettingChoiceProps<T>) {
  const [wanted, setWanted] = useState<T>();
  const action = useAction<[T]>({
    showsFailure: true,
    run: async (next) => {
      await change('browser', field, next, (now) => read(now) === next);
    },
  });
  const shown = wanted ?? value;
  return (
    <>
      <div class="input-choice">
        <SegmentedField
          label={label}
          value={shown}
          options={options}
          onChange={async (next) => {
            if (action.busy.peek()) return;
            setWanted(next);
            await action.start(next);
            setWanted(undefined);
          }}
        />
        <CopyAs
          what={label}
          sample={{ method: 'PATCH', path: '/config', json: { browser: { [field]: shown } } }}
        />
      </div>
      <p class="soft small">{hint}</p>
      <FailureText failure={action.failure.value} />
    </>
  );
}
