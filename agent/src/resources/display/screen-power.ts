import type { Logger } from '../../base/logger.ts';
import { errorMessage } from '../../base/system-error.ts';
import { ApiError } from '../../contract/errors.ts';
import { atMost } from '../at-most.ts';
import type { Connector, Television, TelevisionReport } from './ports.ts';
import {
  INITIAL_POWER,
  isVisible,
  type PowerEffect,
  type PowerEvent,
  type PowerState,
  powerMachine,
} from './power-machine.ts';

/** How often the power is read while a command is to take effect, and otherwise, in ms. */
const READ_MS = { switching: 1000, idle: 10_000 };
/** Each occupies the bus for a moment. */
const MAX_REQUESTS = 4;
const NO_CEC: TelevisionReport = { state: 'no_cec' };
const NO_ANSWER: TelevisionReport = { state: 'plugged', power: null };

export interface ScreenPowerOptions {
  television: Television | undefined;
  /** The connector of the primary screen. */
  primary: () => Pick<Connector, 'id' | 'connected'> | undefined;
  /** The measured power may have changed. */
  changed: () => void;
  readMs?: typeof READ_MS;
  now?: () => number;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** The power of the screen over HDMI-CEC: switches it, and reads regularly what it is. */
export class ScreenPower {
  readonly #options: ScreenPowerOptions;
  readonly #readMs: typeof READ_MS;
  readonly #now: () => number;
  readonly #limited = atMost(MAX_REQUESTS, 'commands for the screen');
  #state: PowerState = INITIAL_POWER;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** Counts requests: a report that was asked for before the last one is out of date. */
  #requests = 0;
  /** The connector of the last command. */
  #switched: string | undefined;
  /** Why the adapter cannot be read, logged once. */
  #broken = '';

  constructor(options: ScreenPowerOptions) {
    this.#options = options;
    this.#readMs = options.readMs ?? READ_MS;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Starts reading the power regularly. */
  start(): void {
    if (this.#options.television) this.#readIn(0);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Whether the television says that it is on; undefined if it does not say. */
  get isOn(): boolean | undefined {
    return isVisible(this.#state);
  }

  /**
   * Sends the command. Whether the screen follows is read afterwards, for up to 30 s; `problems` says if it does not.
   * @throws ApiError `unavailable` without HDMI-CEC or without a television that takes the command
   */
  request(on: boolean): Promise<void> {
    return this.#limited(() => this.#request(on));
  }

  /** Warnings for the operator, as sentences. */
  problems(): string[] {
    const { failure } = this.#state;
    if (!failure) return [];
    return [`The television was told to switch ${failure.on ? 'on' : 'off'}, but ${failure.reports}.`];
  }

  /** While no screen is connected, that of the last command: a television in standby may look unplugged. */
  get #connector(): string | undefined {
    const primary = this.#options.primary();
    return primary?.connected ? primary.id : (this.#switched ?? primary?.id);
  }

  async #request(on: boolean): Promise<void> {
    const { television } = this.#options;
    const connector = this.#connector;
    if (!television || connector === undefined) {
      throw new ApiError('unavailable', 'This device has no screen that it can switch.');
    }
    const report = await television.read(connector).catch((error: unknown) => {
      throw new ApiError('unavailable', `HDMI-CEC does not work: ${errorMessage(error)}`);
    });
    if (report.state === 'no_cec') {
      throw new ApiError('unavailable', 'The screen cannot be switched: its output has no HDMI-CEC.');
    }
    // A television in standby may look unplugged. If it is, it does not acknowledge.
    if (report.state === 'unplugged' && !on) {
      throw new ApiError('unavailable', 'The screen cannot be switched: nothing is connected with HDMI-CEC.');
    }
    // Before the command: a report that is asked for meanwhile must not send the command before again.
    this.#requests += 1;
    await television.switch(connector, on).catch((error: unknown) => {
      throw new ApiError('unavailable', `The screen took no command over HDMI-CEC: ${errorMessage(error)}`);
    });
    this.#switched = connector;
    this.#take({ event: 'requested', on, at: this.#now() });
    this.#readIn(this.#readMs.switching);
  }

  #readIn(ms: number): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#read(), ms).unref();
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    const { television, log } = this.#options;
    const connector = this.#connector;
    const requests = this.#requests;
    try {
      const report = (connector !== undefined && (await television?.read(connector))) || NO_CEC;
      this.#broken = '';
      if (requests === this.#requests) {
        for (const { on } of this.#take({ event: 'reported', report, at: this.#now() })) {
          if (connector !== undefined) await television?.switch(connector, on);
        }
      }
    } catch (error) {
      const reason = errorMessage(error);
      if (reason !== this.#broken) log.warn({ reason }, 'HDMI-CEC does not work');
      this.#broken = reason;
      if (requests === this.#requests) this.#take({ event: 'reported', report: NO_ANSWER, at: this.#now() });
    }
    // A request during this reading has set its own timer, which this replaces by the same one.
    this.#readIn(this.#state.request ? this.#readMs.switching : this.#readMs.idle);
  }

  /** @returns effects, which are a part of the reading: the next one waits, and a failure is one without an answer */
  #take(event: PowerEvent): readonly PowerEffect[] {
    const { failure, power } = this.#state;
    const { state, effects } = powerMachine(this.#state, event);
    this.#state = state;
    if (state.failure && state.failure !== failure)
      this.#options.log.warn({ ...state.failure }, 'the screen was not switched');
    if (state.power !== power) this.#options.log.info({ power: state.power }, 'the power of the screen');
    this.#options.changed();
    return effects;
  }
}
