import { throwLater } from './unexpected-errors.ts';

interface Subscription {
  kinds: readonly string[];
  listener: (event: never) => void;
}

/** An event emitter for events whose field `event` names their kind. */
export class KindEvents<E extends { event: string }> {
  readonly #subscriptions = new Set<Subscription>();

  /** Calls `listener` with every event of these kinds until the returned function is called. */
  readonly on = <K extends E['event']>(
    kinds: readonly K[],
    listener: (event: Extract<E, { event: K }>) => void,
  ): (() => void) => {
    const subscription = { kinds, listener };
    this.#subscriptions.add(subscription);
    return () => void this.#subscriptions.delete(subscription);
  };

  emit(event: E): void {
    for (const { kinds, listener } of [...this.#subscriptions]) {
      if (!kinds.includes(event.event)) continue;
      try {
        // Safe: `on` accepts only a listener that takes every event of these kinds.
        (listener as (event: E) => void)(event);
      } catch (error) {
        throwLater(error);
      }
    }
  }
}
