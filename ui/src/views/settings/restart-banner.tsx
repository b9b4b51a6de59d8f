import { useState } from 'preact/hooks';
import { until, useAction } from '../../app/actions.ts';
import { connection } from '../../app/device-state.ts';
import { plural, t } from '../../app/texts.ts';
import { Banner } from '../../parts/banner.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import type { JsonObject } from './json.ts';
import { ended, waiting } from './restart.ts';
import type { Field } from './schema.ts';
import { baseline, keepBaseline } from './state.ts';

/** How long the device may take until it goes, in ms: it ends its programs first. */
const GOING_MS = 90_000;

/** Which changes wait for a restart, and a button for it. */
export function RestartBanner({ fields, tree }: { fields: readonly Field[]; tree: JsonObject }) {
  const [isAsking, setAsking] = useState(false);
  const restart = useAction({
    showsFailure: true,
    run: async () => {
      connection.expect('reboot');
      await connection.client.post('/device/reboot');
      await until(() => connection.link.value.phase !== 'online', GOING_MS);
      if (baseline.value) keepBaseline(ended(baseline.value));
    },
  });
  const late = baseline.value ? waiting(baseline.value, fields, tree) : [];
  return (
    <>
      <div role="status" class="settings-restart result">
        {late.length > 0 && (
          <Banner
            level="warning"
            icon="restart"
            actions={
              <>
                <Button kind="quiet" onClick={() => setAsking(true)}>
                  {t('settings.restart')}
                </Button>
                <CopyAs what={t('settings.restart')} sample={{ method: 'POST', path: '/device/reboot' }} />
              </>
            }
          >
            <p class="settings-bar-title">{plural('settings.restart_required', late.length)}</p>
            <ul>
              {late.map(({ name }) => (
                <li key={name}>{name}</li>
              ))}
            </ul>
          </Banner>
        )}
      </div>
      {isAsking && (
        <Confirm
          title={t('settings.restart_ask')}
          confirm={t('settings.restart')}
          action={restart}
          onClose={() => setAsking(false)}
        >
          <p>{t('settings.restart_text')}</p>
        </Confirm>
      )}
    </>
  );
}
