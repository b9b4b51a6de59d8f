import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { device } from '../../app/device-state.ts';
import { plural, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card, KeyValues } from '../../parts/card.tsx';
import { Checkbox, SegmentedField } from '../../parts/choice.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row, SecretField, TextField } from '../../parts/field.tsx';
import { Progress } from '../../parts/progress.tsx';
import { JoinCode } from './join-picture.tsx';
import { CutWarning } from './status.tsx';
import { startAccessPoint, stopAccessPoint } from './wifi-actions.ts';
import {
  type Band,
  isPassphrase,
  ssidProblem,
  suggestedPassphrase,
  type WifiSettings,
} from './wifi-settings.ts';
import { bandOf, type WifiStatus } from './wifi-words.ts';

interface AccessPointProps {
  status: WifiStatus;
  settings: WifiSettings;
}

/** A network of the device's own, which phones can join. */
export function AccessPointCard({ status, settings }: AccessPointProps) {
  return (
    <Card title={t('wifi.ap')}>
      {status.access_point ? (
        <Running active={status.access_point} settings={settings} />
      ) : (
        <StartForm status={status} settings={settings} />
      )}
    </Card>
  );
}

interface RunningProps {
  active: NonNullable<WifiStatus['access_point']>;
  settings: WifiSettings;
}

function Running({ active, settings: { ap, mode } }: RunningProps) {
  const stop = useAction({ showsFailure: true, run: stopAccessPoint, done: () => t('wifi.ap_is_off') });
  const { ssid, channel, frequency_mhz, stations } = active;
  // Another program may have started it with a passphrase that is not stored.
  const psk = ap.ssid === null || ap.ssid === ssid ? ap.psk : null;
  return (
    <>
      <KeyValues
        rows={[
          [t('wifi.ap_name'), ssid],
          [t('wifi.ap_stations'), plural('wifi.stations', stations)],
          [t('wifi.channel'), `${channel} (${bandOf(frequency_mhz)} GHz)`],
          [t('wifi.ap_at_start'), t(mode === 'ap' ? 'wifi.ap_starts' : 'wifi.ap_starts_not')],
        ]}
      />
      {psk === null ? <p class="soft">{t('wifi.code_none')}</p> : <JoinCode ssid={ssid} psk={psk} />}
      <FailureText failure={stop.failure.value} />
      <Row>
        <Button busy={stop.busy.value} onClick={() => void stop.start()}>
          {t('wifi.ap_stop')}
        </Button>
        <CopyAs
          what={t('wifi.ap_stop')}
          sample={{ method: 'POST', path: '/wifi/ap', json: { active: false } }}
        />
      </Row>
    </>
  );
}

function StartForm({ status, settings }: AccessPointProps) {
  const { ap, mode } = settings;
  const [name, setName] = useState(ap.ssid ?? '');
  const [psk, setPsk] = useState(ap.psk ?? '');
  const [band, setBand] = useState<Band>(ap.band);
  const [stays, setStays] = useState(mode === 'ap');
  const [isChecked, setChecked] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const isNameOk = ssidProblem(name) !== 'long';
  const start = useAction({
    showsFailure: true,
    run: () => startAccessPoint({ ssid: name === '' ? null : name, psk, band }, stays),
    done: () => t('wifi.ap_is_on'),
  });
  const submit = () => {
    setChecked(true);
    if (!isNameOk || !isPassphrase(psk)) return;
    if (status.connection) setAsking(true);
    else void start.start();
  };
  return (
    <>
      <form
        class="stack"
        noValidate
        aria-label={t('wifi.ap')}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <p class="soft">{t('wifi.ap_text')}</p>
        <TextField
          label={t('wifi.ap_name')}
          hint={t('wifi.ap_name_hint')}
          placeholder={device.value.value?.name ?? ''}
          error={isNameOk ? undefined : t('wifi.name_long')}
          value={name}
          onInput={setName}
        />
        <SecretField
          label={t('wifi.ap_passphrase')}
          hint={t('wifi.passphrase_hint')}
          error={isChecked && !isPassphrase(psk) ? t('wifi.passphrase_invalid') : undefined}
          maxLength={63}
          value={psk}
          onInput={setPsk}
        />
        <Row>
          <Button onClick={() => setPsk(suggestedPassphrase())}>{t('wifi.suggest')}</Button>
        </Row>
        <SegmentedField
          label={t('wifi.band')}
          value={band}
          options={[
            ['2.4', '2.4 GHz'],
            ['5', '5 GHz'],
          ]}
          onChange={setBand}
        />
        <Checkbox label={t('wifi.ap_stays')} isOn={stays} onChange={setStays} />
        {start.busy.value && (
          <Progress label={t('wifi.ap_starting')} done={undefined} text={t('wifi.joining_time')} />
        )}
        <FailureText failure={isAsking ? undefined : start.failure.value} />
        <Row>
          <Button kind="primary" type="submit" busy={start.busy.value}>
            {t('wifi.ap_start')}
          </Button>
          <CopyAs
            what={t('wifi.ap_start')}
            sample={{
              method: 'POST',
              path: '/wifi/ap',
              json: { active: true, ap: { ...(name !== '' && { ssid: name }), psk: 'PASSPHRASE', band } },
            }}
          />
        </Row>
      </form>
      {isAsking && (
        <Confirm
          title={t('wifi.ap_title', { name: status.connection?.ssid ?? '' })}
          confirm={t('wifi.ap_start')}
          action={start}
          onClose={() => setAsking(false)}
        >
          <p>{t('wifi.ap_leaves')}</p>
          <CutWarning status={status} />
        </Confirm>
      )}
    </>
  );
}
