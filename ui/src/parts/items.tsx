/** Lists of things: networks, devices, tags, bundles. They need no table, so they fit on a phone. */
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

/** @param label what is in the list */
export function Items({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <ul class="items" aria-label={label}>
      {children}
    </ul>
  );
}

interface ItemProps {
  icon?: IconName;
  /** In place of the icon. */
  picture?: ComponentChildren;
  title: string;
  /** One or two lines about it. */
  text?: ComponentChildren;
  /** States of it. */
  badges?: ComponentChildren;
  /** Controls at the end; on a phone below. */
  actions?: ComponentChildren;
  /** What is shown below, over the whole width. */
  children?: ComponentChildren;
}

/** One of {@link Items}. */
export function Item({ icon, picture, title, text, badges, actions, children }: ItemProps) {
  return (
    <li class="item">
      <div class="item-line">
        {picture ?? (icon && <Icon name={icon} />)}
        <div class="item-text">
          <p class="item-title">{title}</p>
          {text && <div class="soft small">{text}</div>}
        </div>
        {badges && <div class="row item-badges">{badges}</div>}
        {actions && <div class="row item-actions">{actions}</div>}
      </div>
      {children}
    </li>
  );
}
