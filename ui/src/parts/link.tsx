import type { ComponentChildren } from 'preact';
import { isPlainClick, navigate } from '../app/router.ts';

interface LinkProps {
  /** A path of this app. */
  to: string;
  children: ComponentChildren;
  class?: string;
  /** It leads to the view that is shown. */
  current?: boolean;
}

/** A link to a view, which is shown without loading the page again. */
export function Link({ to, children, class: extra, current = false }: LinkProps) {
  return (
    <a
      href={to}
      class={extra}
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
