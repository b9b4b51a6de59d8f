import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';
import { Spinner } from './spinner.tsx';

interface ButtonProps {
  children: ComponentChildren;
  /** One primary button in a group of controls is enough. */
  kind?: 'primary' | 'secondary' | 'quiet' | 'danger';
  icon?: IconName;
  /** It cannot be pressed while its action runs, and keeps the focus. */
  busy?: boolean;
  disabled?: boolean;
  type?: 'button' | 'submit';
  /** For screen readers, if the text alone does not say what is meant. */
  label?: string;
  /** Whether what it opens is open. */
  expanded?: boolean;
  onClick?: () => void;
}

/** A button with a text. */
export function Button({
  children,
  kind = 'secondary',
  icon,
  busy = false,
  disabled = false,
  type = 'button',
  label,
  expanded,
  onClick,
}: ButtonProps) {
  return (
    <button
      class={`button button-${kind}`}
      type={type}
      aria-busy={busy}
      aria-disabled={busy || undefined}
      aria-label={label}
      aria-expanded={expanded}
      disabled={disabled}
      onClick={(event) => {
        if (busy) event.preventDefault();
        else onClick?.();
      }}
    >
      {busy ? <Spinner /> : icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

interface IconButtonProps {
  icon: IconName;
  /** What it does; also shown when the pointer rests on it. */
  label: string;
  onClick: () => void;
  /** Whether what it opens is open. */
  expanded?: boolean;
}

/** A button with an icon alone. */
export function IconButton({ icon, label, onClick, expanded }: IconButtonProps) {
  return (
    <button
      class="icon-button"
      type="button"
      aria-label={label}
      title={label}
      aria-expanded={expanded}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
