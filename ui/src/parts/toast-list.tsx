import { t } from '../app/texts.ts';
import { dismiss, toasts } from '../app/toasts.ts';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';

/** The messages. The region is always there, so that screen readers notice what appears in it. */
export function ToastList() {
  return (
    <section class="toasts" aria-live="polite" aria-label={t('app.messages')}>
      {toasts.value.map(({ id, kind, text }) => (
        <div class={`toast toast-${kind}`} key={id}>
          <Icon name={kind === 'good' ? 'check' : 'error'} />
          <p>{text}</p>
          <IconButton icon="close" label={t('app.close')} onClick={() => dismiss(id)} />
        </div>
      ))}
    </section>
  );
}
