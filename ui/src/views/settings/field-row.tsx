import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Row } from '../../parts/field.tsx';
import { type Draft, hasConflict, isChange, rebased, reset } from './drafts.ts';
import { FieldControl } from './field-control.tsx';
import { same } from './json.ts';
import { Description } from './prose.tsx';
import type { Field } from './schema.ts';
import { AppliedTag, Tag } from './tag.tsx';
import { valueText } from './words.ts';

export interface RowProps {
  field: Field;
  /** The value of the device. */
  current: unknown;
  draft: Draft | undefined;
  /** Why the device has not accepted the value, in English. */
  refused: readonly string[];
  /** The device could not apply the value at once, although the schema says so. */
  isLate: boolean;
  /** Changes when the control shall forget what was typed into it. */
  round: number;
  /** Undefined: the value of the device. */
  onEdit: (draft: Draft | undefined) => void;
}

/** A setting: its control, and what there is to know about it. */
export function FieldRow({ field, current, draft, refused, isLate, round, onEdit }: RowProps) {
  const { name, label, description, entry, example } = field;
  const isRefused = refused.length > 0;
  // Checkboxes and the choice of no value cannot show an error.
  const value = draft ? draft.value : current;
  const hasOwnError = field.kind !== 'boolean' && !(field.isNullable && value === null);
  return (
    <div class={isRefused ? 'settings-field settings-refused' : 'settings-field'}>
      <div class="stack settings-control">
        <h3 lang="en">{label}</h3>
        <FieldControl
          key={round}
          field={field}
          current={current}
          draft={draft}
          isRefused={isRefused}
          onEdit={onEdit}
        />
        {isRefused && (
          <div role="alert">
            {!hasOwnError && <p class="field-error">{t('settings.refused')}</p>}
            <Reasons reasons={refused} />
          </div>
        )}
        {draft && hasConflict(draft, current) && (
          <Conflict field={field} current={current} draft={draft} onEdit={onEdit} />
        )}
        {name === 'ui.enabled' && draft?.value === false && (
          <p class="settings-warning">{t('settings.ui_off')}</p>
        )}
      </div>
      <div class="settings-about">
        <Description text={description} entry={entry} example={example} what={name} />
        <div class="row">
          <AppliedTag applied={isLate ? 'reboot_required' : field.applied} />
          {!same(current, field.default) && <Tag icon="edit" text={t('settings.changed')} />}
          {draft && isChange(draft) && <Tag icon="alert" level="warning" text={t('settings.not_saved')} />}
        </div>
        <p class="soft small">{t('settings.default', { value: valueText(field, field.default) })}</p>
        <Undo field={field} current={current} draft={draft} onEdit={onEdit} />
      </div>
    </div>
  );
}

/** The device's words, in English. */
export function Reasons({ reasons }: { reasons: readonly string[] }) {
  return (
    <ul class="field-error small" lang="en">
      {reasons.map((reason) => (
        <li key={reason}>{reason}</li>
      ))}
    </ul>
  );
}

type UndoProps = Pick<RowProps, 'field' | 'current' | 'draft' | 'onEdit'>;

function Undo({ field, current, draft, onEdit }: UndoProps) {
  const what = field.name;
  const isDefault = draft
    ? draft.problem === undefined && same(draft.value, field.default)
    : same(current, field.default);
  const isUnsaved = draft !== undefined && isChange(draft);
  if (isDefault && !isUnsaved) return null;
  return (
    <Row>
      {isUnsaved && (
        <Button
          kind="quiet"
          icon="undo"
          label={t('settings.undo_what', { what })}
          onClick={() => onEdit(undefined)}
        >
          {t('settings.undo')}
        </Button>
      )}
      {!isDefault && (
        <Button
          kind="quiet"
          icon="reload"
          label={t('settings.reset_what', { what })}
          onClick={() => onEdit(reset(draft ? draft.base : current, field))}
        >
          {t('settings.reset')}
        </Button>
      )}
    </Row>
  );
}

type ConflictProps = Pick<RowProps, 'field' | 'current' | 'onEdit'> & { draft: Draft };

/** Somebody else has changed the field meanwhile: nothing is overwritten before the user has decided. */
function Conflict({ field, current, draft, onEdit }: ConflictProps) {
  const what = field.name;
  return (
    <div class="stack settings-conflict" role="status">
      <p>{t('settings.conflict', { value: valueText(field, current) })}</p>
      <Row>
        <Button label={t('settings.take_what', { what })} onClick={() => onEdit(undefined)}>
          {t('settings.take')}
        </Button>
        <Button label={t('settings.keep_what', { what })} onClick={() => onEdit(rebased(draft, current))}>
          {t('settings.keep')}
        </Button>
      </Row>
    </div>
  );
}
