import { useState } from 'preact/hooks';
import { language, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Checkbox } from '../../parts/choice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Row } from '../../parts/field.tsx';
import { dayName } from './day-words.ts';
import { DAYS, type Day } from './week.ts';

interface CopyDayProps {
  /** The day whose times are copied. */
  day: Day;
  onCopy: (to: readonly Day[]) => void;
  onClose: () => void;
}

/** Asks to which days the times of one are copied. Nothing is sent: the week is saved as a whole. */
export function CopyDay({ day, onCopy, onClose }: CopyDayProps) {
  const [chosen, setChosen] = useState<readonly Day[]>([]);
  const others = DAYS.filter((one) => one !== day);
  const isAll = chosen.length === others.length;
  const title = t('screens.copy_title', { day: dayName(day, language.value) });
  return (
    <Dialog label={title} onClose={onClose}>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onCopy(chosen);
          onClose();
        }}
      >
        <h2>{title}</h2>
        <p>{t('screens.copy_text')}</p>
        <div class="screens-days">
          {others.map((one) => (
            <Checkbox
              key={one}
              label={dayName(one, language.value)}
              isOn={chosen.includes(one)}
              onChange={(isOn) =>
                setChosen(isOn ? [...chosen, one] : chosen.filter((other) => other !== one))
              }
            />
          ))}
        </div>
        <Row>
          <Button kind="primary" type="submit" disabled={chosen.length === 0}>
            {t('screens.copy')}
          </Button>
          <Button onClick={() => setChosen(isAll ? [] : others)}>
            {t(isAll ? 'screens.no_day' : 'screens.all_days')}
          </Button>
          <Button kind="quiet" onClick={onClose}>
            {t('app.cancel')}
          </Button>
        </Row>
      </form>
    </Dialog>
  );
}
