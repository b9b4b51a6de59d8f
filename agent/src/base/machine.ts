/** State machines, for what decides about order or recovery: a pure function, and a driver that performs its effects. */
import { throwLater } from './unexpected-errors.ts';

/** The new state, and what is to be done, in this order. */
export interface Transition<State, Effect> {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** Pure: no time, no input or output. It returns the same state object for an event that is out of date. */
export type Machine<State, Event, Effect> = (state: State, event: Event) => Transition<State, Effect>;

/** Most events that wait; more are dropped, since two parts answer each other without end. */
const MAX_WAITING = 1000;

export interface DriverOptions<State, Event, Effect> {
  machine: Machine<State, Event, Effect>;
  initial: State;
  /** Performs an effect. If it returns a promise, the next one waits for that. */
  perform: (effect: Effect) => Promise<void> | void;
  /**
   * An effect has failed, and the later ones of the same event are dropped; or too many events wait. By default this is
   * an unexpected error.
   */
  failed?: (error: unknown) => void;
  /** Called with no event waiting any more, if the state is another one than at the first of them. */
  changed?: () => void;
}

/** Takes one event after the other: the next one when all effects of the one before are performed. */
export class Driver<State, Event, Effect> {
  readonly #options: DriverOptions<State, Event, Effect>;
  readonly #events: Event[] = [];
  #state: State;
  #isBusy = false;
  #isStopped = false;

  constructor(options: DriverOptions<State, Event, Effect>) {
    this.#options = options;
    this.#state = options.initial;
  }

  get state(): State {
    return this.#state;
  }

  /** Replaces the state, as after a restart. */
  reset(state: State): void {
    this.#state = state;
  }

  /** Events and effects that wait are dropped, and so is everything after. */
  stop(): void {
    this.#isStopped = true;
    this.#events.length = 0;
  }

  /** Events that arrive while effects are performed wait; otherwise the effects that return no promise are performed now. */
  dispatch(event: Event): void {
    if (this.#isStopped) return;
    if (this.#events.length >= MAX_WAITING) {
      const { failed = throwLater } = this.#options;
      failed(new Error('too many events wait for a state machine'));
      return;
    }
    this.#events.push(event);
    if (!this.#isBusy) void this.#run();
  }

  async #run(): Promise<void> {
    const { machine, perform, failed = throwLater, changed } = this.#options;
    const before = this.#state;
    this.#isBusy = true;
    for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) {
      try {
        const { state, effects } = machine(this.#state, event);
        this.#state = state;
        for (const effect of effects) {
          if (this.#isStopped) break;
          const pending = perform(effect);
          if (pending) await pending;
        }
      } catch (error) {
        if (!this.#isStopped) failed(error);
      }
    }
    this.#isBusy = false;
    if (this.#state !== before) changed?.();
  }
}
