import { plural, t } from '../../app/texts.ts';
import { Button } from '../../parts/button.tsx';
import { CopyAs } from '../../parts/copy-as.tsx';
import { FailureText } from '../../parts/failure-text.tsx';
import { Row } from '../../parts/field.tsx';
import { type Change, sampleOf } from './changes.ts';
import { ChangesList } from './changes-list.tsx';
import type { Sending } from './use-send.ts';

interface SaveBarProps {
  changes: readonly Change[];
  /** Fields with something that is no value. */
  problems: number;
  /** Fields that somebody else has changed meanwhile. */
  conflicts: number;
  sending: Sending;
  onDiscard: () => void;
}

/** What is not saved yet, at the lower edge of the window. */
export function SaveBar({ changes, problems, conflicts, sending, onDiscard }: SaveBarProps) {
  const { action } = sending;
  const count = changes.length + problems;
  if (count === 0) return null;
  return (
    <section class="card settings-bar" aria-label={t('settings.bar')}>
      <p class="settings-bar-title" role="status">
        {plural('settings.unsaved', count)}
      </p>
      {problems > 0 && <p class="field-error">{plural('settings.problems', problems)}</p>}
      {conflicts > 0 && <p class="field-error">{plural('settings.conflicts', conflicts)}</p>}
      <FailureText failure={action.failure.value} />
      {changes.length > 0 && (
        <details>
          <summary>{t('settings.preview')}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
          <section class="settings-preview" tabIndex={0} aria-label={t('settings.preview')}>
            <ChangesList changes={changes} />
          </section>
        </details>
      )}
      <Row>
        <Button
          kind="primary"
          busy={action.busy.value}
          disabled={problems > 0 || conflicts > 0}
          onClick={() => void action.start(changes)}
        >
          {t('settings.save')}
        </Button>
        <CopyAs
          what={t('settings.save')}
          sample={{ method: 'PATCH', path: '/config', json: sampleOf(changes) }}
        />
        <Button kind="quiet" onClick={onDiscard}>
          {t('settings.discard')}
        </Button>
      </Row>
    </section>
  );
}
