import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/mutex.ts';
import { errorMessage } from '../../base/system-error.ts';
import type { DisplayConfig } from './config.ts';
import type { Connector, DisplayPorts, Output } from './ports.ts';
import type { Rotation, Screen } from './schema.ts';

/** Connectors are cheap to read, but not more often than this, in ms. */
const CONNECTORS_FRESH_MS = 1000;
/** Every so many checks the compositor is asked for its outputs, which costs a process. */
const CHECKS_PER_OUTPUTS = 2;

const EXACT_MODE = /^\d+x\d+@/;
const NEVER = Number.NEGATIVE_INFINITY;

export interface ScreensOptions extends Pick<DisplayPorts, 'browser' | 'compositor' | 'connectors'> {
  config: () => DisplayConfig;
  /** The screens may have changed. */
  changed: () => void;
  /** How often connectors are read while nobody asks, in ms. */
  checkEveryMs: number;
  log: Pick<Logger, 'info' | 'warn'>;
}

/**
 * The outputs of the board: connectors as the kernel reports them, modes and rotations from the compositor. Makes the
 * compositor drive the primary screen alone, with its configured rotation. There is a compositor as long as a browser
 * is connected. All answers are as of the last refresh.
 */
export class Screens {
  readonly #o: ScreensOptions;
  readonly #reading = new Mutex();
  #connectors: Connector[] = [];
  #connectorsAt = NEVER;
  #outputs: Output[] = [];
  #outputsAt = NEVER;

  readonly #driving = new Mutex();
  /** Ids of the connected screens when the compositor last took a command. */
  #drivenFor: string | undefined;
  /** At the last check the outputs were as they should be. */
  #wasDriven = false;
  /** Why the screen is not rotated as configured; empty when it is, or when there is no compositor yet. */
  #failure = '';
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;

  constructor(options: ScreensOptions) {
    this.#o = options;
  }

  /** Starts regular checks. They do not pile up behind a slow compositor. */
  start(): void {
    this.#timer = setInterval(() => {
      this.#checking ??= this.#check().finally(() => {
        this.#checking = undefined;
      });
    }, this.#o.checkEveryMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Reads what is out of date. Never rejects.
   * @param haveOutputsChanged an answer of the compositor from before now is out of date
   */
  refresh(haveOutputsChanged = false): Promise<void> {
    return this.#reading.run(() => {
      if (haveOutputsChanged) this.#outputsAt = NEVER;
      return this.#read();
    });
  }

  /** The first connected screen, or the first of all. */
  get primary(): Connector | undefined {
    return this.#connectors.find((connector) => connector.connected) ?? this.#connectors[0];
  }

  /** The primary screen's rotation as the compositor shows it, else as configured, in degrees clockwise. */
  get rotation(): Rotation {
    return this.#output(this.primary)?.rotation ?? this.configuredRotation;
  }

  /** The configured rotation of the primary screen, in degrees clockwise. */
  get configuredRotation(): Rotation {
    const { screens, rotation } = this.#o.config();
    return screens[this.primary?.id ?? '']?.rotation ?? rotation;
  }

  /** The primary screen's present mode, `<width>x<height>@<refresh>`; null when unknown. */
  get resolution(): string | null {
    return this.primary ? this.#resolution(this.primary) : null;
  }

  list(): Screen[] {
    const { primary, rotation } = this;
    return this.#connectors.map((connector) => {
      const { id, connected, make, model } = connector;
      const modes = this.#output(connector)?.modes ?? [];
      return {
        id,
        primary: connector === primary,
        connected,
        resolution: this.#resolution(connector),
        modes: modes.length > 0 ? modes : connector.modes,
        rotation: connector === primary ? rotation : 0,
        make,
        model,
      };
    });
  }

  /** Warnings for the operator, as sentences. */
  problems(): string[] {
    if (!this.#failure) return [];
    return [
      `The screen is not rotated by ${this.configuredRotation} degrees as configured: ${this.#failure}`,
    ];
  }

  /** Makes the compositor use the primary screen as configured, if there is a compositor. Never rejects. */
  drive(): Promise<void> {
    return this.#driving.run(() => this.#drive());
  }

  /** As `drive`. @throws Error when the compositor did not rotate the screen */
  async rotate(): Promise<void> {
    await this.drive();
    if (this.#failure) throw new Error(this.#failure);
  }

  #output(connector: Connector | undefined): Output | undefined {
    return this.#outputs.find(({ name }) => name === connector?.id);
  }

  #resolution(connector: Connector): string | null {
    if (!connector.connected) return null;
    const output = this.#output(connector);
    if (output) return output.mode;
    // The compositor, which has not been asked yet, uses the preferred mode, which is the first.
    const [preferred] = connector.modes;
    return preferred !== undefined && EXACT_MODE.test(preferred) ? preferred : null;
  }

  /** Ids of the connectors with a screen. */
  get #connected(): string {
    return this.#connectors.flatMap(({ connected, id }) => (connected ? [id] : [])).join();
  }

  async #read(): Promise<void> {
    const { connectors, compositor, browser, checkEveryMs } = this.#o;
    const now = performance.now();
    if (now - this.#connectorsAt >= CONNECTORS_FRESH_MS) {
      const before = JSON.stringify(this.#connectors);
      this.#connectors = await connectors.read().catch(() => []);
      this.#connectorsAt = performance.now();
      if (JSON.stringify(this.#connectors) !== before) this.#outputsAt = NEVER;
    }
    if (!browser.connected) {
      this.#outputs = [];
      this.#outputsAt = NEVER;
    } else if (now - this.#outputsAt >= CHECKS_PER_OUTPUTS * checkEveryMs) {
      this.#outputs = await compositor.outputs().catch(() => []);
      this.#outputsAt = performance.now(); // not before: callers that waited share a slow answer
    }
  }

  /**
   * The compositor also drives what is plugged in later, without rotation, and even when it was unplugged for a moment
   * between two checks.
   */
  async #check(): Promise<void> {
    await this.refresh();
    this.#o.changed();
    await this.#driving.run(() => undefined); // until a command that is under way has ended
    const { primary, configuredRotation } = this;
    if (!primary?.connected || !this.#o.browser.connected) return;
    const isDriven =
      this.#output(primary) !== undefined &&
      this.#outputs.every(
        ({ name, rotation }) => rotation === (name === primary.id ? configuredRotation : null),
      );
    // A compositor that never obeys does not get the same command at every check.
    const wasLost = this.#wasDriven && !isDriven;
    this.#wasDriven = isDriven;
    if (wasLost || this.#connected !== this.#drivenFor) await this.drive();
  }

  async #drive(): Promise<void> {
    const { browser, compositor, changed } = this.#o;
    await this.refresh(true);
    const { primary } = this;
    // The kernel knows a new screen a moment before the compositor; then the next check drives it.
    const isKnown = this.#outputs.length === 0 || this.#output(primary) !== undefined;
    if (primary && isKnown && browser.connected) {
      const expected = this.configuredRotation;
      const connected = this.#connected;
      const others = this.#outputs.map(({ name }) => name).filter((name) => name !== primary.id);
      const failure = await compositor.drive(primary.id, expected, others).then(() => '', errorMessage);
      this.#drivenFor = failure ? undefined : connected; // after a failure the next check tries again
      await this.refresh(true);
      const actual = this.#output(this.primary)?.rotation ?? expected;
      const isTurned = actual === expected;
      this.#report(failure || (isTurned ? '' : `the compositor shows it rotated by ${actual} degrees`));
    }
    changed();
  }

  /** Logs a failure once. */
  #report(failure: string): void {
    if (failure && failure !== this.#failure) {
      this.#o.log.warn({ reason: failure }, 'the screen could not be rotated');
    }
    this.#failure = failure;
  }
}
