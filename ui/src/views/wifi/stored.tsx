import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button, IconButton } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Item, Items } from '../../parts/items.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { CutWarning } from './status.tsx';
import { forgetNetwork, joinNetwork, preferNetwork } from './wifi-actions.ts';
import { byPriority, type StoredNetwork, type WifiSettings } from './wifi-settings.ts';
import { carriesPage, type WifiStatus } from './wifi-words.ts';

interface StoredProps {
  status: WifiStatus;
  settings: WifiSettings;
}

/** The networks that the device joins by itself, the preferred one first. */
export function StoredCard({ status, settings }: StoredProps) {
  const networks = byPriority(settings.networks);
  return (
    <Card
      title={t('wifi.stored')}
      actions={<CopyAs what={t('wifi.stored')} sample={{ method: 'GET', path: '/wifi/networks' }} />}
    >
      {networks.length === 0 ? (
        <EmptyState icon="wifi" title={t('wifi.stored_none')}>
          {t('wifi.stored_none_do')}
        </EmptyState>
      ) : (
        <Items label={t('wifi.stored')}>
          {networks.map((network, index) => (
            <StoredItem
              key={network.ssid}
              network={network}
              isFirst={index === 0}
              isJoined={status.connection?.ssid === network.ssid}
              status={status}
            />
          ))}
        </Items>
      )}
      {networks.length > 1 && <p class="soft small">{t('wifi.stored_order')}</p>}
    </Card>
  );
}

interface StoredItemProps {
  network: StoredNetwork;
  isFirst: boolean;
  isJoined: boolean;
  status: WifiStatus;
}

function StoredItem({ network: { ssid, psk }, isFirst, isJoined, status }: StoredItemProps) {
  const [asking, setAsking] = useState<'join' | 'forget'>();
  const join = useAction({
    showsFailure: true,
    run: () => joinNetwork(ssid, undefined),
    done: () => t('wifi.connected', { name: ssid }),
  });
  const prefer = useAction({ showsFailure: true, run: () => preferNetwork(ssid) });
  const forget = useAction({
    showsFailure: true,
    run: () => forgetNetwork(ssid),
    done: () => t('wifi.forgotten', { name: ssid }),
  });
  const close = () => setAsking(undefined);
  return (
    <Item
      icon={psk === '' ? 'wifi' : 'lock'}
      title={ssid}
      text={t(psk === '' ? 'wifi.security_open' : 'wifi.has_passphrase')}
      badges={isJoined && <Badge level="good" text={t('wifi.joined')} />}
      actions={
        <>
          {!isJoined && (
            <>
              <Button
                busy={join.busy.value}
                disabled={status.mode === 'ap'}
                label={t('wifi.join_what', { name: ssid })}
                onClick={() => {
                  if (carriesPage(status, location.hostname)) setAsking('join');
                  else void join.start();
                }}
              >
                {t('wifi.join')}
              </Button>
              <CopyAs
                what={t('wifi.join_what', { name: ssid })}
                sample={{ method: 'POST', path: '/wifi/connect', json: { ssid } }}
              />
            </>
          )}
          {!isFirst && (
            <Button
              kind="quiet"
              busy={prefer.busy.value}
              label={t('wifi.prefer_what', { name: ssid })}
              onClick={() => void prefer.start()}
            >
              {t('wifi.prefer')}
            </Button>
          )}
          <IconButton
            icon="remove"
            label={t('wifi.forget_what', { name: ssid })}
            onClick={() => setAsking('forget')}
          />
        </>
      }
    >
      <FailureText failure={asking ? undefined : (join.failure.value ?? prefer.failure.value)} />
      {asking === 'forget' && (
        <Confirm
          title={t('wifi.forget_title', { name: ssid })}
          confirm={t('wifi.forget')}
          isDanger
          action={forget}
          onClose={close}
        >
          <p>{t(isJoined ? 'wifi.forget_joined' : 'wifi.forget_text')}</p>
          {isJoined && <CutWarning status={status} />}
        </Confirm>
      )}
      {asking === 'join' && (
        <Confirm
          title={t('wifi.join_title', { name: ssid })}
          confirm={t('wifi.join')}
          action={join}
          onClose={close}
        >
          <CutWarning status={status} />
        </Confirm>
      )}
    </Item>
  );
}
