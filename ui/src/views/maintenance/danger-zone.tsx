import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import type { Sample } from '../../app/code-samples.ts';
import { device } from '../../app/device-state.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import type { IconName } from '../../parts/icon.tsx';
import { Item, Items } from '../../parts/items.tsx';
import { type Step, Steps } from '../../parts/steps.tsx';
import { type Absent, following, type Going, going, leave } from './power.ts';

const KINDS: readonly Absent[] = ['reboot', 'shutdown', 'reset'];
const ICONS: Readonly<Record<Absent, IconName>> = { reboot: 'reload', shutdown: 'restart', reset: 'remove' };
const SAMPLES: Readonly<Record<Absent, Sample>> = {
  reboot: { method: 'POST', path: '/device/reboot' },
  shutdown: { method: 'POST', path: '/device/shutdown' },
  reset: { method: 'POST', path: '/device/factory-reset', json: { confirm: 'SERIAL_NUMBER' } },
};
/** What a reset deletes, and what it keeps (docs of `POST /device/factory-reset`). */
const DELETED = ['settings', 'content', 'certificates', 'pages', 'log'] as const;
const KEPT = ['versions', 'serial', 'authority'] as const;

/** Restart, shutdown and reset, each after a question. */
export function DangerZone() {
  const [asked, ask] = useState<Absent>();
  const now = going.value;
  const serial = device.value.value?.serial;
  return (
    <Card title={t('maintenance.danger')}>
      <Items label={t('maintenance.danger')}>
        {KINDS.map((kind) => (
          <Item
            key={kind}
            icon={ICONS[kind]}
            title={t(`maintenance.${kind}`)}
            text={t(`maintenance.${kind}_text`)}
            actions={
              <>
                <Button
                  kind="danger"
                  busy={now?.kind === kind}
                  disabled={
                    (now !== undefined && now.kind !== kind) || (kind === 'reset' && serial === undefined)
                  }
                  label={t(`maintenance.${kind}`)}
                  onClick={() => ask(kind)}
                >
                  {t(kind === 'reset' ? 'maintenance.reset_short' : `maintenance.${kind}`)}
                </Button>
                <CopyAs what={t(`maintenance.${kind}`)} sample={SAMPLES[kind]} />
              </>
            }
          />
        ))}
      </Items>
      <div role="status" class="result">
        {now && <Steps label={t(`maintenance.${now.kind}`)} steps={stepsOf(now)} />}
      </div>
      <FailureText failure={following.failure.value} />
      {asked && <Question kind={asked} serial={serial ?? ''} close={() => ask(undefined)} />}
    </Card>
  );
}

function stepsOf({ kind, at }: Going): Step[] {
  const steps: Step[] = [
    { text: t('maintenance.accepted'), state: 'done' },
    { text: t('maintenance.goes_down'), state: at === 'asked' ? 'running' : 'done' },
  ];
  if (kind !== 'shutdown') {
    steps.push({ text: t('maintenance.comes_back'), state: at === 'away' ? 'running' : 'open' });
  }
  return steps;
}

/** Asks before it is done. The dialog is closed when the device has accepted it. */
function Question({ kind, serial, close }: { kind: Absent; serial: string; close: () => void }) {
  const action = useAction({ showsFailure: true, run: () => leave(kind, serial) });
  return (
    <Confirm
      title={t(`maintenance.${kind}_question`)}
      confirm={t(`maintenance.${kind}`)}
      isDanger
      action={action}
      onClose={() => {
        // What has failed before is not about this.
        following.forget();
        close();
      }}
      {...(kind === 'reset' && { word: { label: t('maintenance.reset_word'), value: serial } })}
    >
      <p>{t(`maintenance.${kind}_happens`)}</p>
      {kind === 'reset' && <ResetLists />}
    </Confirm>
  );
}

function ResetLists() {
  return (
    <div class="maintenance-lists">
      <div>
        <h3>{t('maintenance.deleted')}</h3>
        <ul>
          {DELETED.map((what) => (
            <li key={what}>{t(`maintenance.deleted_${what}`)}</li>
          ))}
        </ul>
      </div>
      <div>
        <h3>{t('maintenance.kept')}</h3>
        <ul>
          {KEPT.map((what) => (
            <li key={what}>{t(`maintenance.kept_${what}`)}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}
