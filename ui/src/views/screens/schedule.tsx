import { useState } from 'preact/hooks';
import { until, useAction } from '../../app/actions.ts';
import { connection } from '../../app/device-state.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { DayRow } from './day-row.tsx';
import type { DisplaySettings } from './display-settings.ts';
import { Problems } from './problems.tsx';
import { settings as resource } from './screen-state.ts';
import {
  barsOf,
  copied,
  DAYS,
  type Day,
  isSameWeek,
  isTime,
  isValid,
  MAX_SPANS,
  spansOf,
  type Week,
  weekOf,
  withDay,
} from './week.ts';

const SAVE_MS = 15_000;
/** Hours that are marked above the bars. */
const MARKS = [0, 6, 12, 18, 24];

/** When the screen is on, as a week that can be edited. */
export function Schedule({ settings }: { settings: DisplaySettings }) {
  const stored = weekOf(settings.schedule);
  const [draft, setDraft] = useState<Week>();
  const [open, setOpen] = useState<Day>();
  const week = draft ?? stored;
  const isChanged = draft !== undefined && !isSameWeek(draft, stored);
  const problem = problemOf(week);
  const save = useAction({
    showsFailure: true,
    run: async () => {
      const wanted = weekOf(spansOf(week));
      await connection.client.patch('/config', { json: { display: { power_schedule: spansOf(wanted) } } });
      await until(() => {
        const now = resource.value.value;
        return now !== undefined && isSameWeek(weekOf(now.schedule), wanted);
      }, SAVE_MS);
      setDraft(undefined);
    },
    done: () => t('screens.schedule_saved'),
  });
  const bars = barsOf(week);
  return (
    <div class="stack">
      <p class="soft">{t('screens.schedule_text', { zone: settings.zone })}</p>
      {spansOf(week).length === 0 && <p>{t('screens.schedule_none')}</p>}
      <Problems about="display.power_schedule is not applied" />
      <div class="screens-week">
        <div class="screens-marks" aria-hidden="true">
          {MARKS.map((hour) => (
            <span key={hour}>{hour}</span>
          ))}
        </div>
        <ul>
          {DAYS.map((day) => (
            <DayRow
              key={day}
              day={day}
              ranges={week[day]}
              bars={bars[day]}
              isOpen={open === day}
              isDisabled={save.busy.value}
              onToggle={() => setOpen(open === day ? undefined : day)}
              onChange={(ranges) => setDraft(withDay(week, day, ranges))}
              onCopy={(to) => setDraft(copied(week, day, to))}
            />
          ))}
        </ul>
      </div>
      <div role="alert" class="result">
        {problem && <p class="field-error">{problem}</p>}
      </div>
      <FailureText failure={save.failure.value} />
      <Row>
        <Button
          kind="primary"
          busy={save.busy.value}
          disabled={!isChanged || !isValid(week)}
          onClick={() => void save.start()}
        >
          {t('app.save')}
        </Button>
        {isChanged && (
          <Button
            kind="quiet"
            disabled={save.busy.value}
            onClick={() => {
              save.forget();
              setDraft(undefined);
            }}
          >
            {t('screens.discard')}
          </Button>
        )}
        <CopyAs
          what={t('screens.schedule')}
          sample={{ method: 'PATCH', path: '/config', json: { display: { power_schedule: spansOf(week) } } }}
        />
      </Row>
    </div>
  );
}

/** Why a week cannot be saved, in words. */
function problemOf(week: Week): string | undefined {
  if (isValid(week)) return undefined;
  const hasTimes = DAYS.every((day) => week[day].every(({ on, off }) => isTime(on) && isTime(off)));
  return hasTimes ? t('screens.schedule_full', { most: MAX_SPANS }) : t('screens.time_missing');
}
