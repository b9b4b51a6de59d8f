import { useResource } from '../../app/device-state.ts';
import { storedConfig } from '../../app/stored-config.ts';
import { t } from '../../app/texts.ts';
import { Card } from '../../parts/card.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { View } from '../../parts/view.tsx';
import { AccessPointCard } from './access-point.tsx';
import { NetworksCard } from './networks.tsx';
import { OffCard } from './off.tsx';
import { StatusCard } from './status.tsx';
import { StoredCard } from './stored.tsx';
import { wifiSettingsIn } from './wifi-settings.ts';
import { wifi } from './wifi-state.ts';
import type { WifiStatus } from './wifi-words.ts';

/** The Wi-Fi radio: off, in a network, or an access point. */
export default function Wifi() {
  useResource(wifi);
  useResource(storedConfig);
  return (
    <View title={t('wifi.title')}>
      <Loaded of={wifi} lines={6}>
        {(state) => {
          if (state.kind === 'on') return <Radio status={state.status} />;
          return state.kind === 'off' ? <OffCard /> : <Missing />;
        }}
      </Loaded>
    </View>
  );
}

function Radio({ status }: { status: WifiStatus }) {
  return (
    <Loaded of={storedConfig} lines={6}>
      {(config) => {
        const settings = wifiSettingsIn(config);
        return (
          <div class="columns">
            <div class="stack">
              <StatusCard status={status} settings={settings} />
              <NetworksCard status={status} settings={settings} />
            </div>
            <div class="stack">
              <StoredCard status={status} settings={settings} />
              <AccessPointCard status={status} settings={settings} />
            </div>
          </div>
        );
      }}
    </Loaded>
  );
}

function Missing() {
  return (
    <Card title={t('wifi.radio')}>
      <EmptyState icon="wifi" title={t('wifi.missing')}>
        {t('wifi.missing_do')}
      </EmptyState>
    </Card>
  );
}
