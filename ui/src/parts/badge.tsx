import type { Level } from '../app/display-words.ts';
import { t } from '../app/texts.ts';
import { Icon, type IconName } from './icon.tsx';

const ICONS: Record<Level, IconName> = { good: 'check', warning: 'alert', bad: 'error', unknown: 'question' };

/** How good something is: by a word and an icon, not by the colour alone. */
export function Badge({ level, text }: { level: Level; text?: string }) {
  return (
    <span class={`badge badge-${level}`}>
      <Icon name={ICONS[level]} />
      {text ?? t(`level.${level}`)}
    </span>
  );
}

/** How much of something is used, beside a text that says it. @param used 0 to 1 */
export function Meter({ used, level }: { used: number; level: Level }) {
  return (
    <div class={`meter meter-${level}`} aria-hidden="true">
      <span style={{ width: `${Math.round(used * 100)}%` }} />
    </div>
  );
}
