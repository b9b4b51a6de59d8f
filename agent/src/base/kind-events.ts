interface Subscription {
  kinds: readonly string[];
  listener: (event: never) => void;
}

/** Passes each event on to those who subscribed to its kind, which its field `event` names. */
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
      // `on` ties a listener to the kinds beside it, so it takes every event of them.
      if (kinds.includes(event.event)) (listener as (event: E) => void)(event);
    }
  }
}
