import { Icon } from './icon.tsx';
import { Spinner } from './spinner.tsx';

export interface Step {
  readonly text: string;
  readonly state: 'done' | 'running' | 'failed' | 'open';
}

/** Steps of something that takes a while, one after the other. */
export function Steps({ label, steps }: { label: string; steps: readonly Step[] }) {
  return (
    <ol class="steps" aria-label={label}>
      {steps.map(({ text, state }) => (
        <li key={text} class={`step step-${state}`} aria-current={state === 'running' ? 'step' : undefined}>
          {state === 'running' && <Spinner />}
          {state === 'done' && <Icon name="check" />}
          {state === 'failed' && <Icon name="error" />}
          {state === 'open' && <span class="step-dot" aria-hidden="true" />}
          {text}
        </li>
      ))}
    </ol>
  );
}
