import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { plural, t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { Item, Items } from '../../parts/items.tsx';
import { Progress } from '../../parts/progress.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { JoinForm } from './join-form.tsx';
import { Signal } from './signal.tsx';
import { scan } from './wifi-actions.ts';
import type { WifiSettings } from './wifi-settings.ts';
import { type FoundNetwork, groupNetworks, isSupported, type WifiStatus } from './wifi-words.ts';

/** How many networks are listed: a house with many flats has more. */
const MOST = 60;

interface NetworksProps {
  status: WifiStatus;
  settings: WifiSettings;
}

type Found = ReturnType<typeof groupNetworks>;

/** The networks in range, and one that hides its name. */
export function NetworksCard({ status, settings }: NetworksProps) {
  const [found, setFound] = useState<Found>();
  /** Which network is being joined: one of the list, or `other`. */
  const [open, setOpen] = useState<FoundNetwork | 'other'>();
  const look = useAction({
    showsFailure: true,
    run: async () => {
      const result = groupNetworks(await scan());
      setFound(result);
      // What is typed for a network stays while it is in range.
      setOpen((before) =>
        before === undefined || before === 'other'
          ? before
          : result.networks.find(
              ({ ssid, security }) => ssid === before.ssid && security === before.security,
            ),
      );
    },
  });
  const isAccessPoint = status.mode === 'ap';
  const isBusy = look.busy.value;
  const close = () => setOpen(undefined);
  return (
    <Card title={t('wifi.in_range')}>
      {isAccessPoint && <p class="soft">{t('wifi.not_while_ap')}</p>}
      <Row>
        <Button
          kind="primary"
          icon="search"
          busy={isBusy}
          disabled={isAccessPoint}
          onClick={() => void look.start()}
        >
          {t('wifi.scan')}
        </Button>
        <CopyAs what={t('wifi.scan')} sample={{ method: 'POST', path: '/wifi/scan' }} />
        <Button disabled={isAccessPoint} onClick={() => setOpen('other')}>
          {t('wifi.other')}
        </Button>
      </Row>
      {isBusy && <Progress label={t('wifi.scanning')} done={undefined} text={t('wifi.scan_time')} />}
      <FailureText failure={look.failure.value} />
      {open === 'other' && !isAccessPoint && (
        <JoinForm kind="other" status={status} settings={settings} onClose={close} />
      )}
      <div role="status" class="result">
        {found && !isBusy && <p class="soft">{summary(found)}</p>}
      </div>
      {found && found.networks.length > 0 && (
        <Items label={t('wifi.in_range')}>
          {found.networks.slice(0, MOST).map((network) => (
            <FoundItem
              key={`${network.security} ${network.ssid}`}
              network={network}
              status={status}
              settings={settings}
              isOpen={open === network}
              isOff={isAccessPoint}
              onOpen={() => setOpen(network)}
              onClose={close}
            />
          ))}
        </Items>
      )}
      {!found && !isBusy && !isAccessPoint && !look.failure.value && (
        <EmptyState icon="wifi" title={t('wifi.not_scanned')}>
          {t('wifi.not_scanned_do')}
        </EmptyState>
      )}
    </Card>
  );
}

function summary({ networks, hidden }: Found): string {
  const texts = [plural('wifi.found', networks.length)];
  if (networks.length === 0) texts.push(t('wifi.found_none_do'));
  if (hidden > 0) texts.push(plural('wifi.hidden', hidden));
  return texts.join(' ');
}

interface FoundItemProps extends NetworksProps {
  network: FoundNetwork;
  isOpen: boolean;
  isOff: boolean;
  onOpen: () => void;
  onClose: () => void;
}

function FoundItem({ network, status, settings, isOpen, isOff, onOpen, onClose }: FoundItemProps) {
  const { ssid, security, signalDbm, bands } = network;
  const isJoined = status.connection?.ssid === ssid;
  const isStored = settings.networks.some((one) => one.ssid === ssid);
  return (
    <Item
      icon={security === 'open' ? 'wifi' : 'lock'}
      title={ssid}
      text={
        <>
          <span class="line">
            <Signal dbm={signalDbm} />
          </span>
          <span class="line">
            {t(`wifi.security_${security}`)}, {bands.join(' / ')} GHz
          </span>
          {!isSupported(security) && <span class="line">{t('wifi.unsupported')}</span>}
        </>
      }
      badges={
        isJoined ? (
          <Badge level="good" text={t('wifi.joined')} />
        ) : (
          isStored && <Badge level="unknown" text={t('wifi.stored_badge')} />
        )
      }
      actions={
        !isJoined &&
        !isOpen &&
        isSupported(security) && (
          <Button disabled={isOff} label={t('wifi.join_what', { name: ssid })} onClick={onOpen}>
            {t('wifi.join')}
          </Button>
        )
      }
    >
      {/* Also while the network is joined already: it may not have given an address yet, or never does. */}
      {isOpen && (
        <JoinForm
          kind={security === 'open' ? 'open' : 'protected'}
          ssid={ssid}
          status={status}
          settings={settings}
          onClose={onClose}
        />
      )}
    </Item>
  );
}
