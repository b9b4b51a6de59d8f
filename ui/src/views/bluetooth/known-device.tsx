import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Item } from '../../parts/items.tsx';
import { KIND_ICONS, kindOf, mayBeInput, nameOf } from './devices.ts';
import { connect, forget, pair } from './requests.ts';
import type { RemoteDevice } from './state.ts';

interface KnownDeviceProps {
  device: RemoteDevice;
  /** A device is being paired. */
  isBusy: boolean;
}

/** A paired device, with what can be done with it. */
export function KnownDevice({ device, isBusy }: KnownDeviceProps) {
  const { address, connected, trusted } = device;
  const name = nameOf(device);
  const kind = kindOf(device);
  const join = useAction({ showsFailure: true, run: () => (trusted ? connect(address) : pair(address)) });
  const canJoin = !trusted || (!connected && mayBeInput(device));
  const joinLabel = t(trusted ? 'bluetooth.connect_what' : 'bluetooth.trust_what', { name });
  return (
    <Item
      icon={KIND_ICONS[kind]}
      title={name}
      text={`${t(`bluetooth.kind_${kind}`)} · ${address}`}
      badges={<States device={device} />}
      actions={
        <>
          {(canJoin || join.busy.value) && (
            <>
              <Button
                busy={join.busy.value}
                disabled={isBusy}
                label={joinLabel}
                onClick={() => void join.start()}
              >
                {t(trusted ? 'bluetooth.connect' : 'bluetooth.trust')}
              </Button>
              <CopyAs
                what={joinLabel}
                sample={{ method: 'POST', path: '/bluetooth/pair', json: { address } }}
              />
            </>
          )}
          <Forget device={device} />
        </>
      }
    >
      {!trusted && <p class="soft small">{t('bluetooth.untrusted_hint')}</p>}
      <FailureText failure={join.failure.value} />
    </Item>
  );
}

function States({ device: { connected, trusted } }: { device: RemoteDevice }) {
  return (
    <>
      {connected && <Badge level="good" text={t('bluetooth.connected')} />}
      {!trusted && <Badge level="warning" text={t('bluetooth.untrusted')} />}
      {!connected && trusted && <span class="soft small">{t('bluetooth.not_now')}</span>}
    </>
  );
}

function Forget({ device }: { device: RemoteDevice }) {
  const { address } = device;
  const name = nameOf(device);
  const [isAsking, setAsking] = useState(false);
  const action = useAction({
    showsFailure: true,
    run: () => forget(address),
    done: () => t('bluetooth.forgotten', { name }),
  });
  const label = t('bluetooth.forget_what', { name });
  return (
    <>
      <Button kind="quiet" icon="remove" label={label} onClick={() => setAsking(true)}>
        {t('bluetooth.forget')}
      </Button>
      <CopyAs what={label} sample={{ method: 'POST', path: '/bluetooth/remove', json: { address } }} />
      {isAsking && (
        <Confirm
          title={t('bluetooth.forget_ask', { name })}
          confirm={t('bluetooth.forget')}
          isDanger
          action={action}
          onClose={() => setAsking(false)}
        >
          <p>{t('bluetooth.forget_text')}</p>
        </Confirm>
      )}
    </>
  );
}
