import { useAction } from '../../app/actions.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Card, KeyValues } from '../../parts/card.tsx';
import { SwitchAction } from '../../parts/switch-action.tsx';
import { enable, power, setDiscoverable } from './requests.ts';
import type { Adapter } from './state.ts';

/** The radio of the device, and who may use it. */
export function AdapterCard({ adapter }: { adapter: Adapter }) {
  const { name, address, powered, discoverable } = adapter;
  return (
    <Card title={t('bluetooth.adapter')} actions={<AdapterBadge adapter={adapter} />}>
      <KeyValues
        rows={[
          [t('bluetooth.name'), name],
          [t('bluetooth.address'), address],
        ]}
      />
      <EnabledSwitch />
      <PowerSwitch isOn={powered} />
      {powered && <DiscoverableSwitch isOn={discoverable} />}
    </Card>
  );
}

function PowerSwitch({ isOn }: { isOn: boolean }) {
  return (
    <SwitchAction
      label={t('bluetooth.powered')}
      hint={t('bluetooth.powered_hint')}
      isOn={isOn}
      action={useAction({ showsFailure: true, run: power })}
      sample={(powered) => ({ method: 'POST', path: '/bluetooth/power', json: { powered } })}
    />
  );
}

function DiscoverableSwitch({ isOn }: { isOn: boolean }) {
  return (
    <SwitchAction
      label={t('bluetooth.discoverable')}
      hint={t('bluetooth.discoverable_hint')}
      isOn={isOn}
      action={useAction({ showsFailure: true, run: setDiscoverable })}
      sample={(discoverable) => ({ method: 'PATCH', path: '/config', json: { bluetooth: { discoverable } } })}
    />
  );
}

/** Shown while Bluetooth is enabled: it switches it off. */
export function EnabledSwitch() {
  return (
    <SwitchAction
      label={t('bluetooth.enabled')}
      hint={t('bluetooth.enabled_hint')}
      isOn
      action={useAction({ showsFailure: true, run: enable })}
      sample={enableSample}
    />
  );
}

export function enableSample(enabled: boolean) {
  return { method: 'PATCH', path: '/config', json: { bluetooth: { enabled } } } as const;
}

function AdapterBadge({ adapter: { powered, discovering } }: { adapter: Adapter }) {
  if (!powered) return <Badge level="warning" text={t('bluetooth.off')} />;
  return <Badge level="good" text={t(discovering ? 'bluetooth.searching' : 'bluetooth.on')} />;
}
