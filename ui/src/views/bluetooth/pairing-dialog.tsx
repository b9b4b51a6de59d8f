import { useEffect, useState } from 'preact/hooks';
import type { Failure } from '../../app/failure.ts';
import { formatDuration } from '../../app/format.ts';
import { language, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { Progress } from '../../parts/progress.tsx';
import { nameOf } from './devices.ts';
import type { Adapter, RemoteDevice } from './state.ts';

/** How long the device waits for the other one (docs of `POST /bluetooth/pair`), in s. */
const TIME_S = 30;

interface PairingDialogProps {
  device: RemoteDevice;
  pairing: Adapter['pairing'];
  isBusy: boolean;
  failure: Failure | undefined;
  tryAgain: () => void;
  onClose: () => void;
}

/** How a pairing goes: what to type on the other device, how much time is left, why it has failed. */
export function PairingDialog({ device, pairing, isBusy, failure, tryAgain, onClose }: PairingDialogProps) {
  const title = t('bluetooth.pairing', { name: nameOf(device) });
  return (
    <Dialog label={title} onClose={onClose}>
      <div class="stack">
        <h2>{title}</h2>
        <div class="stack result" aria-live="polite">
          {isBusy && <Instructions passkey={pairing?.passkey ?? null} />}
        </div>
        {isBusy && <TimeLeft />}
        <FailureText failure={failure} />
        <Row>
          {!isBusy && (
            <Button kind="primary" icon="reload" onClick={tryAgain}>
              {t('app.try_again')}
            </Button>
          )}
          <Button kind="quiet" onClick={onClose}>
            {t('app.close')}
          </Button>
        </Row>
      </div>
    </Dialog>
  );
}

function Instructions({ passkey }: { passkey: string | null }) {
  if (passkey === null) return <p>{t('bluetooth.pairing_wait')}</p>;
  return (
    <>
      <p class="bluetooth-passkey">{passkey}</p>
      <p>{t('bluetooth.pairing_type')}</p>
      <p class="soft small">{t('bluetooth.pairing_same')}</p>
    </>
  );
}

/** Counts down. After the time, the device only asks the other one what it can do. */
function TimeLeft() {
  const [seconds, setSeconds] = useState(TIME_S);
  useEffect(() => {
    const started = performance.now();
    const timer = setInterval(() => {
      setSeconds(Math.max(0, TIME_S - Math.floor((performance.now() - started) / 1000)));
    }, 1000);
    return () => clearInterval(timer);
  }, []);
  if (seconds === 0) return <Progress label={t('bluetooth.finishing')} done={undefined} />;
  return (
    <Progress
      label={t('bluetooth.time_left')}
      done={seconds / TIME_S}
      text={formatDuration(seconds, language.value)}
    />
  );
}
