import { useState } from 'preact/hooks';
import { until, useAction } from '../../app/actions.ts';
import { device } from '../../app/device-state.ts';
import { VIEW_PATHS } from '../../app/paths.ts';
import { storeConfig, storedConfig } from '../../app/stored-config.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row, TextArea } from '../../parts/field.tsx';
import { Link } from '../../parts/link.tsx';
import { Loaded } from '../../parts/states.tsx';
import { timeServersIn, wordsIn } from './network-settings.ts';

const TIMEOUT_MS = 20_000;
/** Of `device.ntp_servers` in the configuration. */
const MOST = 8;

/** Where the device gets its time. */
export function TimeServersCard() {
  return (
    <Card title={t('network.time')}>
      <Loaded of={storedConfig}>{(config) => <TimeServersForm stored={timeServersIn(config)} />}</Loaded>
      <Link to={VIEW_PATHS.settings}>{t('network.more_settings')}</Link>
    </Card>
  );
}

function TimeServersForm({ stored }: { stored: readonly string[] }) {
  const [draft, setDraft] = useState<string>();
  const wanted = draft === undefined ? [...stored] : wordsIn(draft);
  const isGeneric = device.value.value?.model_profile === 'generic';
  const isSame = (servers: readonly string[]) => servers.join('\n') === wanted.join('\n');
  const save = useAction({
    showsFailure: true,
    run: async () => {
      await storeConfig({ device: { ntp_servers: wanted } }, { mayWait: isGeneric });
      await until(() => isSame(timeServersIn(storedConfig.value.value)), TIMEOUT_MS);
    },
    done: () => t('network.saved'),
  });
  const isChanged = !isSame(stored);
  const isTooMany = wanted.length > MOST;
  return (
    <form
      class="stack"
      noValidate
      onSubmit={async (event) => {
        event.preventDefault();
        if (isChanged && !isTooMany && (await save.start())) setDraft(undefined);
      }}
    >
      <TextArea
        label={t('network.servers')}
        hint={t('network.servers_hint', { most: MOST })}
        error={isTooMany ? t('network.servers_many', { most: MOST }) : undefined}
        rows={3}
        value={draft ?? stored.join('\n')}
        onInput={(text) => {
          setDraft(text);
          save.forget();
        }}
      />
      {isGeneric && <p class="soft small">{t('network.not_here')}</p>}
      <FailureText failure={save.failure.value} />
      <Row>
        <Button kind="primary" type="submit" busy={save.busy.value} disabled={!isChanged || isTooMany}>
          {t('app.save')}
        </Button>
        <CopyAs
          what={t('network.time')}
          sample={{ method: 'PATCH', path: '/config', json: { device: { ntp_servers: wanted } } }}
        />
      </Row>
    </form>
  );
}
