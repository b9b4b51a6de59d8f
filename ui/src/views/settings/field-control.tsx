import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Checkbox, SegmentedField, SelectField } from '../../parts/choice.tsx';
import { NumberField, SecretField, TextArea, TextField } from '../../parts/field.tsx';
import { begun, chosen, type Draft, numberDraft, textOf, typedDraft } from './drafts.ts';
import type { Field } from './schema.ts';
import { problemText, withUnit } from './words.ts';

export interface ControlProps {
  field: Field;
  /** The value of the device. */
  current: unknown;
  draft: Draft | undefined;
  /** The device has not accepted the value. */
  isRefused: boolean;
  onEdit: (draft: Draft) => void;
}

/** The control of a field, after its kind. Its label is the name in the API, which is the same in every language. */
export function FieldControl(props: ControlProps) {
  const { field, current, draft, onEdit } = props;
  const base = draft ? draft.base : current;
  if (!field.isNullable) return <ValueControl {...props} base={base} label={field.name} />;
  const isNone = draft ? draft.problem === undefined && draft.value === null : current === null;
  return (
    <div class="stack">
      <SegmentedField
        label={field.name}
        value={isNone ? 'none' : 'own'}
        options={[
          ['none', t('settings.none')],
          ['own', t('settings.own')],
        ]}
        onChange={(choice) => onEdit(choice === 'none' ? chosen(base, null) : begun(base, field))}
      />
      {!isNone && <ValueControl {...props} base={base} label={t('settings.own_of', { what: field.name })} />}
    </div>
  );
}

interface ValueProps extends ControlProps {
  base: unknown;
  label: string;
}

function ValueControl({ field, current, draft, isRefused, onEdit, base, label }: ValueProps) {
  const value = draft ? draft.value : current;
  const refused = isRefused ? t('settings.refused') : undefined;
  const frame = { label, error: draft?.problem ? problemText(draft.problem) : refused };
  const typed = (text: string) => onEdit(typedDraft(base, field, text));
  switch (field.kind) {
    case 'boolean':
      return <Checkbox label={label} isOn={value === true} onChange={(isOn) => onEdit(chosen(base, isOn))} />;
    case 'choice':
      return (
        <SelectField
          {...frame}
          value={String(value)}
          options={field.options.map((option) => [String(option), withUnit(option, field.unit)])}
          onChange={(text) =>
            onEdit(
              chosen(
                base,
                field.options.find((option) => String(option) === text),
              ),
            )
          }
        />
      );
    case 'number':
      return (
        <NumberField
          {...frame}
          hint={rangeOf(field)}
          value={typeof value === 'number' ? value : null}
          min={field.min}
          max={field.max}
          step={field.step}
          unit={field.unit}
          onInput={(number) => onEdit(numberDraft(base, number))}
        />
      );
    case 'text':
      return (
        <TextField
          {...frame}
          value={draft?.text ?? textOf(field, value)}
          maxLength={field.maxLength}
          onInput={typed}
        />
      );
    case 'secret':
      return (
        <SecretField
          {...frame}
          value={draft?.text ?? textOf(field, value)}
          maxLength={field.maxLength}
          onInput={typed}
        />
      );
    case 'lines':
      return (
        <Lines
          {...frame}
          hint={linesHint(field)}
          text={draft?.text ?? textOf(field, value)}
          onInput={typed}
        />
      );
    case 'json': {
      const text = draft?.text ?? textOf(field, value);
      const isHidden = field.hasSecret && draft === undefined && text.length > '[]'.length;
      return (
        <Hidden isHidden={isHidden} what={field.name}>
          <Lines {...frame} hint={t('settings.json_hint')} text={text} onInput={typed} />
        </Hidden>
      );
    }
  }
}

interface LinesProps {
  label: string;
  error: string | undefined;
  hint: string;
  text: string;
  onInput: (text: string) => void;
}

/** A field that is as high as its text, within limits. */
function Lines({ text, ...frame }: LinesProps) {
  const rows = Math.min(14, Math.max(3, text.split('\n').length + 1));
  return <TextArea {...frame} isCode rows={rows} value={text} />;
}

interface HiddenProps {
  isHidden: boolean;
  what: string;
  children: ComponentChildren;
}

/** Entries with passphrases are shown when the user wants that: others may see this screen. */
function Hidden({ isHidden, what, children }: HiddenProps) {
  const [isRevealed, setRevealed] = useState(false);
  if (!isHidden || isRevealed) return <>{children}</>;
  return (
    <div class="stack">
      <p>
        <span class="settings-name">{what}</span>
      </p>
      <p class="soft small">{t('settings.hidden')}</p>
      <div>
        <Button icon="eye" label={t('settings.reveal_what', { what })} onClick={() => setRevealed(true)}>
          {t('settings.reveal')}
        </Button>
      </div>
    </div>
  );
}

function rangeOf({ min, max }: Field): string | undefined {
  return min === undefined || max === undefined ? undefined : t('settings.range', { min, max });
}

function linesHint({ options }: Field): string {
  return options.length === 0
    ? t('settings.lines_hint')
    : t('settings.lines_values', { values: options.join(', ') });
}
