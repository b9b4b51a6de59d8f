import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import type { Level } from '../../app/display-words.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Card, KeyValues } from '../../parts/card.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { CountryField } from './country-field.tsx';
import { Signal } from './signal.tsx';
import { setCountry, switchOff } from './wifi-actions.ts';
import type { WifiSettings } from './wifi-settings.ts';
import { bandOf, carriesPage, type WifiStatus } from './wifi-words.ts';

interface StatusProps {
  status: WifiStatus;
  settings: WifiSettings;
}

/** What the radio does now. */
export function StatusCard({ status, settings }: StatusProps) {
  const { level, sentence, todo } = howItIs(status, settings);
  return (
    <Card title={t('wifi.now')}>
      <div class="shown" aria-live="polite">
        <Badge level={level} text={sentence} />
        {todo && <p class="soft">{todo}</p>}
      </div>
      {status.connection && (
        <>
          <KeyValues rows={connectionRows(status.connection)} />
          <p class="soft small">{t('wifi.leave')}</p>
        </>
      )}
      <Off status={status} />
      <Country stored={status.country ?? ''} />
    </Card>
  );
}

function howItIs(
  { rfkill_blocked, access_point, connection, error }: WifiStatus,
  { networks }: WifiSettings,
): { level: Level; sentence: string; todo?: string } {
  const code = rfkill_blocked ? 'rfkill' : error?.code;
  if (code) {
    return { level: 'bad', sentence: t(`wifi.failed_${code}`), todo: t(`wifi.failed_${code}_do`) };
  }
  if (access_point) return { level: 'good', sentence: t('wifi.is_ap', { name: access_point.ssid }) };
  if (connection) return { level: 'good', sentence: t('wifi.connected', { name: connection.ssid }) };
  const todo = t(networks.length > 0 ? 'wifi.searching_do' : 'wifi.unused_do');
  return { level: 'unknown', sentence: t(networks.length > 0 ? 'wifi.searching' : 'wifi.unused'), todo };
}

function connectionRows(connection: NonNullable<WifiStatus['connection']>): [string, ComponentChildren][] {
  const { ssid, signal_dbm, frequency_mhz, addresses, bssid } = connection;
  const lines = addresses.map((address) => (
    <span class="line" key={address}>
      {address}
    </span>
  ));
  return [
    [t('wifi.network'), ssid],
    [t('wifi.signal'), <Signal key="signal" dbm={signal_dbm} />],
    [t('wifi.band'), `${bandOf(frequency_mhz)} GHz`],
    [t('device.addresses'), lines.length > 0 ? lines : t('device.no_addresses')],
    [t('wifi.bssid'), bssid],
  ];
}

function Off({ status }: { status: WifiStatus }) {
  const [isAsking, setAsking] = useState(false);
  const stop = useAction({ showsFailure: true, run: switchOff, done: () => t('wifi.is_off') });
  return (
    <>
      <Row>
        <Button onClick={() => setAsking(true)}>{t('wifi.switch_off')}</Button>
        <CopyAs
          what={t('wifi.switch_off')}
          sample={{ method: 'PATCH', path: '/config', json: { wifi: { enabled: false } } }}
        />
      </Row>
      {isAsking && (
        <Confirm
          title={t('wifi.off_title')}
          confirm={t('wifi.switch_off')}
          action={stop}
          onClose={() => setAsking(false)}
        >
          <p>{t('wifi.off_text')}</p>
          <CutWarning status={status} />
        </Confirm>
      )}
    </>
  );
}

/** What the user has to know before leaving the network over which this page came. */
export function CutWarning({ status }: { status: WifiStatus }) {
  return carriesPage(status, location.hostname) ? <p class="field-error">{t('wifi.cut')}</p> : null;
}

function Country({ stored }: { stored: string }) {
  const [chosen, setChosen] = useState<string>();
  const country = chosen ?? stored;
  const save = useAction({
    showsFailure: true,
    run: () => setCountry(country),
    done: () => t('wifi.country_set'),
  });
  return (
    <form
      class="stack"
      noValidate
      onSubmit={async (event) => {
        event.preventDefault();
        if (country !== stored && (await save.start())) setChosen(undefined);
      }}
    >
      <CountryField
        value={country}
        onChange={(code) => {
          setChosen(code);
          save.forget();
        }}
      />
      <FailureText failure={save.failure.value} />
      {country !== stored && (
        <Row>
          <Button type="submit" busy={save.busy.value}>
            {t('app.save')}
          </Button>
          <Button kind="quiet" onClick={() => setChosen(undefined)}>
            {t('app.cancel')}
          </Button>
          <CopyAs
            what={t('wifi.country')}
            sample={{ method: 'PATCH', path: '/config', json: { wifi: { country } } }}
          />
        </Row>
      )}
    </form>
  );
}
