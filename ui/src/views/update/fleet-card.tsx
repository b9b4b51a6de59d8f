import { formatTime } from '../../app/format.ts';
import { VIEW_PATHS } from '../../app/paths.ts';
import { language, t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Card, KeyValues } from '../../parts/card.tsx';
import { Link } from '../../parts/link.tsx';
import { Progress } from '../../parts/progress.tsx';
import { EmptyState } from '../../parts/states.tsx';
import type { FleetStatus } from './slot-state.ts';
import { fleetWords } from './update-words.ts';

/** The server that this device fetches updates from. */
export function FleetCard({ fleet }: { fleet: FleetStatus }) {
  const settings = (
    <Link to={VIEW_PATHS.settings} class="button button-quiet">
      {t('settings.title')}
    </Link>
  );
  return (
    <Card title={t('update.fleet')} actions={settings}>
      {fleet.enabled ? (
        <Fleet fleet={fleet} />
      ) : (
        <EmptyState icon="globe" title={t('update.fleet_off')}>
          {t('update.fleet_off_do')}
        </EmptyState>
      )}
    </Card>
  );
}

function Fleet({ fleet }: { fleet: FleetStatus }) {
  const { level, sentence, todo, detail } = fleetWords(fleet);
  const { action, connected, last_poll_ts, next_poll_ts } = fleet;
  const time = (timestamp: string | null) =>
    timestamp === null ? t('update.never') : formatTime(timestamp, language.value);
  const rows: [string, string][] = [
    [t('update.fleet_connection'), t(connected ? 'update.fleet_connected' : 'update.fleet_not_connected')],
    [t('update.fleet_last_poll'), time(last_poll_ts)],
    [t('update.fleet_next_poll'), time(next_poll_ts)],
  ];
  if (action) rows.push([t('update.fleet_action'), `${action.version} (${action.id})`]);
  return (
    <div class="stack">
      {level === 'unknown' ? <p>{sentence}</p> : <Badge level={level} text={sentence} />}
      {todo && <p>{todo}</p>}
      {detail && (
        <p class="soft small" lang="en">
          {detail}
        </p>
      )}
      {action?.phase === 'installing' && <Progress label={t('update.now_write')} done={action.progress} />}
      <KeyValues rows={rows} />
    </div>
  );
}
