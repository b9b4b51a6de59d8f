import { groupIn, textsIn } from '../../app/config-values.ts';
import { useResource } from '../../app/device-state.ts';
import { VIEW_PATHS } from '../../app/paths.ts';
import { storedConfig } from '../../app/stored-config.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Card } from '../../parts/card.tsx';
import { Item, Items } from '../../parts/items.tsx';
import { Link } from '../../parts/link.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { View } from '../../parts/view.tsx';
import { DeviceCard } from './device-card.tsx';
import { devicesOf, type Peripherals as State } from './devices.ts';
import { peripherals } from './state.ts';

/** What is plugged in, and which pages may use it. */
export default function Peripherals() {
  useResource(peripherals);
  useResource(storedConfig);
  return (
    <View title={t('peripherals.title')}>
      <Loaded of={peripherals} lines={6}>
        {(state) => (
          <Loaded of={storedConfig} lines={6}>
            {(config) => <Content state={state} config={config} />}
          </Loaded>
        )}
      </Loaded>
    </View>
  );
}

function Content({ state, config }: { state: State; config: unknown }) {
  const devices = devicesOf(state.peripherals);
  if (devices.length === 0 && !state.host_port) {
    return (
      <div class="card">
        <EmptyState icon="peripherals" title={t('peripherals.no_port')}>
          {t('peripherals.no_port_do')}
        </EmptyState>
      </div>
    );
  }
  return (
    <div class="columns">
      <div class="stack">
        {!state.host_port && <p>{t('peripherals.no_port_listed')}</p>}
        {devices.length === 0 && (
          <div class="card">
            <EmptyState icon="peripherals" title={t('peripherals.none')}>
              {t('peripherals.none_do')}
            </EmptyState>
          </div>
        )}
        {devices.map((device) => (
          <DeviceCard key={device.id} device={device} state={state} config={config} />
        ))}
      </div>
      <Pages origins={textsIn(groupIn(config, 'devices'), 'origins')} displayed={state.page_origin} />
    </div>
  );
}

/** The pages that may use what is allowed. */
function Pages({ origins, displayed }: { origins: readonly string[]; displayed: string | null }) {
  return (
    <Card title={t('peripherals.pages')}>
      {origins.length === 0 && <p>{t('peripherals.no_pages')}</p>}
      {origins.length > 0 && (
        <Items label={t('peripherals.pages')}>
          {origins.map((origin) => (
            <Item
              key={origin}
              title={origin}
              badges={origin === displayed && <Badge level="good" text={t('peripherals.displayed')} />}
            />
          ))}
        </Items>
      )}
      {displayed === null && <p class="soft small">{t('peripherals.waiting')}</p>}
      <p class="soft small">
        {t('peripherals.pages_hint')} <Link to={VIEW_PATHS.settings}>{t('peripherals.settings')}</Link>
      </p>
    </Card>
  );
}
