/** Controls to choose: one of several values, or on and off. */
import { useId } from 'preact/hooks';
import { FieldFrame, type FieldProps } from './field.tsx';

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  options: readonly (readonly [value: T, text: string])[];
  onChange: (value: T) => void;
  disabled?: boolean;
}

/** One of many values. */
export function SelectField<T extends string>({
  value,
  options,
  onChange,
  ...frame
}: ChoiceProps<T> & FieldProps) {
  return (
    <FieldFrame {...frame}>
      {(attributes) => (
        <select
          {...attributes}
          value={value}
          onChange={({ currentTarget }) => {
            const chosen = options.find(([one]) => one === currentTarget.value);
            if (chosen) onChange(chosen[0]);
          }}
        >
          {options.map(([one, text]) => (
            <option key={one} value={one}>
              {text}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  );
}

/** One of a few values, all of which are visible. */
export function SegmentedField<T extends string>({
  label,
  value,
  options,
  onChange,
  disabled = false,
}: ChoiceProps<T>) {
  const id = useId();
  return (
    <fieldset class="field segmented" disabled={disabled}>
      <legend>{label}</legend>
      <div class="segments">
        {options.map(([one, text]) => (
          <label key={one}>
            <input
              type="radio"
              name={id}
              value={one}
              checked={one === value}
              onChange={() => onChange(one)}
            />
            <span>{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface OnOffProps {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  hint?: string | undefined;
  disabled?: boolean;
}

/** On or off, for what takes effect at once or is a setting. */
export function Switch({ label, isOn, onChange, hint, disabled = false }: OnOffProps) {
  const id = useId();
  return (
    <div class="field">
      <label class="check">
        <input
          type="checkbox"
          role="switch"
          class="switch"
          checked={isOn}
          aria-checked={isOn}
          disabled={disabled}
          aria-describedby={hint ? id : undefined}
          onChange={(event) => {
            const wanted = event.currentTarget.checked;
            // It shows what the caller says, also when the caller does not accept the change.
            event.currentTarget.checked = isOn;
            onChange(wanted);
          }}
        />
        <span>{label}</span>
      </label>
      {hint && (
        <p id={id} class="field-hint">
          {hint}
        </p>
      )}
    </div>
  );
}

/** Chosen or not, for what belongs to a form and takes effect with it. */
export function Checkbox({ label, isOn, onChange, hint, disabled = false }: OnOffProps) {
  const id = useId();
  return (
    <div class="field">
      <label class="check">
        <input
          type="checkbox"
          checked={isOn}
          disabled={disabled}
          aria-describedby={hint ? id : undefined}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        <span>{label}</span>
      </label>
      {hint && (
        <p id={id} class="field-hint">
          {hint}
        </p>
      )}
    </div>
  );
}
