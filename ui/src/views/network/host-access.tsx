import { until, useAction } from '../../app/actions.ts';
import { device } from '../../app/device-state.ts';
import { storeConfig, storedConfig } from '../../app/stored-config.ts';
import { t } from '../../app/texts.ts';
import { Card } from '../../parts/card.tsx';
import { Switch } from '../../parts/choice.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Spinner } from '../../parts/spinner.tsx';
import { Loaded } from '../../parts/states.tsx';
import { hostAccessIn } from './network-settings.ts';

/** A change may restart the browser, which the device waits for. */
const TIMEOUT_MS = 20_000;

/** What lies between the displayed page and the computer at the cable. */
export function HostAccessCard() {
  const isAppliance = device.value.value?.model_profile !== 'generic';
  return (
    <Card title={t('network.access')}>
      <Loaded of={storedConfig}>
        {(config) => (
          <>
            <AccessSwitch
              field="allow_host_services"
              label={t('network.host_services')}
              hint={t('network.host_services_hint')}
              isOn={hostAccessIn(config).hostServices}
              isAppliance={isAppliance}
            />
            <AccessSwitch
              field="remote_debugging"
              label={t('network.debugging')}
              hint={t('network.debugging_hint')}
              isOn={hostAccessIn(config).remoteDebugging}
              isAppliance={isAppliance}
            />
            {!isAppliance && <p class="soft small">{t('network.not_here')}</p>}
          </>
        )}
      </Loaded>
    </Card>
  );
}

interface AccessSwitchProps {
  /** In the group `browser` of the configuration. */
  field: 'allow_host_services' | 'remote_debugging';
  label: string;
  hint: string;
  isOn: boolean;
  isAppliance: boolean;
}

function AccessSwitch({ field, label, hint, isOn, isAppliance }: AccessSwitchProps) {
  const change = useAction<[boolean]>({
    showsFailure: true,
    run: async (wanted) => {
      await storeConfig({ browser: { [field]: wanted } }, { mayWait: !isAppliance });
      await until(() => {
        const { hostServices, remoteDebugging } = hostAccessIn(storedConfig.value.value);
        return (field === 'allow_host_services' ? hostServices : remoteDebugging) === wanted;
      }, TIMEOUT_MS);
    },
  });
  return (
    <>
      <div class="network-setting">
        <Switch label={label} hint={hint} isOn={isOn} onChange={(wanted) => void change.start(wanted)} />
        {change.busy.value && <Spinner />}
        <CopyAs
          what={label}
          sample={{ method: 'PATCH', path: '/config', json: { browser: { [field]: !isOn } } }}
        />
      </div>
      <FailureText failure={change.failure.value} />
    </>
  );
}
