/** Actions of the user: busy until their result can be seen in the device's state, or until it is known why not. */
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ActionError, type Failure, failureOf } from './failure.ts';
import { t } from './texts.ts';
import { toast } from './toasts.ts';

export interface ActionOptions<A extends readonly unknown[]> {
  /** Does the request, and waits for its result, for example by {@link until}. */
  run: (...given: A) => Promise<void>;
  /** What the user is told at the end; undefined if the result can be seen anyway. */
  done?: (() => string) | undefined;
  /** Whether the view shows the failure itself, beside the control; else it is a message. */
  showsFailure?: boolean;
}

/** An action and how it goes. A second call while it runs does nothing. */
export class Action<A extends readonly unknown[] = []> {
  readonly #options: ActionOptions<A>;
  readonly #busy = signal(false);
  readonly #failure = signal<Failure | undefined>(undefined);

  constructor(options: ActionOptions<A>) {
    this.#options = options;
  }

  get busy(): ReadonlySignal<boolean> {
    return this.#busy;
  }

  /** Why the last run failed. */
  get failure(): ReadonlySignal<Failure | undefined> {
    return this.#failure;
  }

  /** @returns whether it had its result */
  readonly start = async (...given: A): Promise<boolean> => {
    if (this.#busy.peek()) return false;
    this.#busy.value = true;
    this.#failure.value = undefined;
    try {
      await this.#options.run(...given);
      if (this.#options.done) toast('good', this.#options.done());
      return true;
    } catch (error) {
      const failure = failureOf(error);
      this.#failure.value = failure;
      if (!this.#options.showsFailure) {
        toast('bad', failure.detail ? `${failure.sentence} (${failure.detail})` : failure.sentence);
      }
      return false;
    } finally {
      this.#busy.value = false;
    }
  };

  /** Removes a failure that the user has read. */
  forget(): void {
    this.#failure.value = undefined;
  }
}

/** An action of a component, which keeps it while it is shown. */
export function useAction<A extends readonly unknown[]>(options: ActionOptions<A>): Action<A> {
  const latest = useRef(options);
  latest.current = options;
  const action = useRef<Action<A>>(null);
  action.current ??= new Action<A>({
    run: (...given) => latest.current.run(...given),
    done: options.done && (() => latest.current.done?.() ?? ''),
    ...(options.showsFailure && { showsFailure: true }),
  });
  return action.current;
}

/**
 * Waits until a condition on signals is met.
 * @param condition true when it is met; it throws an {@link ActionError} if it never will be
 * @param timeoutMs then the action fails
 */
export async function until(condition: () => boolean, timeoutMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new ActionError(t('error.no_result'))), timeoutMs);
  const stop = effect(() => {
    try {
      if (condition()) resolve();
    } catch (error) {
      reject(error);
    }
  });
  await promise.finally(() => {
    clearTimeout(timer);
    stop();
  });
}
