import { connection } from '../../app/device-state.ts';
import { plural, t } from '../../app/texts.ts';
import { Meter } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { Spinner } from '../../parts/spinner.tsx';
import { type Step, Steps } from '../../parts/steps.tsx';
import { CONFIRM_MS, type TrialState } from './trial.ts';
import { tellTrial, trial, trialFailure, trialNow } from './trial-runner.ts';

/** The questions about a change of the screen. To close one is to undo the change. */
export function TrialDialog() {
  const state = trial.value;
  if (state.phase === 'asking') return <Question since={state.since} />;
  return state.phase === 'stored' ? <RestartQuestion /> : null;
}

const undo = () => tellTrial({ type: 'close' });

function Question({ since }: { since: number }) {
  const leftMs = Math.max(0, since + CONFIRM_MS - trialNow.value);
  return (
    <Dialog label={t('screens.ask')} onClose={undo}>
      <div class="stack">
        <h2>{t('screens.ask')}</h2>
        <p>{t('screens.ask_text')}</p>
        {/* A timer is not read out each second. */}
        <p role="timer" class="screens-left">
          {plural('screens.left', Math.ceil(leftMs / 1000))}
        </p>
        <Meter used={leftMs / CONFIRM_MS} level="unknown" />
        <Row>
          {/* The first one has the focus: a key that is pressed too long must not confirm. */}
          <Button icon="undo" onClick={undo}>
            {t('screens.undo')}
          </Button>
          <Button kind="primary" icon="check" onClick={() => tellTrial({ type: 'keep' })}>
            {t('screens.keep')}
          </Button>
        </Row>
      </div>
    </Dialog>
  );
}

function RestartQuestion() {
  return (
    <Dialog label={t('screens.restart_ask')} onClose={undo}>
      <div class="stack">
        <h2>{t('screens.restart_ask')}</h2>
        <p>{t('screens.restart_text')}</p>
        <FailureText failure={trialFailure.value} />
        <Row>
          <Button icon="undo" onClick={undo}>
            {t('screens.undo')}
          </Button>
          <Button kind="primary" icon="restart" onClick={() => tellTrial({ type: 'restart' })}>
            {t('screens.restart')}
          </Button>
        </Row>
      </div>
    </Dialog>
  );
}

/** What goes on with a change while nothing is asked. */
export function TrialStatus() {
  const state = trial.value;
  return (
    <div role="status" class="screens-status">
      {(state.phase === 'restarting' || state.phase === 'starting') && (
        <Card title={t('screens.restarting')}>
          <Steps label={t('screens.restarting')} steps={stepsOf(state)} />
          <p class="soft">{t('screens.restarting_text')}</p>
        </Card>
      )}
      {(state.phase === 'undoing' || state.phase === 'returning') && (
        <Card title={t('screens.undoing')} class="card-warning">
          <p class="row screens-undoing">
            <Spinner />
            {undoingText(state)}
          </p>
          {state.phase === 'undoing' && !state.isSending && connection.isOnline && (
            <>
              <FailureText failure={trialFailure.value} />
              <Row>
                <Button icon="undo" onClick={undo}>
                  {t('app.try_again')}
                </Button>
              </Row>
            </>
          )}
        </Card>
      )}
    </div>
  );
}

function undoingText({ phase }: TrialState): string {
  if (phase === 'returning') return t('screens.returning');
  return t(connection.isOnline ? 'screens.undoing_now' : 'screens.undoing_later');
}

function stepsOf({ phase }: TrialState): Step[] {
  const isBack = phase === 'starting';
  return [
    { text: t('screens.step_stored'), state: 'done' },
    { text: t('screens.step_restart'), state: isBack ? 'done' : 'running' },
    { text: t('screens.step_screen'), state: isBack ? 'running' : 'open' },
  ];
}
