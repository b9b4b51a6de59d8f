import { useState } from 'preact/hooks';
import { until, useAction } from '../../app/actions.ts';
import { connection, display } from '../../app/device-state.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { Switch } from '../../parts/choice.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { Loaded } from '../../parts/states.tsx';
import { valueAt } from './json.ts';
import { config } from './page-state.ts';

/** The browser starts again, for which the device waits 90 s. */
const CLEAR_TIMEOUT_MS = 120_000;
/** Then the page has two minutes to load. */
const LOAD_TIMEOUT_MS = 140_000;
const SAVE_TIMEOUT_MS = 15_000;
const CLEAR = { method: 'POST', path: '/display/clear-data' } as const;

/** Deletes what pages have stored on the device, now or at each start. */
export function ClearData() {
  const [isAsking, setAsking] = useState(false);
  const clear = useAction({
    showsFailure: true,
    run: async () => {
      await connection.client.post(CLEAR.path, { timeoutMs: CLEAR_TIMEOUT_MS });
      await display.refresh();
      await until(() => display.value.value?.loading === false, LOAD_TIMEOUT_MS);
    },
    done: () => t('page.cleared'),
  });
  return (
    <Card title={t('page.data')}>
      <p>{t('page.data_about')}</p>
      <Row>
        <Button kind="danger" icon="remove" onClick={() => setAsking(true)}>
          {t('page.clear')}
        </Button>
        <CopyAs what={t('page.clear')} sample={CLEAR} />
      </Row>
      <Loaded of={config} lines={1}>
        {(value) => <AtBoot isOn={valueAt(value, 'browser', 'clear_data_on_boot') === true} />}
      </Loaded>
      {isAsking && (
        <Confirm
          title={t('page.clear_ask')}
          confirm={t('page.clear')}
          isDanger
          action={clear}
          onClose={() => setAsking(false)}
        >
          <p>{t('page.clear_deleted')}</p>
          <p>{t('page.clear_kept')}</p>
          <p>{t('page.clear_dark')}</p>
        </Confirm>
      )}
    </Card>
  );
}

/** Whether all of it is deleted at each start of the device. */
function AtBoot({ isOn }: { isOn: boolean }) {
  const change = (wanted: boolean) => ({ browser: { clear_data_on_boot: wanted } });
  const save = useAction<[boolean]>({
    showsFailure: true,
    run: async (wanted) => {
      await connection.client.patch('/config', { json: change(wanted) });
      await until(
        () => valueAt(config.value.value, 'browser', 'clear_data_on_boot') === wanted,
        SAVE_TIMEOUT_MS,
      );
    },
  });
  return (
    <div class="stack">
      <div class="page-with-code">
        <Switch
          label={t('page.clear_at_boot')}
          hint={t('page.clear_at_boot_hint')}
          isOn={isOn}
          disabled={save.busy.value}
          onChange={(wanted) => void save.start(wanted)}
        />
        <CopyAs
          what={t('page.clear_at_boot')}
          sample={{ method: 'PATCH', path: '/config', json: change(!isOn) }}
        />
      </div>
      <FailureText failure={save.failure.value} />
    </div>
  );
}
