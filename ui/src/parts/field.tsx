import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface TextFieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  hint?: string | undefined;
  /** Why the value is not accepted. */
  error?: string | undefined;
  /** Which keyboard a phone shows. */
  keyboard?: 'text' | 'url';
  maxLength?: number;
  placeholder?: string;
  /** Takes the focus when it appears. */
  focused?: boolean;
}

/** A line of text with its label, a hint and an error. */
export function TextField({
  label,
  value,
  onInput,
  hint,
  error,
  keyboard = 'text',
  maxLength,
  placeholder,
  focused = false,
}: TextFieldProps) {
  const id = useId();
  const about = error ?? hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        ref={(input) => {
          if (focused && input && !input.dataset.shown) {
            input.dataset.shown = 'yes';
            input.select();
          }
        }}
        type="text"
        inputMode={keyboard}
        value={value}
        maxLength={maxLength}
        placeholder={placeholder}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-invalid={error !== undefined}
        aria-describedby={about ? `${id}-about` : undefined}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {about && (
        <p id={`${id}-about`} class={error ? 'field-error' : 'field-hint'} role={error ? 'alert' : undefined}>
          {about}
        </p>
      )}
    </div>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  options: readonly (readonly [value: T, text: string])[];
  onChange: (value: T) => void;
}

/** One of many values. */
export function SelectField<T extends string>({ label, value, options, onChange }: ChoiceProps<T>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
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
    </div>
  );
}

/** One of a few values, all of which are visible. */
export function SegmentedField<T extends string>({ label, value, options, onChange }: ChoiceProps<T>) {
  const id = useId();
  return (
    <fieldset class="field segmented">
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

/** Controls in a row, which wrap where there is no room. */
export function Row({ children }: { children: ComponentChildren }) {
  return <div class="row">{children}</div>;
}
