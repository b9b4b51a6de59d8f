import type { Level } from '../../app/display-words.ts';
import { t } from '../../app/texts.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import type { Applied } from './schema.ts';

/** A short note on a setting. Unlike a badge it does not say how good something is. */
export function Tag({ icon, text, level = 'unknown' }: { icon: IconName; text: string; level?: Level }) {
  return (
    <span class={`badge badge-${level}`}>
      <Icon name={icon} />
      {text}
    </span>
  );
}

const APPLIED = {
  live: { icon: 'check', text: 'settings.now' },
  reboot_required: { icon: 'restart', text: 'settings.after_restart' },
  mixed: { icon: 'restart', text: 'settings.partly' },
} as const;

/** When a change takes effect. */
export function AppliedTag({ applied }: { applied: Applied }) {
  const { icon, text } = APPLIED[applied];
  return <Tag icon={icon} text={t(text)} />;
}
