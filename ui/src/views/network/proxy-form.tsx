import { useState } from 'preact/hooks';
import { until, useAction } from '../../app/actions.ts';
import { storeConfig, storedConfig } from '../../app/stored-config.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { SelectField } from '../../parts/choice.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row, TextField } from '../../parts/field.tsx';
import { Loaded } from '../../parts/states.tsx';
import {
  isSameProxy,
  missingInProxy,
  PROXY_MODES,
  type ProxySettings,
  proxyIn,
  proxyPatch,
} from './network-settings.ts';

const TIMEOUT_MS = 20_000;
const EXAMPLE = 'http://proxy.example:3128';

/** How pages reach the internet. */
export function ProxyCard() {
  return (
    <Card title={t('network.proxy')}>
      <Loaded of={storedConfig}>{(config) => <ProxyForm stored={proxyIn(config)} />}</Loaded>
    </Card>
  );
}

function ProxyForm({ stored }: { stored: ProxySettings }) {
  const [draft, setDraft] = useState<ProxySettings>();
  const [isChecked, setChecked] = useState(false);
  const form = draft ?? stored;
  const missing = isChecked ? missingInProxy(form) : undefined;
  const save = useAction({
    showsFailure: true,
    run: async () => {
      await storeConfig(proxyPatch(form));
      await until(() => isSameProxy(proxyIn(storedConfig.value.value), form), TIMEOUT_MS);
    },
    done: () => t('network.saved'),
  });
  const edit = (change: Partial<ProxySettings>) => {
    setDraft({ ...form, ...change });
    setChecked(false);
    save.forget();
  };
  const discard = () => {
    setDraft(undefined);
    save.forget();
  };
  const isChanged = !isSameProxy(form, stored);
  return (
    <form
      class="stack"
      noValidate
      onSubmit={async (event) => {
        event.preventDefault();
        setChecked(true);
        if (isChanged && !missingInProxy(form) && (await save.start())) setDraft(undefined);
      }}
    >
      <SelectField
        label={t('network.proxy_mode')}
        value={form.mode}
        options={PROXY_MODES.map((one) => [one, t(`network.proxy_${one}`)])}
        onChange={(mode) => edit({ mode })}
      />
      {form.mode === 'manual' && (
        <>
          <TextField
            keyboard="url"
            label={t('network.for_http')}
            hint={t('network.for_hint')}
            placeholder={EXAMPLE}
            error={missing === 'http' ? t('network.for_missing') : undefined}
            value={form.http}
            onInput={(http) => edit({ http })}
          />
          <TextField
            keyboard="url"
            label={t('network.for_https')}
            hint={t('network.for_hint')}
            placeholder={EXAMPLE}
            value={form.https}
            onInput={(https) => edit({ https })}
          />
          <TextField
            label={t('network.except')}
            hint={t('network.except_hint')}
            value={form.noProxy}
            onInput={(noProxy) => edit({ noProxy })}
          />
        </>
      )}
      {form.mode === 'pac' && (
        <TextField
          keyboard="url"
          label={t('network.script')}
          placeholder="http://proxy.example/proxy.pac"
          error={missing === 'pac' ? t('network.script_missing') : undefined}
          value={form.pacUrl}
          onInput={(pacUrl) => edit({ pacUrl })}
        />
      )}
      <p class="soft small">{t('network.proxy_hint')}</p>
      <FailureText failure={save.failure.value} />
      <Row>
        <Button kind="primary" type="submit" busy={save.busy.value} disabled={!isChanged}>
          {t('app.save')}
        </Button>
        {isChanged && (
          <Button kind="quiet" onClick={discard}>
            {t('network.discard')}
          </Button>
        )}
        <CopyAs
          what={t('network.proxy')}
          sample={{ method: 'PATCH', path: '/config', json: proxyPatch(form) }}
        />
      </Row>
    </form>
  );
}
