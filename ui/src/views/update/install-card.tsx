import type { ReadonlySignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Failure } from '../../app/failure.ts';
import { formatBytes, formatDuration } from '../../app/format.ts';
import { language, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { Progress } from '../../parts/progress.tsx';
import { Steps } from '../../parts/steps.tsx';
import { BundleForm, type Chosen } from './bundle-form.tsx';
import { type StepName, type StepState, shareOf, stepOf, stepsAt } from './install-steps.ts';
import { cancelInstall, failureIn, hasFailedSending, install, transfer } from './installer.ts';
import { type RestartStage, restart, restartStage } from './restarter.ts';
import type { UpdateStatus } from './slot-state.ts';
import { restOf, speedOf, type Transfer } from './transfer.ts';
import { installation, isOwn, type Operation } from './update-state.ts';

/** Takes a bundle, shows what becomes of it, and restarts the device into it. */
export function InstallCard({ status }: { status: UpdateStatus }) {
  const [chosen, choose] = useState<Chosen>();
  const operation = installation.value.value ?? undefined;
  const sending = transfer.value;
  const stage = restartStage.value;
  const running = operation?.state === 'running' ? operation : undefined;
  const steps = stepsNow(status, operation);
  const isBusy = sending !== undefined || running !== undefined || install.busy.value || stage !== undefined;
  return (
    <Card title={t('update.install')}>
      <div role="status" class="result">
        {steps && (
          <Steps
            label={t('update.install')}
            steps={steps.map(({ name, state }) => ({ text: t(`update.step_${name}`), state }))}
          />
        )}
      </div>
      {sending ? <Sending transfer={sending} /> : running && !stage && <Installing operation={running} />}
      {stage && <p>{t(`update.stage_${stage}`)}</p>}
      {!stage && !isBusy && status.pending !== null && <Pending version={status.pending} />}
      <FailureText failure={failureNow(operation)} />
      {!isBusy && <BundleForm chosen={chosen} choose={choose} isPending={status.pending !== null} />}
    </Card>
  );
}

/** Undefined if nothing is under way. */
function stepsNow({ pending }: UpdateStatus, operation: Operation | undefined): StepState[] | undefined {
  const stage = restartStage.value;
  if (stage) return stepsAt(STEP_OF_STAGE[stage], 'running');
  if (transfer.value) return stepsAt('send', 'running');
  if (operation?.state === 'running') return stepsAt(stepOf(operation), 'running');
  if (install.failure.value && hasFailedSending.value) return stepsAt('send', 'failed');
  if (operation?.state === 'failed' && failureNow(operation)) return stepsAt(stepOf(operation), 'failed');
  if (restart.failure.value) return stepsAt(pending === null ? 'confirm' : 'restart', 'failed');
  return pending === null ? undefined : stepsAt('restart', 'open');
}

const STEP_OF_STAGE: Readonly<Record<RestartStage, StepName>> = {
  asked: 'restart',
  away: 'restart',
  trial: 'confirm',
};

/** Why the last installation or restart has failed; of installations also those that others have begun. */
function failureNow(operation: Operation | undefined): Failure | undefined {
  const own = failureOfAny([install.failure, restart.failure]);
  if (own || operation?.state !== 'failed' || isOwn(operation)) return own;
  return failureIn(operation).failure;
}

function failureOfAny(failures: readonly ReadonlySignal<Failure | undefined>[]): Failure | undefined {
  return failures.map(({ value }) => value).find((failure) => failure !== undefined);
}

/** A bundle on its way to the device. */
function Sending({ transfer: now }: { transfer: Transfer }) {
  return (
    <>
      <Progress
        label={t('update.sending')}
        done={now.total > 0 ? now.sent / now.total : undefined}
        text={amount(now)}
      />
      <Row>
        <Button icon="close" onClick={cancelInstall}>
          {t('app.cancel')}
        </Button>
      </Row>
    </>
  );
}

/** How much was sent, how fast, and how long the rest takes. */
function amount(now: Transfer): string {
  const speed = speedOf(now);
  const rest = restOf(now);
  const size = (bytes: number) => formatBytes(bytes, language.value);
  const texts = [t('update.sent', { sent: size(now.sent), total: size(now.total) })];
  if (speed !== undefined) texts.push(t('update.speed', { speed: size(speed) }));
  if (rest !== undefined)
    texts.push(t('update.rest', { time: formatDuration(Math.ceil(rest), language.value) }));
  return texts.join(', ');
}

/** What the device does with a bundle by itself. */
function Installing({ operation }: { operation: Operation }) {
  const step = stepOf(operation);
  return (
    <>
      <Progress label={t(`update.now_${step}`)} done={shareOf(operation)} />
      <p class="soft small">{t(isOwn(operation) ? 'update.meanwhile' : 'update.by_others')}</p>
    </>
  );
}

/** An installed update that was not started. */
function Pending({ version }: { version: string }) {
  return (
    <div class="stack">
      <p>{t('update.pending', { version })}</p>
      <Row>
        <Button kind="primary" icon="restart" busy={restart.busy.value} onClick={() => void restart.start()}>
          {t('update.restart')}
        </Button>
        <CopyAs what={t('update.restart')} sample={{ method: 'POST', path: '/update/apply' }} />
      </Row>
      <p class="soft small">{t('update.pending_later')}</p>
    </div>
  );
}
