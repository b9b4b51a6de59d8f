import { useEffect, useState } from 'preact/hooks';
import type { Payloads } from '../../../../client/contract.ts';
import { connection } from '../../app/device-state.ts';
import { remember, remembered } from '../../app/storage.ts';
import { t } from '../../app/texts.ts';
import { Card } from '../../parts/card.tsx';
import { Switch } from '../../parts/choice.tsx';
import { EmptyState } from '../../parts/states.tsx';
import type { Level } from '../../parts/stream/entry.ts';
import { StreamPanel } from '../../parts/stream/stream-panel.tsx';
import { useGaps } from '../../parts/stream/use-gaps.ts';
import { pageConsole } from './page-state.ts';
import { shortSource } from './source.ts';

type ConsoleMessage = Payloads['page_console'];

const REMEMBERED = 'page_console';
const LEVELS: Readonly<Record<ConsoleMessage['level'], Level>> = {
  debug: 'debug',
  log: 'info',
  info: 'info',
  warn: 'warning',
  error: 'error',
};

/** The JavaScript console of the displayed page, which the device collects only while somebody follows it. */
export function PageConsole() {
  const [isOn, setOn] = useState(() => remembered(REMEMBERED) === 'on');
  return (
    <Card title={t('page.console')}>
      <Switch
        label={t('page.console_follow')}
        hint={t('page.console_hint')}
        isOn={isOn}
        onChange={(wanted) => {
          setOn(wanted);
          remember(REMEMBERED, wanted ? 'on' : undefined);
        }}
      />
      {isOn && <Subscription />}
      <StreamPanel
        stream={pageConsole}
        label={t('page.console')}
        file="vitrine-page-console"
        sourceName={t('page.source')}
        shortSource={shortSource}
        hasLevels
        isSpoken
        empty={
          <EmptyState icon="page" title={t(isOn ? 'page.console_empty' : 'page.console_off')}>
            {t(isOn ? 'page.console_empty_do' : 'page.console_off_do')}
          </EmptyState>
        }
      />
    </Card>
  );
}

/** Follows the console while it is there. */
function Subscription() {
  useGaps(pageConsole);
  useEffect(() => connection.on('page_console', take), []);
  return null;
}

function take({ level, text, source, line, left_out }: ConsoleMessage, ts: string): void {
  const place = [source ?? '', line].filter((part) => part !== '' && part !== null).join(':');
  pageConsole.add({ at: Date.parse(ts), level: LEVELS[level], source: place, text, missing: left_out });
}
