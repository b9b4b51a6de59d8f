/** Fields for texts and numbers, with their label, a hint and an error. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { t } from '../app/texts.ts';

/** What every field has. */
export interface FieldProps {
  label: string;
  hint?: string | undefined;
  /** Why the value is not accepted. */
  error?: string | undefined;
  disabled?: boolean;
}

interface FrameProps extends FieldProps {
  /** The control. @param attributes ties it to the label and to what is said about it */
  children: (attributes: {
    id: string;
    disabled: boolean;
    'aria-invalid': boolean;
    'aria-describedby': string | undefined;
  }) => ComponentChildren;
}

/** A control with its label above and what is said about it below. */
export function FieldFrame({ label, hint, error, disabled = false, children }: FrameProps) {
  const id = useId();
  const about = error ?? hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        disabled,
        'aria-invalid': error !== undefined,
        'aria-describedby': about ? `${id}-about` : undefined,
      })}
      {about && (
        <p id={`${id}-about`} class={error ? 'field-error' : 'field-hint'} role={error ? 'alert' : undefined}>
          {about}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends FieldProps {
  value: string;
  onInput: (value: string) => void;
  /** Which keyboard a phone shows. */
  keyboard?: 'text' | 'url' | 'numeric';
  maxLength?: number | undefined;
  placeholder?: string;
  /** Takes the focus when it appears. */
  focused?: boolean;
}

/** Neither the browser nor a phone changes or completes what is typed: it is for a machine. */
const AS_TYPED = { autocomplete: 'off', autocapitalize: 'off', spellcheck: false } as const;

/** A line of text. */
export function TextField({
  value,
  onInput,
  keyboard = 'text',
  maxLength,
  placeholder,
  focused = false,
  ...frame
}: TextFieldProps) {
  return (
    <FieldFrame {...frame}>
      {(attributes) => (
        <input
          {...attributes}
          {...AS_TYPED}
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
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </FieldFrame>
  );
}

interface SecretFieldProps extends FieldProps {
  value: string;
  onInput: (value: string) => void;
  maxLength?: number | undefined;
  placeholder?: string;
}

/** A password, hidden until the user wants to see it. Password managers leave it alone: it is not one of this page. */
export function SecretField({ value, onInput, maxLength, placeholder, ...frame }: SecretFieldProps) {
  const [isVisible, setVisible] = useState(false);
  return (
    <div class="secret">
      <FieldFrame {...frame}>
        {(attributes) => (
          <input
            {...attributes}
            {...AS_TYPED}
            autocomplete="new-password"
            {...(isVisible ? ({ type: 'text' } as const) : ({ type: 'password' } as const))}
            value={value}
            maxLength={maxLength}
            placeholder={placeholder}
            onInput={({ currentTarget }) => onInput(currentTarget.value)}
          />
        )}
      </FieldFrame>
      <label class="check">
        <input
          type="checkbox"
          checked={isVisible}
          onChange={({ currentTarget }) => setVisible(currentTarget.checked)}
        />
        <span>{t('app.show_secret', { what: frame.label })}</span>
      </label>
    </div>
  );
}

interface NumberFieldProps extends FieldProps {
  /** Null for none. */
  value: number | null;
  /** @param value null if the field is empty, undefined if what is in it is no number */
  onInput: (value: number | null | undefined) => void;
  min?: number | undefined;
  max?: number | undefined;
  step?: number | undefined;
  /** Shown behind the field. */
  unit?: string | undefined;
  placeholder?: string;
}

/** A number. The caller checks its limits, which the field itself offers to arrow keys only. */
export function NumberField({
  value,
  onInput,
  min,
  max,
  step = 1,
  unit,
  placeholder,
  ...frame
}: NumberFieldProps) {
  const [typed, setTyped] = useState<string>();
  return (
    <FieldFrame {...frame}>
      {(attributes) => (
        <div class="with-unit">
          <input
            {...attributes}
            {...AS_TYPED}
            type="number"
            inputMode={step % 1 === 0 && (min ?? -1) >= 0 ? 'numeric' : 'decimal'}
            value={typed ?? value ?? ''}
            min={min}
            max={max}
            step={step}
            placeholder={placeholder}
            onInput={({ currentTarget }) => {
              setTyped(currentTarget.value);
              if (currentTarget.value === '') onInput(currentTarget.validity.badInput ? undefined : null);
              else onInput(currentTarget.valueAsNumber);
            }}
            // The value of the caller is shown again, unless the user is typing.
            onBlur={({ currentTarget }) => {
              if (!currentTarget.validity.badInput) setTyped(undefined);
            }}
          />
          {unit && <span class="soft">{unit}</span>}
        </div>
      )}
    </FieldFrame>
  );
}

interface TextAreaProps extends FieldProps {
  value: string;
  onInput: (value: string) => void;
  rows?: number;
  /** Code is shown in a fixed-width type. */
  isCode?: boolean;
  maxLength?: number;
  placeholder?: string;
  /** Ctrl+Enter or Cmd+Enter. */
  onSubmit?: () => void;
}

/** Several lines of text. */
export function TextArea({
  value,
  onInput,
  rows = 6,
  isCode = false,
  maxLength,
  placeholder,
  onSubmit,
  ...frame
}: TextAreaProps) {
  return (
    <FieldFrame {...frame}>
      {(attributes) => (
        <textarea
          {...attributes}
          {...AS_TYPED}
          class={isCode ? 'code' : undefined}
          rows={rows}
          value={value}
          maxLength={maxLength}
          placeholder={placeholder}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !onSubmit) return;
            event.preventDefault();
            onSubmit();
          }}
        />
      )}
    </FieldFrame>
  );
}

/** Controls in a row, which wrap where there is no room. */
export function Row({ children }: { children: ComponentChildren }) {
  return <div class="row">{children}</div>;
}
