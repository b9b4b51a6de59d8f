import { useAction } from '../../app/actions.ts';
import { health } from '../../app/device-state.ts';
import { VIEW_PATHS } from '../../app/paths.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Card } from '../../parts/card.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Item, Items } from '../../parts/items.tsx';
import { Link } from '../../parts/link.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { SwitchAction } from '../../parts/switch-action.tsx';
import { beep, beepSample, enable } from './requests.ts';
import type { Reader } from './state.ts';
import { backendName } from './words.ts';

/** The readers that there are, were, or should be. */
export function Readers({ readers }: { readers: readonly Reader[] }) {
  const enabled = useAction({ showsFailure: true, run: enable });
  // Sentences of the device about readers that are missing begin with this word (docs/nfc.md).
  const problems = health.value.value?.problems.filter((problem) => /\bNFC\b/.test(problem)) ?? [];
  return (
    <Card title={t('nfc.readers')}>
      {readers.length === 0 ? (
        <EmptyState icon="nfc" title={t('nfc.no_readers')}>
          <p>{t('nfc.no_readers_do')}</p>
          <Link to={VIEW_PATHS.settings}>{t('nfc.settings')}</Link>
        </EmptyState>
      ) : (
        <Items label={t('nfc.readers')}>
          {readers.map((reader) => (
            <ReaderItem key={reader.id} reader={reader} />
          ))}
        </Items>
      )}
      {problems.length > 0 && (
        <ul class="problems small" lang="en">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <SwitchAction
        label={t('nfc.enabled')}
        hint={t('nfc.enabled_hint')}
        isOn
        action={enabled}
        sample={enableSample}
      />
    </Card>
  );
}

export function enableSample(enabled: boolean) {
  return { method: 'PATCH', path: '/config', json: { nfc: { enabled } } } as const;
}

function ReaderItem({ reader }: { reader: Reader }) {
  const { id, backend, present, capabilities } = reader;
  const action = useAction({
    showsFailure: true,
    run: () => beep(id),
    done: () => t('nfc.beeped'),
  });
  const label = t('nfc.beep_what', { reader: id });
  return (
    <Item
      icon="nfc"
      title={id}
      text={backendName(backend)}
      badges={<Badge level={present ? 'good' : 'warning'} text={t(present ? 'nfc.present' : 'nfc.absent')} />}
      actions={
        present &&
        capabilities.has_buzzer && (
          <>
            <Button busy={action.busy.value} label={label} onClick={() => void action.start()}>
              {t('nfc.beep')}
            </Button>
            <CopyAs
              what={label}
              sample={{ method: 'POST', path: '/nfc/reader/feedback', json: beepSample(id) }}
            />
          </>
        )
      }
    >
      {!present && <p class="soft small">{t('nfc.absent_do')}</p>}
      <FailureText failure={action.failure.value} />
    </Item>
  );
}
