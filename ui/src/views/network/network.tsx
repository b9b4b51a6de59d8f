import { type Network as NetworkState, network, useResource } from '../../app/device-state.ts';
import { interfaceKind, isLinkLocal, type OwnConnection, ownConnection } from '../../app/own-connection.ts';
import { VIEW_PATHS } from '../../app/paths.ts';
import { storedConfig } from '../../app/stored-config.ts';
import { plural, t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Card, KeyValues } from '../../parts/card.tsx';
import type { IconName } from '../../parts/icon.tsx';
import { Item, Items } from '../../parts/items.tsx';
import { Link } from '../../parts/link.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { View } from '../../parts/view.tsx';
import { HostAccessCard } from './host-access.tsx';
import { ProxyCard } from './proxy-form.tsx';
import { TimeServersCard } from './time-servers.tsx';

/** How many interfaces are listed. A computer with containers may have any number. */
const MOST = 40;

type Interface = NetworkState['interfaces'][number];

/** How the device is connected, and what pages and this page reach. */
export default function Network() {
  useResource(network);
  useResource(storedConfig);
  return (
    <View title={t('network.title')}>
      <div class="columns">
        <div class="stack">
          <Card title={t('network.yours')}>
            <Loaded of={network} lines={4}>
              {(state) => <Yours state={state} />}
            </Loaded>
          </Card>
          <Card title={t('network.interfaces')}>
            <Loaded of={network} lines={5}>
              {({ interfaces }) => <Interfaces interfaces={interfaces} />}
            </Loaded>
          </Card>
        </div>
        <div class="stack">
          <HostAccessCard />
          <ProxyCard />
          <TimeServersCard />
        </div>
      </div>
    </View>
  );
}

/** How this page reaches the device. */
function Yours({ state: { hostname, interfaces } }: { state: NetworkState }) {
  const isEncrypted = location.protocol === 'https:';
  return (
    <>
      <KeyValues
        rows={[
          [t('network.address'), location.host],
          [t('network.over'), overText(ownConnection(location.hostname, interfaces))],
          [
            t('network.encryption'),
            <>
              <span class="line">{t(isEncrypted ? 'network.encrypted' : 'network.not_encrypted')}</span>
              <Link to={VIEW_PATHS.certificates}>{t('network.certificates')}</Link>
            </>,
          ],
          [t('device.hostname'), hostname],
        ]}
      />
      <p class="soft">
        {t('network.safe')} {isEncrypted && t('network.safe_https')}
      </p>
    </>
  );
}

function overText(own: OwnConnection): string {
  switch (own.kind) {
    case 'interface':
      return `${own.name} (${kindText(own.name)})`;
    case 'loopback':
      return t('network.over_local');
    case 'unknown':
      return t('network.over_unknown');
  }
}

function Interfaces({ interfaces }: { interfaces: readonly Interface[] }) {
  if (interfaces.length === 0) {
    return (
      <EmptyState icon="network" title={t('network.none')}>
        {t('network.none_do')}
      </EmptyState>
    );
  }
  const own = ownConnection(location.hostname, interfaces);
  const sorted = interfaces.toSorted(
    (a, b) => Number(a.addresses.length === 0) - Number(b.addresses.length === 0),
  );
  const left = sorted.length - MOST;
  return (
    <>
      <Items label={t('network.interfaces')}>
        {sorted.slice(0, MOST).map((one) => (
          <InterfaceItem key={one.name} {...one} isOwn={own.kind === 'interface' && own.name === one.name} />
        ))}
      </Items>
      {left > 0 && <p class="soft">{plural('network.more', left)}</p>}
    </>
  );
}

function InterfaceItem({ name, addresses, isOwn }: Interface & { isOwn: boolean }) {
  const hasAddress = addresses.some((address) => !isLinkLocal(address));
  return (
    <Item
      icon={iconOf(name)}
      title={name}
      text={
        <>
          <span class="line">{kindText(name)}</span>
          {addresses.map((address) => (
            <span class="line" key={address}>
              {address}
            </span>
          ))}
          {!hasAddress && addresses.length > 0 && <span class="line">{t('network.link_local_do')}</span>}
        </>
      }
      badges={
        <>
          {isOwn && <Badge level="good" text={t('network.own')} />}
          {hasAddress ? (
            <Badge level="good" text={t('network.has_address')} />
          ) : addresses.length > 0 ? (
            <Badge level="warning" text={t('network.link_local')} />
          ) : (
            <Badge level="unknown" text={t('network.no_address')} />
          )}
        </>
      }
    />
  );
}

function kindText(name: string): string {
  return t(`network.kind_${interfaceKind(name)}`);
}

function iconOf(name: string): IconName {
  const kind = interfaceKind(name);
  if (kind === 'wifi') return 'wifi';
  return kind === 'cable' ? 'device' : 'network';
}
