import { useEffect } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { health, useResource } from '../../app/device-state.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { SwitchedOff } from '../../parts/switched-off.tsx';
import { View } from '../../parts/view.tsx';
import { AdapterCard, EnabledSwitch, enableSample } from './adapter-card.tsx';
import { DeviceLists } from './device-lists.tsx';
import { enable } from './requests.ts';
import { type BluetoothState, bluetooth } from './state.ts';

/** Keyboards, mice and scanners by radio. */
export default function Bluetooth() {
  useResource(bluetooth);
  // A radio that is lost is no event of Bluetooth, but a problem of the device.
  const problems = health.value.value?.problems.join('\n');
  useEffect(() => {
    if (problems !== undefined) void bluetooth.refresh();
  }, [problems]);
  return (
    <View title={t('bluetooth.title')}>
      <Loaded of={bluetooth} lines={6}>
        {(state) => <Content state={state} />}
      </Loaded>
    </View>
  );
}

function Content({ state }: { state: BluetoothState }) {
  switch (state.kind) {
    case 'unsupported':
      return (
        <div class="card">
          <EmptyState icon="bluetooth" title={t('bluetooth.unsupported')}>
            <div class="stack">
              <p>{t('bluetooth.unsupported_do')}</p>
              <TryAgain />
            </div>
          </EmptyState>
        </div>
      );
    case 'disabled':
      return <Disabled />;
    case 'unavailable':
      return <Unavailable reason={state.reason} />;
    case 'working':
      return (
        <div class="columns">
          <DeviceLists state={state} />
          <AdapterCard adapter={state.adapter} />
        </div>
      );
  }
}

function Disabled() {
  const action = useAction({ showsFailure: true, run: () => enable(true) });
  return (
    <SwitchedOff
      icon="bluetooth"
      title={t('bluetooth.disabled')}
      text={t('bluetooth.disabled_text')}
      button={t('bluetooth.enable')}
      action={action}
      sample={enableSample(true)}
    />
  );
}

function Unavailable({ reason }: { reason: string | undefined }) {
  return (
    <Card title={t('bluetooth.adapter')}>
      <EmptyState icon="alert" title={t('bluetooth.unavailable')}>
        <div class="stack">
          <p>{t('bluetooth.unavailable_do')}</p>
          {reason && (
            <p class="small" lang="en">
              {reason}
            </p>
          )}
          <TryAgain />
        </div>
      </EmptyState>
      <EnabledSwitch />
    </Card>
  );
}

function TryAgain() {
  return (
    <div>
      <Button icon="reload" onClick={() => void bluetooth.refresh()}>
        {t('app.try_again')}
      </Button>
    </div>
  );
}
