import { useEffect, useRef, useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { connection } from '../../app/device-state.ts';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Checkbox } from '../../parts/choice.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { Item, Items } from '../../parts/items.tsx';
import { Spinner } from '../../parts/spinner.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { groupsOf, KIND_ICONS, kindOf, nameOf, signalOf } from './devices.ts';
import { KnownDevice } from './known-device.tsx';
import { PairingDialog } from './pairing-dialog.tsx';
import { pair, scan } from './requests.ts';
import type { Adapter, RemoteDevice, Working } from './state.ts';

/** The devices that are paired, and those that can be. */
export function DeviceLists({ state: { adapter, devices } }: { state: Working }) {
  const [shown, setShown] = useState<RemoteDevice>();
  const pairing = useAction<[RemoteDevice]>({
    showsFailure: true,
    run: ({ address }) => pair(address),
    done: () => t('bluetooth.paired'),
  });
  const start = async (device: RemoteDevice) => {
    setShown(device);
    // A failure is shown also if the dialog was closed meanwhile.
    setShown((await pairing.start(device)) ? undefined : device);
  };
  const { known, found, unnamed } = groupsOf(devices);
  const isBusy = pairing.busy.value;
  return (
    <div class="stack">
      {(known.length > 0 || adapter.powered) && (
        <Card title={t('bluetooth.known')}>
          {known.length > 0 && (
            <Items label={t('bluetooth.known')}>
              {known.map((device) => (
                <KnownDevice key={device.address} device={device} isBusy={isBusy} />
              ))}
            </Items>
          )}
          <p class="soft small">{t(known.length > 0 ? 'bluetooth.known_hint' : 'bluetooth.none_known')}</p>
        </Card>
      )}
      <Card title={t('bluetooth.found')}>
        <Search adapter={adapter} />
        {!shown && <PairingNotice pairing={adapter.pairing} />}
        <Found
          named={found}
          unnamed={unnamed}
          isEmptyToldOf={adapter.powered && !adapter.discovering}
          isBusy={isBusy}
          pair={(device) => void start(device)}
        />
      </Card>
      {shown && (
        <PairingDialog
          device={shown}
          pairing={adapter.pairing}
          isBusy={pairing.busy.value}
          failure={pairing.failure.value}
          tryAgain={() => void start(shown)}
          onClose={() => setShown(undefined)}
        />
      )}
    </div>
  );
}

/** A pairing that another client or the other device has begun, or whose dialog was closed. */
function PairingNotice({ pairing }: { pairing: Adapter['pairing'] }) {
  return (
    <div role="status" class="result">
      {pairing && (
        <p>
          {pairing.passkey === null
            ? t('bluetooth.notice', { name: nameOf(pairing) })
            : t('bluetooth.notice_passkey', { name: nameOf(pairing), passkey: pairing.passkey })}
        </p>
      )}
    </div>
  );
}

/** Starts and stops the search. One that was started here ends with the view: it takes the radio's time. */
function Search({ adapter: { discovering, powered } }: { adapter: Adapter }) {
  const isOurs = useRef(false);
  useEffect(
    () => () => {
      if (!isOurs.current) return;
      connection.client.post('/bluetooth/scan', { json: { active: false } }).catch(() => undefined);
    },
    [],
  );
  const action = useAction<[boolean]>({
    showsFailure: true,
    run: async (active) => {
      isOurs.current = active;
      await scan(active);
    },
  });
  const label = t(discovering ? 'bluetooth.stop' : 'bluetooth.search');
  return (
    <>
      <Row>
        <Button
          kind={discovering ? 'secondary' : 'primary'}
          icon={discovering ? 'close' : 'search'}
          busy={action.busy.value}
          disabled={!powered}
          onClick={() => void action.start(!discovering)}
        >
          {label}
        </Button>
        <CopyAs
          what={label}
          sample={{ method: 'POST', path: '/bluetooth/scan', json: { active: !discovering } }}
        />
      </Row>
      <div role="status" class="result">
        {discovering && (
          <p class="bluetooth-searching">
            <Spinner />
            {t('bluetooth.searching_text')}
          </p>
        )}
        {!powered && <p class="soft">{t('bluetooth.off_text')}</p>}
      </div>
      <FailureText failure={action.failure.value} />
    </>
  );
}

interface FoundProps {
  named: readonly RemoteDevice[];
  unnamed: readonly RemoteDevice[];
  /** Whether it is said that there are none. */
  isEmptyToldOf: boolean;
  /** Only one device is paired at a time. */
  isBusy: boolean;
  pair: (device: RemoteDevice) => void;
}

function Found({ named, unnamed, isEmptyToldOf, isBusy, pair: start }: FoundProps) {
  const [showsAll, setShowsAll] = useState(false);
  const devices = showsAll ? [...named, ...unnamed] : named;
  return (
    <>
      {devices.length > 0 && (
        <Items label={t('bluetooth.found')}>
          {devices.map((device) => (
            <FoundDevice key={device.address} device={device} isBusy={isBusy} pair={() => start(device)} />
          ))}
        </Items>
      )}
      {devices.length === 0 && isEmptyToldOf && (
        <EmptyState icon="bluetooth" title={t('bluetooth.none_found')}>
          {t('bluetooth.none_found_do')}
        </EmptyState>
      )}
      {unnamed.length > 0 && (
        <Checkbox
          label={plural('bluetooth.unnamed', unnamed.length)}
          isOn={showsAll}
          onChange={setShowsAll}
        />
      )}
    </>
  );
}

interface FoundDeviceProps {
  device: RemoteDevice;
  isBusy: boolean;
  pair: () => void;
}

function FoundDevice({ device, isBusy, pair: start }: FoundDeviceProps) {
  const { address } = device;
  const kind = kindOf(device);
  const label = t('bluetooth.pair_what', { name: nameOf(device) });
  return (
    <Item
      icon={KIND_ICONS[kind]}
      title={nameOf(device)}
      text={`${t(`bluetooth.kind_${kind}`)} · ${t(`bluetooth.signal_${signalOf(device)}`)} · ${address}`}
      actions={
        <>
          <Button disabled={isBusy} label={label} onClick={start}>
            {t('bluetooth.pair')}
          </Button>
          <CopyAs what={label} sample={{ method: 'POST', path: '/bluetooth/pair', json: { address } }} />
        </>
      }
    />
  );
}
