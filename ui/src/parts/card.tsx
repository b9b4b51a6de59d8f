import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface CardProps {
  title: string;
  /** Controls beside the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
  class?: string;
}

/** A section of a view. */
export function Card({ title, actions, children, class: extra = '' }: CardProps) {
  const id = useId();
  return (
    <section class={`card ${extra}`} aria-labelledby={id}>
      <header class="card-head">
        <h2 id={id}>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}

/** Names and values, in a list that becomes one column where there is no room. */
export function KeyValues({
  rows,
}: {
  rows: readonly (readonly [name: string, value: ComponentChildren])[];
}) {
  return (
    <dl class="key-values">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
