import { useId, useState } from 'preact/hooks';
import { language, t } from '../../app/texts.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { FieldFrame, Row } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { CopyDay } from './copy-day.tsx';
import { clockText, dayName } from './day-words.ts';
import { type Bar, type Day, endsNextDay, isTime, nextRange, type Range } from './week.ts';

const DAY_MINUTES = 24 * 60;
/** Ranges of one day that the editor adds. */
const MOST = 9;

interface DayRowProps {
  day: Day;
  ranges: readonly Range[];
  bars: readonly Bar[];
  isOpen: boolean;
  isDisabled: boolean;
  onToggle: () => void;
  onChange: (ranges: readonly Range[]) => void;
  /** Puts the ranges on other days, too. */
  onCopy: (to: readonly Day[]) => void;
}

/** A day of the week as a bar; pressing it opens its times. */
export function DayRow({ day, ranges, bars, isOpen, isDisabled, onToggle, onChange, onCopy }: DayRowProps) {
  const id = useId();
  const [isCopying, setCopying] = useState(false);
  const name = dayName(day, language.value);
  const replace = (index: number, range: Range) =>
    onChange(ranges.map((one, at) => (at === index ? range : one)));
  return (
    <li class="screens-day">
      <button
        type="button"
        class="screens-day-head"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={onToggle}
      >
        <span class="screens-day-name">{name}</span>
        <span class="screens-bar" aria-hidden="true">
          {bars.map(({ start, end }) => (
            <span
              key={start}
              style={{
                left: `${(start / DAY_MINUTES) * 100}%`,
                width: `${((end - start) / DAY_MINUTES) * 100}%`,
              }}
            />
          ))}
        </span>
        <span class="screens-day-times">{timesText(ranges)}</span>
        <Icon name="down" />
      </button>
      {isOpen && (
        <fieldset id={id} class="screens-editor" disabled={isDisabled}>
          <legend class="hidden-text">{t('screens.times_of', { day: name })}</legend>
          {ranges.map((range, index) => (
            // Ranges have nothing of their own that stays but their place.
            <TimeRange
              key={`${index}`}
              range={range}
              onChange={(wanted) => replace(index, wanted)}
              onRemove={() => onChange(ranges.filter((_, at) => at !== index))}
            />
          ))}
          {ranges.length === 0 && <p class="soft">{t('screens.no_times_text')}</p>}
          <Row>
            <Button
              icon="add"
              disabled={ranges.length >= MOST}
              onClick={() => onChange([...ranges, nextRange(ranges)])}
            >
              {t('screens.add_times')}
            </Button>
            <Button icon="copy" onClick={() => setCopying(true)}>
              {t('screens.copy_day')}
            </Button>
          </Row>
        </fieldset>
      )}
      {isCopying && <CopyDay day={day} onCopy={onCopy} onClose={() => setCopying(false)} />}
    </li>
  );
}

interface TimeRangeProps {
  range: Range;
  onChange: (range: Range) => void;
  onRemove: () => void;
}

function TimeRange({ range, onChange, onRemove }: TimeRangeProps) {
  const { on, off } = range;
  const isWhole = isTime(on) && isTime(off);
  return (
    <div class="screens-range">
      <TimeField label={t('screens.on_at')} value={on} onInput={(time) => onChange({ on: time, off })} />
      <TimeField
        label={isWhole && endsNextDay(range) ? t('screens.off_next_day') : t('screens.off_at')}
        value={off}
        onInput={(time) => onChange({ on, off: time })}
      />
      <IconButton
        icon="remove"
        label={t('screens.remove_times', { times: rangeText(range) })}
        onClick={onRemove}
      />
    </div>
  );
}

interface TimeFieldProps {
  label: string;
  /** `HH:MM`; empty while it is not complete. */
  value: string;
  onInput: (value: string) => void;
}

function TimeField({ label, value, onInput }: TimeFieldProps) {
  return (
    <FieldFrame label={label}>
      {(attributes) => (
        <input
          {...attributes}
          type="time"
          aria-invalid={!isTime(value)}
          value={value}
          onInput={({ currentTarget }) => onInput(currentTarget.value.slice(0, 5))}
        />
      )}
    </FieldFrame>
  );
}

function timesText(ranges: readonly Range[]): string {
  return ranges.length === 0 ? t('screens.no_times') : ranges.map(rangeText).join(', ');
}

function rangeText(range: Range): string {
  const { on, off } = range;
  if (!isTime(on) || !isTime(off)) return '…';
  if (on === '00:00' && off === '00:00') return t('screens.all_day');
  const values = { on: clockText(on, language.value), off: clockText(off, language.value) };
  // Midnight is the end of the same day for people.
  const isNextDay = endsNextDay(range) && off !== '00:00';
  return t(isNextDay ? 'screens.range_next_day' : 'screens.range', values);
}
