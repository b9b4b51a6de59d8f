import type { ComponentChildren } from 'preact';
import type { Level } from '../app/display-words.ts';
import { Icon, type IconName } from './icon.tsx';

interface BannerProps {
  level: Level;
  icon: IconName;
  children: ComponentChildren;
  /** Controls at the end. */
  actions?: ComponentChildren;
}

/** A message above everything, about the whole app. */
export function Banner({ level, icon, children, actions }: BannerProps) {
  return (
    <div class={`banner banner-${level}`}>
      <Icon name={icon} />
      <div class="banner-text">{children}</div>
      {actions}
    </div>
  );
}
