import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { device } from '../app/device-state.ts';

interface ViewProps {
  /** Of the heading and of the window. */
  title: string;
  /** Text of the heading, if it is another one. */
  heading?: string | undefined;
  /** Controls beside the heading. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** Whether a view was shown before, from which the user has come. */
let hasNavigated = false;

/** The frame of a view: its heading, which gets the focus after a navigation, and its content. */
export function View({ title, heading, actions, children }: ViewProps) {
  const element = useRef<HTMLHeadingElement>(null);
  const name = device.value.value?.name;
  useEffect(() => {
    document.title = name === undefined ? title : `${title} · ${name}`;
  }, [title, name]);
  useEffect(() => {
    if (hasNavigated) element.current?.focus({ preventScroll: true });
    hasNavigated = true;
    scrollTo(0, 0);
  }, []);
  return (
    <div class="view">
      <header class="view-head">
        <h1 ref={element} tabIndex={-1}>
          {heading ?? title}
        </h1>
        {actions}
      </header>
      {children}
    </div>
  );
}
