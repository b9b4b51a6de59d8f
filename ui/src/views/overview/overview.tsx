import type { Device } from '../../app/device-state.ts';
import {
  device,
  display,
  type Health,
  health,
  type Network,
  network,
  useResource,
} from '../../app/device-state.ts';
import { howItGoes, screenWords, whatIsShown } from '../../app/display-words.ts';
import { formatDuration } from '../../app/format.ts';
import { vitals, worst } from '../../app/health-words.ts';
import { VIEW_PATHS } from '../../app/paths.ts';
import { language, plural, t } from '../../app/texts.ts';
import { Badge, Meter } from '../../parts/badge.tsx';
import { Card, KeyValues } from '../../parts/card.tsx';
import { DisplayWords } from '../../parts/display-words.tsx';
import { Row } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { Picture } from '../../parts/picture.tsx';
import { Loaded } from '../../parts/states.tsx';
import { View } from '../../parts/view.tsx';
import { EditableName } from './editable-name.tsx';
import { Uptime } from './uptime.tsx';

/** What the device does, and how it is. */
export default function Overview() {
  const name = device.value.value?.name;
  return (
    <View
      title={t('overview.title')}
      heading={name}
      actions={name !== undefined && <EditableName name={name} />}
    >
      <Problems />
      <div class="columns">
        <OnScreen />
        <div class="stack">
          <HealthCard />
          <Facts />
        </div>
      </div>
    </View>
  );
}

/** Sentences of the device, in English. */
function Problems() {
  const problems = health.value.value?.problems ?? [];
  if (problems.length === 0) return null;
  return (
    <Card title={t('overview.problems')} class="card-warning">
      <p class="hidden-text">{plural('overview.problems', problems.length)}</p>
      <ul class="problems" lang="en">
        {problems.map((problem) => (
          <li key={problem}>
            <Icon name="alert" />
            {problem}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function OnScreen() {
  const links = (
    <Row>
      <Link to={VIEW_PATHS.remote} class="button button-quiet">
        {t('remote.title')}
      </Link>
      <Link to={VIEW_PATHS.show} class="button button-quiet" label={t('overview.change_shown')}>
        {t('overview.change')}
      </Link>
    </Row>
  );
  return (
    <Card title={t('overview.screen')} actions={links}>
      <Loaded of={display} lines={8}>
        {(state) => (
          <div class="stack">
            <Picture state={state} />
            <DisplayWords what={whatIsShown(state)} words={howItGoes(state)} />
            {state.resolution !== null && <p class="soft small">{screenWords(state)}</p>}
          </div>
        )}
      </Loaded>
    </Card>
  );
}

function HealthCard() {
  const rows = health.value.value ? vitals(health.value.value, language.value) : [];
  const badge = rows.length > 0 && <Badge level={worst(rows.map(({ level }) => level))} />;
  return (
    <Card title={t('overview.health')} actions={badge}>
      <Loaded of={health} lines={5}>
        {(value: Health) => (
          <ul class="vitals">
            {vitals(value, language.value).map(({ name, level, value: text, advice, used }) => (
              <li key={name} class="vital">
                <div class="vital-head">
                  <span class="vital-name">{t(name)}</span>
                  {level === 'good' || level === 'unknown' ? (
                    <span class="vital-value">{text}</span>
                  ) : (
                    <Badge level={level} text={text} />
                  )}
                </div>
                {used !== undefined && <Meter used={used} level={level} />}
                {advice && <p class="soft small">{advice}</p>}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

function Facts() {
  useResource(network);
  return (
    <Card title={t('overview.facts')}>
      <Loaded of={device} lines={5}>
        {(value: Device) => (
          <KeyValues
            rows={[
              [t('device.uptime'), <Uptime key="uptime" health={health.value.value} format={uptimeText} />],
              ...networkRows(network.value.value),
              [t('device.version'), value.version],
              [t('device.slot'), value.slot.toUpperCase()],
              [t('device.model'), value.model],
              [t('device.serial'), value.serial],
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}

function networkRows(state: Network | undefined): [string, preact.ComponentChildren][] {
  if (!state) return [];
  const used = state.interfaces.filter(({ addresses }) => addresses.length > 0);
  const addresses = used.map(({ name, addresses: list }) => (
    <span class="line" key={name}>
      <span class="soft">{name}</span> {list.join(', ')}
    </span>
  ));
  return [
    [t('device.hostname'), state.hostname],
    [t('device.addresses'), addresses.length > 0 ? addresses : t('device.no_addresses')],
  ];
}

function uptimeText(seconds: number): string {
  return formatDuration(seconds, language.value);
}
