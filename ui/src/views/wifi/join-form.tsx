import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row, SecretField, TextField } from '../../parts/field.tsx';
import { Progress } from '../../parts/progress.tsx';
import { CutWarning } from './status.tsx';
import { joinNetwork, saveNetwork } from './wifi-actions.ts';
import { isPassphrase, ssidProblem, type WifiSettings, withoutSecrets } from './wifi-settings.ts';
import { carriesPage, type WifiStatus } from './wifi-words.ts';

interface JoinFormProps {
  /** `other`: the user types its name, and whether it is open is not known. */
  kind: 'open' | 'protected' | 'other';
  ssid?: string;
  status: WifiStatus;
  settings: WifiSettings;
  onClose: () => void;
}

/** Joins a network: its name and passphrase as far as they are needed, and why it has failed. */
export function JoinForm({ kind, ssid: known, status, settings, onClose }: JoinFormProps) {
  const [typedName, setName] = useState('');
  const [psk, setPsk] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const ssid = known ?? typedName;
  const isStored = settings.networks.some((one) => one.ssid === ssid);
  const nameProblem = ssidProblem(ssid);
  // An empty passphrase is that of an open network, or means the stored one.
  const isPskOk = isPassphrase(psk) || (psk === '' && (kind !== 'protected' || isStored));
  const isReady = nameProblem === undefined && isPskOk;
  const given = psk === '' && isStored ? undefined : psk;
  const join = useAction({
    showsFailure: true,
    run: async () => {
      await joinNetwork(ssid, given);
      onClose();
    },
    done: () => t('wifi.connected', { name: ssid }),
  });
  const save = useAction({
    showsFailure: true,
    run: async () => {
      await saveNetwork({ ssid, psk });
      onClose();
    },
    done: () => t('wifi.saved', { name: ssid }),
  });
  const start = () => {
    setChecked(true);
    if (!isReady || save.busy.peek()) return;
    if (carriesPage(status, location.hostname)) setAsking(true);
    else void join.start();
  };
  const edit = () => {
    setChecked(false);
    join.forget();
  };
  return (
    <>
      <form
        class="stack wifi-join"
        noValidate
        aria-label={known === undefined ? t('wifi.other') : t('wifi.join_what', { name: known })}
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        {kind === 'other' && (
          <TextField
            label={t('wifi.name')}
            hint={t('wifi.name_hint')}
            error={isChecked && nameProblem ? t(`wifi.name_${nameProblem}`) : undefined}
            value={typedName}
            onInput={(text) => {
              setName(text);
              edit();
            }}
            focused
          />
        )}
        {kind === 'open' ? (
          <p class="soft">{t('wifi.open_text')}</p>
        ) : (
          <SecretField
            label={t('wifi.passphrase')}
            hint={passphraseHint(kind, isStored)}
            error={isChecked && !isPskOk ? t('wifi.passphrase_invalid') : undefined}
            maxLength={63}
            value={psk}
            onInput={(text) => {
              setPsk(text);
              edit();
            }}
          />
        )}
        {join.busy.value && (
          <Progress label={t('wifi.joining')} done={undefined} text={t('wifi.joining_time')} />
        )}
        <FailureText failure={isAsking ? undefined : (join.failure.value ?? save.failure.value)} />
        <Row>
          <Button kind="primary" type="submit" busy={join.busy.value}>
            {t('wifi.join')}
          </Button>
          {kind === 'other' && (
            <Button
              busy={save.busy.value}
              disabled={join.busy.value}
              onClick={() => {
                setChecked(true);
                if (isReady) void save.start();
              }}
            >
              {t('wifi.save_only')}
            </Button>
          )}
          <Button kind="quiet" onClick={onClose}>
            {t('app.cancel')}
          </Button>
          <CopyAs
            what={t('wifi.join')}
            sample={{ method: 'POST', path: '/wifi/connect', json: { ssid: ssid || 'NAME' } }}
          />
          <CopyAs
            what={t('wifi.save_only')}
            sample={{
              method: 'PATCH',
              path: '/config',
              json: { wifi: { networks: withoutSecrets(settings.networks, ssid || 'NAME') } },
            }}
          />
        </Row>
      </form>
      {isAsking && (
        <Confirm
          title={t('wifi.join_title', { name: ssid })}
          confirm={t('wifi.join')}
          action={join}
          onClose={() => setAsking(false)}
        >
          <CutWarning status={status} />
        </Confirm>
      )}
    </>
  );
}

function passphraseHint(kind: JoinFormProps['kind'], isStored: boolean): string {
  if (isStored) return t('wifi.passphrase_stored');
  return t(kind === 'other' ? 'wifi.passphrase_any' : 'wifi.passphrase_hint');
}
