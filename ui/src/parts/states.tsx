/** What a view shows instead of its content: loading, nothing, a failure. */
import type { ComponentChildren } from 'preact';
import { failureOf, isAbsence } from '../app/failure.ts';
import type { Resource } from '../app/resource.ts';
import { t } from '../app/texts.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

/** Grey lines where texts will be. @param lines how many */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="hidden-text">{t('app.loading')}</span>
      {Array.from({ length: lines }, (_, index) => (
        <span class="skeleton-line" key={index} aria-hidden="true" />
      ))}
    </div>
  );
}

interface EmptyStateProps {
  icon: IconName;
  title: string;
  /** What to do. */
  children?: ComponentChildren;
}

/** There is nothing yet. */
export function EmptyState({ icon, title, children }: EmptyStateProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <p class="empty-title">{title}</p>
      {children && <div class="soft">{children}</div>}
    </div>
  );
}

/** Something could not be read. */
export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  const { sentence, detail } = failureOf(error);
  return (
    <div class="empty" role="alert">
      <Icon name={isAbsence(error) ? 'question' : 'error'} />
      <p class="empty-title">{t(isAbsence(error) ? 'error.absent' : 'error.title')}</p>
      <p class="soft">{sentence}</p>
      {detail && (
        <p class="soft small" lang="en">
          {detail}
        </p>
      )}
      {retry && (
        <Button icon="reload" onClick={retry}>
          {t('app.try_again')}
        </Button>
      )}
    </div>
  );
}

interface LoadedProps<T> {
  of: Resource<T>;
  children: (value: T) => ComponentChildren;
  /** Lines of the skeleton. */
  lines?: number;
}

/** The content that needs a resource: a skeleton until it was read, or why it could not be. The last state stays. */
export function Loaded<T>({ of: resource, children, lines }: LoadedProps<T>) {
  const value = resource.value.value;
  if (value !== undefined) return <>{children(value)}</>;
  const error = resource.error.value;
  if (error === undefined) return <Skeleton {...(lines && { lines })} />;
  return <ErrorState error={error} retry={() => void resource.refresh()} />;
}
