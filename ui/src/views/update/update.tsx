import { useEffect } from 'preact/hooks';
import { connection, device, useResource } from '../../app/device-state.ts';
import { isAbsence } from '../../app/failure.ts';
import { t } from '../../app/texts.ts';
import { Card, KeyValues } from '../../parts/card.tsx';
import { Loaded } from '../../parts/states.tsx';
import { View } from '../../parts/view.tsx';
import { FleetCard } from './fleet-card.tsx';
import { InstallCard } from './install-card.tsx';
import { ResultCard } from './result-card.tsx';
import { isAboutToRestart, type UpdateStatus } from './slot-state.ts';
import { Slots, Trial } from './slots.tsx';
import { installation, support, update } from './update-state.ts';

/** How often what the fleet client does is read while it is shown, in ms: its polls have no event. */
const FLEET_MS = 15_000;

/** A new version for the device, from a file or from a server. */
export default function Update() {
  useResource(support);
  useResource(update);
  useResource(installation);
  const status = update.value.value;
  return (
    <View title={t('update.title')}>
      {support.value.value && status ? <Updates status={status} /> : <NoUpdates />}
    </View>
  );
}

function Updates({ status }: { status: UpdateStatus }) {
  const { hawkbit: fleet, last_result: result } = status;
  useEffect(() => {
    if (!fleet.enabled) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && connection.isOnline) void update.refresh();
    }, FLEET_MS);
    return () => clearInterval(timer);
  }, [fleet.enabled]);
  // Another page, or the fleet server, has started it.
  const isAbout = isAboutToRestart(status);
  useEffect(() => {
    if (isAbout) connection.expect('update');
  }, [isAbout]);
  return (
    <>
      <Trial status={status} />
      <div class="columns">
        <div class="stack">
          <InstallCard status={status} />
          <Slots status={status} />
        </div>
        <div class="stack">
          <ResultCard result={result} />
          <FleetCard fleet={fleet} />
        </div>
      </div>
    </>
  );
}

/** While it is read whether the device can be updated, and where it cannot. */
function NoUpdates() {
  const version = device.value.value?.version;
  return (
    <Card title={t('update.install')}>
      {version !== undefined && <KeyValues rows={[[t('update.version_now'), version]]} />}
      <Loaded of={support} lines={6}>
        {() => <Loaded of={update}>{() => null}</Loaded>}
      </Loaded>
      {isAbsence(support.error.value) && <p class="soft">{t('update.absent_do')}</p>}
    </Card>
  );
}
