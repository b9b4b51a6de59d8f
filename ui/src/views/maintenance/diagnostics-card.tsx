import { useRef, useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { connection, device } from '../../app/device-state.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Checkbox } from '../../parts/choice.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { Progress } from '../../parts/progress.tsx';
import { saveFile } from '../../parts/save-file.ts';

/** A device that does not answer one of the questions waits half a minute for it. */
const TIMEOUT_MS = 10 * 60_000;

/** Puts everything that helps to find the cause of a problem into one file. */
export function DiagnosticsCard() {
  const [withPicture, setWithPicture] = useState(true);
  const stop = useRef<AbortController>(null);
  const action = useAction({
    showsFailure: true,
    run: async () => {
      const controller = new AbortController();
      stop.current = controller;
      try {
        const bytes = await connection.client.download('/device/diagnostics', {
          query: { picture: withPicture ? 'yes' : 'no' },
          ...{ signal: controller.signal, timeoutMs: TIMEOUT_MS },
        });
        const file = new Blob([new Uint8Array(bytes)], { type: 'application/zip' });
        saveFile(fileName(device.value.peek()?.serial ?? '', new Date()), file);
      } finally {
        stop.current = null;
      }
    },
    done: () => t('maintenance.diagnostics_done'),
  });
  return (
    <Card title={t('maintenance.diagnostics')}>
      <p>{t('maintenance.diagnostics_text')}</p>
      <Checkbox
        label={t('maintenance.diagnostics_picture')}
        isOn={withPicture}
        disabled={action.busy.value}
        onChange={setWithPicture}
      />
      {action.busy.value && <Progress label={t('maintenance.diagnostics_collecting')} done={undefined} />}
      <Row>
        <Button icon="download" kind="primary" busy={action.busy.value} onClick={() => void action.start()}>
          {t('maintenance.diagnostics_get')}
        </Button>
        {action.busy.value && <Button onClick={() => stop.current?.abort()}>{t('app.cancel')}</Button>}
        <CopyAs
          what={t('maintenance.diagnostics_get')}
          sample={{ method: 'GET', path: '/device/diagnostics' }}
        />
      </Row>
      <FailureText failure={action.failure.value} />
    </Card>
  );
}

/** For example `vitrine-0a1b2c-2026-06-01-120000.zip`. A serial number may have signs that file names may not. */
function fileName(serial: string, time: Date): string {
  const name = serial.replaceAll(/[^\w.-]+/g, '-').slice(0, 40);
  const stamp = time.toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-');
  return `vitrine-${name}-${stamp}.zip`;
}
