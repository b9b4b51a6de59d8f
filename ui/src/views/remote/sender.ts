/** Does inputs on the screen of the device, in their order and without flooding it. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { until } from '../../app/actions.ts';
import { ActionError, type Failure } from '../../app/failure.ts';
import { t } from '../../app/texts.ts';
import { inputFailureOf } from './input-failure.ts';
import { type InputEvent, typing } from './inputs.ts';
import type { Place } from './place.ts';
import { holdsButton, IDLE, type SenderEvent, type SenderState, step } from './sender-machine.ts';

/** The device releases what is held 5 s after the last request. Pause between those that prevent it, in ms. */
const STILL_MS = 2000;
/** A request may wait some seconds for a page that is busy, and for another one before it. */
const FINISH_MS = 60_000;

/** Which control an input came from. */
export type Source = 'picture' | 'keys' | 'text';

export interface SenderOptions {
  /** Makes a request. @throws Error when the device has not done it */
  send: (events: readonly InputEvent[]) => Promise<void>;
  /** Called after each request that was done. */
  done: () => void;
}

export class InputSender {
  readonly #options: SenderOptions;
  readonly #state = signal<SenderState>(IDLE);
  readonly #place = signal<Place | undefined>(undefined);
  readonly #failure = signal<{ source: Source; failure: Failure } | undefined>(undefined);
  #source: Source = 'picture';
  #timer: ReturnType<typeof setInterval> | undefined;
  #isClosed = false;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Where the pointer was put last; undefined before the first time. */
  get place(): ReadonlySignal<Place | undefined> {
    return this.#place;
  }

  /** Whether inputs had to be left out, because the device is slower than they come. */
  get isCrowded(): boolean {
    return this.#state.value.isCrowded;
  }

  /** Why the last input from a control was not done. */
  failureOf(source: Source): Failure | undefined {
    const last = this.#failure.value;
    return last?.source === source ? last.failure : undefined;
  }

  /** Does inputs as soon as possible: all of them, or none but releases if too many wait. */
  do(source: Source, events: readonly InputEvent[]): void {
    if (this.#isClosed || events.length === 0) return;
    this.#source = source;
    const last = events.findLast(({ type }) => type === 'move');
    if (last?.x !== undefined && last.y !== undefined) this.#place.value = { x: last.x, y: last.y };
    this.#dispatch({ type: 'input', events });
  }

  /** Types a text as soon as possible. */
  type(source: Source, text: string): void {
    const events = typing(text);
    if (events) this.do(source, events);
    else this.#fail(source, { sentence: t('remote.text_long'), detail: undefined });
  }

  /**
   * Types a text, and waits until the page has got it.
   * @throws ActionError when it has not
   */
  async finishTyping(text: string): Promise<void> {
    const before = this.#failure.peek();
    const { waiting: others } = this.#state.peek();
    this.type('text', text);
    const { waiting: queue, isCrowded: wasRefused } = this.#state.peek();
    if (wasRefused && queue === others) throw new ActionError(t('remote.crowded'));
    await until(() => {
      const last = this.#failure.value;
      if (last && last !== before) throw new ActionError(last.failure.sentence, last.failure.detail);
      const { sending, waiting } = this.#state.value;
      return !sending && waiting.length === 0;
    }, FINISH_MS);
  }

  /** Releases everything that is pressed. */
  readonly release = (): void => this.#dispatch({ type: 'release' });

  /** Takes no more inputs, and releases everything. What waits is still sent. */
  close(): void {
    this.#isClosed = true;
    this.release();
  }

  #fail(source: Source, failure: Failure): void {
    this.#failure.value = { source, failure };
  }

  #dispatch(event: SenderEvent): void {
    const [next, events] = step(this.#state.peek(), event);
    this.#state.value = next;
    if (holdsButton(next)) this.#timer ??= setInterval(() => this.#dispatch({ type: 'still' }), STILL_MS);
    else {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    if (events) void this.#request(events, next.isClearing);
  }

  /** @param isClearing it follows a failure, which stays to be read */
  async #request(events: readonly InputEvent[], isClearing: boolean): Promise<void> {
    const source = this.#source;
    try {
      await this.#options.send(events);
    } catch (error) {
      if (!isClearing) this.#fail(source, inputFailureOf(error));
      this.#dispatch({ type: 'failed' });
      return;
    }
    if (!isClearing) this.#failure.value = undefined;
    this.#options.done();
    this.#dispatch({ type: 'sent' });
  }
}
