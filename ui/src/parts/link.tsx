import type { ComponentChildren } from 'preact';
import { isPlainClick, navigate } from '../app/router.ts';

interface LinkProps {
  /** A path of this app. */
  to: string;
  children: ComponentChildren;
  class?: string;
  /** For screen readers, if the text alone does not say where it leads. */
  label?: string;
  /** It leads to the view that is shown. */
  current?: boolean;
}

/** A link to a view, which is shown without loading the page again. */
export function Link({ to, children, class: extra, label, current = false }: LinkProps) {
  return (
    <a
      href={to}
      class={extra}
      aria-label={label}
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        navigate(to);
      }}
    >
      {children}
    </a>
  );
}
