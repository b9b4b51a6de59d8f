import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/mutex.ts';
import { errorMessage } from '../../base/system-error.ts';
import { ApiError } from '../../contract/errors.ts';
import { badRequest } from '../../contract/issues.ts';
import { brokenRules } from './injection.ts';
import type { VirtualInput } from './ports.ts';
import {
  REMOVED,
  type RemoteInputEffect,
  type RemoteInputEvent,
  remoteInputMachine,
} from './remote-input-machine.ts';
import { type InjectedEvent, remoteInputDisabled } from './schema.ts';

/** Requests that wait for their turn. */
const MAX_WAITING = 16;
/** Longest time that a request waits for the page to handle events before others, in ms. */
const SETTLE_MS = 5000;

export interface RemoteInputOptions {
  input: VirtualInput;
  /** Whether there is a screen that shows something. */
  hasScreen: () => boolean;
  /**
   * Asks the page's main thread for an answer, when it has been sent all input that the compositor had before, and the
   * compositor knows that the browser listens to the present devices.
   * @returns false when there was none in time; never rejects
   */
  ping: () => Promise<boolean>;
  /** Waits for the page's next frame, a while at most. Never rejects. */
  frame: () => Promise<unknown>;
  log: Pick<Logger, 'warn'>;
}

/** Does what hosts ask for with a pointer and a keyboard of the compositor: one request after the other. */
export class RemoteInput {
  readonly #options: RemoteInputOptions;
  readonly #turns = new Mutex();
  #state = REMOVED;
  /** `input.remote`. */
  #isEnabled = false;
  /** Until then, on the clock of `performance.now()`, the present request waits for the page. */
  #patientUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RemoteInputOptions) {
    this.#options = options;
  }

  /** Takes `input.remote`. What is pressed was released when this resolves for false. Never rejects. */
  async configure(isEnabled: boolean): Promise<void> {
    this.#isEnabled = isEnabled;
    if (isEnabled) return;
    this.#patientUntil = 0;
    await this.#inTurn(() => this.#take({ type: 'off' }));
  }

  /**
   * Resolves when the compositor has got all events, and the page has had the time to handle them.
   * @throws ApiError `bad_request`, `too_many_requests`, `unavailable`, `remote_input_disabled`
   */
  async inject(events: readonly InjectedEvent[]): Promise<void> {
    const issues = brokenRules(events);
    if (issues.length > 0) throw badRequest('', issues);
    if (!this.#options.hasScreen()) throw new ApiError('unavailable', 'There is no screen.');
    if (this.#turns.waiting > MAX_WAITING)
      throw new ApiError('too_many_requests', 'Too many requests for input are waiting.');
    try {
      await this.#turns.run(async () => {
        // It may have been switched off meanwhile.
        if (!this.#isEnabled) throw new ApiError(remoteInputDisabled);
        this.#patientUntil = performance.now() + SETTLE_MS;
        if (this.#state.isRunning && !this.#options.input.isRunning) await this.#take({ type: 'lost' });
        await this.#take({ type: 'asked', events });
      });
    } catch (error) {
      if (error instanceof ApiError) throw error;
      this.#warn(error);
      throw new ApiError('unavailable', 'The compositor did not take the input.');
    }
  }

  stop(): void {
    this.#endWait();
    this.#options.input.stop();
  }

  async #inTurn(work: () => Promise<void> | undefined): Promise<void> {
    await this.#turns.run(work).catch((error: unknown) => this.#warn(error));
  }

  async #take(event: RemoteInputEvent): Promise<void> {
    const { state, effects } = remoteInputMachine(this.#state, event);
    this.#state = state;
    try {
      for (const effect of effects) await this.#perform(effect);
    } catch (error) {
      // What happened to the lines is not known: the compositor releases everything when the devices are removed.
      await this.#take({ type: 'lost' });
      throw error;
    }
  }

  async #perform(effect: RemoteInputEffect): Promise<void> {
    const { input } = this.#options;
    switch (effect.do) {
      case 'start':
        await input.start();
        // The compositor may have taken its time.
        if (this.#isEnabled) this.#patientUntil = performance.now() + SETTLE_MS;
        return;
      case 'send':
        return await input.send(effect.lines);
      case 'settle':
        return await this.#settle(effect.events, effect.needsFrame);
      case 'wait':
        return this.#wait(effect.ms);
      case 'stop':
        this.#endWait();
        return input.stop();
    }
  }

  /**
   * WebKit passes events to the page one by one, the next when the page has handled the one before: an answer of the page
   * takes at least as long. Goes on without one if the page hangs.
   */
  async #settle(events: number, needsFrame: boolean): Promise<void> {
    const isPatient = () => performance.now() < this.#patientUntil;
    const ping = async () => {
      if (isPatient() && !(await this.#options.ping())) this.#patientUntil = 0;
    };
    if (needsFrame) {
      // The page has to know of the move when it begins the frame.
      await ping();
      if (isPatient()) await this.#options.frame();
    }
    for (let left = events; left > 0; left -= 1) await ping();
  }

  #wait(ms: number): void {
    this.#endWait();
    const timer = setTimeout(() => {
      // A request that had its turn meanwhile has replaced the timer.
      void this.#inTurn(() => (timer === this.#timer ? this.#take({ type: 'waited' }) : undefined));
    }, ms);
    this.#timer = timer;
  }

  #endWait(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #warn(error: unknown): void {
    this.#options.log.warn(
      { reason: errorMessage(error) },
      'the compositor did not take the input of a host',
    );
  }
}
