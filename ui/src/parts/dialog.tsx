import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface DialogProps {
  label: string;
  onClose: () => void;
  children: ComponentChildren;
  class?: string;
}

/** A dialog, open as long as it is rendered. The browser keeps the focus inside, and closes it with Escape. */
export function Dialog({ label, onClose, children, class: extra = '' }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, too
    <dialog
      ref={element}
      class={`dialog ${extra}`}
      aria-label={label}
      onClose={onClose}
      onClick={({ target }) => {
        // Outside of the content.
        if (target === element.current) element.current?.close();
      }}
    >
      <div class="dialog-content">{children}</div>
    </dialog>
  );
}
