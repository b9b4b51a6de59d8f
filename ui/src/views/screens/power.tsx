import { useSignal } from '@preact/signals';
import { until, useAction } from '../../app/actions.ts';
import { connection, display } from '../../app/device-state.ts';
import { ActionError } from '../../app/failure.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { Loaded } from '../../parts/states.tsx';
import { type Step, Steps } from '../../parts/steps.tsx';
import { Problems, problemsAbout } from './problems.tsx';

/** The device reads for 30 s what the screen does, and then some seconds pass until it says so (docs of `switchScreen`). */
const SWITCH_MS = 45_000;
/** Begins the sentence of the device about a screen that did not follow. */
const TELEVISION = 'The television';

/** The power of the screen, over HDMI-CEC. */
export function Power() {
  return (
    <Card title={t('screens.power')}>
      <Loaded of={display}>{({ screen_on }) => <Controls isOn={screen_on} />}</Loaded>
    </Card>
  );
}

function Controls({ isOn }: { isOn: boolean }) {
  const turn = useAction<[boolean]>({ showsFailure: true, run: turnScreen });
  const test = useTest();
  const isBusy = turn.busy.value || test.action.busy.value;
  return (
    <div class="stack">
      <div role="status">
        <Badge level={isOn ? 'good' : 'warning'} text={t(isOn ? 'screens.is_on' : 'screens.is_off')} />
      </div>
      <p class="soft small">{t('screens.power_text')}</p>
      <Problems about={TELEVISION} />
      <Row>
        <Button disabled={isBusy} onClick={() => void turn.start(true)}>
          {t('screens.turn_on')}
        </Button>
        <Button disabled={isBusy} onClick={() => void turn.start(false)}>
          {t('screens.turn_off')}
        </Button>
        <CopyAs
          what={t('screens.power')}
          sample={{ method: 'POST', path: '/display/screen', json: { on: !isOn } }}
        />
      </Row>
      {turn.busy.value && <p role="status">{t('screens.turning')}</p>}
      <FailureText failure={turn.failure.value} />
      <div>
        <h3>{t('screens.test')}</h3>
        <p class="soft small">{t('screens.test_text')}</p>
      </div>
      <Row>
        <Button
          icon="play"
          busy={test.action.busy.value}
          disabled={turn.busy.value}
          onClick={() => void test.action.start()}
        >
          {t('screens.test_start')}
        </Button>
      </Row>
      <div role="status" class="result">
        {test.steps && <Steps label={t('screens.test')} steps={test.steps} />}
      </div>
      <FailureText failure={test.action.failure.value} />
    </div>
  );
}

/** Switches the screen to the other state and back, and tells how far that has come. */
function useTest() {
  const progress = useSignal<{ readonly first: boolean; readonly done: number } | undefined>(undefined);
  const action = useAction({
    showsFailure: true,
    run: async () => {
      const first = !display.value.value?.screen_on;
      progress.value = { first, done: 0 };
      try {
        await turnScreen(first);
        progress.value = { first, done: 1 };
      } catch (error) {
        // The screen may follow later: it is left as it was.
        await connection.client.post('/display/screen', { json: { on: !first } }).catch(() => undefined);
        throw error;
      }
      await turnScreen(!first);
      progress.value = { first, done: 2 };
    },
    done: () => t('screens.test_good'),
  });
  const now = progress.value;
  const steps =
    now &&
    [now.first, !now.first].map((on, index): Step => {
      const current = action.failure.value ? 'failed' : 'running';
      const state = index < now.done ? 'done' : index === now.done ? current : 'open';
      return { text: t(on ? 'screens.test_on' : 'screens.test_off'), state };
    });
  return { action, steps };
}

/** Switches the screen, and waits until it says that it has followed. @throws ActionError if it does not */
async function turnScreen(on: boolean): Promise<void> {
  await connection.client.post('/display/screen', { json: { on } });
  // What was known before may be older than the answer.
  await display.refresh();
  await until(() => display.value.value?.screen_on === on, SWITCH_MS).catch(() => {
    throw new ActionError(t('screens.not_followed'), problemsAbout(TELEVISION)[0]);
  });
}
