import type { Failure } from '../app/failure.ts';

/** Why an action has failed, beside its control. The region is always there, so that screen readers notice it. */
export function FailureText({ failure }: { failure: Failure | undefined }) {
  return (
    <div role="alert" class="result">
      {failure && <p class="field-error">{failure.sentence}</p>}
      {failure?.detail && (
        <p class="soft small" lang="en">
          {failure.detail}
        </p>
      )}
    </div>
  );
}
