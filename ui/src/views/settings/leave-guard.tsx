import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../../app/actions.ts';
import { guardLeaving } from '../../app/router.ts';
import { t } from '../../app/texts.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { isDocumentEdited } from './document-card.tsx';
import { isChange } from './drafts.ts';
import { drafts, edited } from './state.ts';

/** Asks before the view or the page is left with changes that are not saved. */
export function LeaveGuard() {
  const [leave, setLeave] = useState<() => void>();
  const isEdited = isDocumentEdited();
  const isUnsaved = isEdited || [...drafts.value.values()].some(isChange);
  useEffect(() => {
    if (!isUnsaved) return;
    const stop = guardLeaving((go) => {
      setLeave(() => go);
      return false;
    });
    const warn = (event: Event) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => {
      stop();
      removeEventListener('beforeunload', warn);
    };
  }, [isUnsaved]);
  const discard = useAction({
    showsFailure: true,
    run: async () => {
      drafts.value = new Map();
      edited.value = undefined;
      leave?.();
    },
  });
  if (!leave) return null;
  return (
    <Confirm
      title={t('settings.leave_ask')}
      confirm={t('settings.leave')}
      isDanger
      action={discard}
      onClose={() => setLeave(undefined)}
    >
      <p>{t('settings.leave_text')}</p>
    </Confirm>
  );
}
