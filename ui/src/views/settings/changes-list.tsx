import { t } from '../../app/texts.ts';
import { Checkbox } from '../../parts/choice.tsx';
import { Item, Items } from '../../parts/items.tsx';
import type { Change } from './changes.ts';
import { Reasons } from './field-row.tsx';
import { NO_REFUSAL, type Refusal } from './refusal.ts';
import { AppliedTag, Tag } from './tag.tsx';
import { valueText } from './words.ts';

interface ChangesListProps {
  changes: readonly Change[];
  refusal?: Refusal;
  /** Names of changes that the user has left out; they can be chosen if `onChoose` is there. */
  leftOut?: ReadonlySet<string>;
  onChoose?: (name: string, isChosen: boolean) => void;
}

/** What would become of which setting. */
export function ChangesList({ changes, refusal = NO_REFUSAL, leftOut, onChoose }: ChangesListProps) {
  return (
    <Items label={t('settings.preview')}>
      {changes.map((change) => {
        const { name, field } = change;
        const reasons = refusal.byField.get(name) ?? [];
        return (
          <Item
            key={name}
            title={name}
            text={becomes(change)}
            badges={
              field ? (
                <AppliedTag applied={field.applied} />
              ) : (
                <Tag icon="question" level="warning" text={t('settings.unknown')} />
              )
            }
          >
            {onChoose && (
              <Checkbox
                label={t('settings.take_over', { what: name })}
                isOn={!leftOut?.has(name)}
                onChange={(isChosen) => onChoose(name, isChosen)}
              />
            )}
            {reasons.length > 0 && (
              <div role="alert">
                <p class="field-error">{t('settings.refused')}</p>
                <Reasons reasons={reasons} />
              </div>
            )}
          </Item>
        );
      })}
    </Items>
  );
}

/** Two passphrases look the same here. */
function becomes({ field, before, after }: Change): string {
  const [from, to] = [valueText(field, before), valueText(field, after)];
  return from === to ? t('settings.other_value', { value: to }) : t('settings.becomes', { from, to });
}
