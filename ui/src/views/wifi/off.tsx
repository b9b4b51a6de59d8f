import { useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { storedConfig } from '../../app/stored-config.ts';
import { t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { likelyCountry } from './countries.ts';
import { CountryField } from './country-field.tsx';
import { switchOn } from './wifi-actions.ts';
import { wifiSettingsIn } from './wifi-settings.ts';

/** Wi-Fi is off: what it needs to be switched on. */
export function OffCard() {
  const stored = wifiSettingsIn(storedConfig.value.value).country;
  const [chosen, setChosen] = useState<string>();
  const country = chosen ?? stored ?? likelyCountry(navigator.languages) ?? '';
  const start = useAction({ showsFailure: true, run: () => switchOn(country), done: () => t('wifi.is_on') });
  return (
    <Card title={t('wifi.radio')}>
      <EmptyState icon="wifi" title={t('wifi.off')}>
        {t('wifi.off_do')}
      </EmptyState>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (country !== '') void start.start();
        }}
      >
        <CountryField value={country} onChange={setChosen} />
        <FailureText failure={start.failure.value} />
        <Row>
          <Button kind="primary" type="submit" busy={start.busy.value} disabled={country === ''}>
            {t('wifi.switch_on')}
          </Button>
          <CopyAs
            what={t('wifi.switch_on')}
            sample={{
              method: 'PATCH',
              path: '/config',
              json: { wifi: { enabled: true, country: country || 'DE' } },
            }}
          />
        </Row>
      </form>
    </Card>
  );
}
