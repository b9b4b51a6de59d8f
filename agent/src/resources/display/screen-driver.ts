import { Mutex } from '../../base/mutex.ts';
import type { Browser, Compositor, DisplayLog } from './ports.ts';
import type { Rotation } from './schema.ts';
import type { Screens } from './screens.ts';

export interface ScreenDriverOptions {
  screens: Screens;
  browser: Pick<Browser, 'connected'>;
  compositor: Compositor;
  /** The configured rotation of the primary screen. */
  rotation: () => Rotation;
  /** The screens may have changed. */
  changed: () => void;
  log: DisplayLog;
}

/** Makes the compositor drive the primary screen alone, with its configured rotation, and reports failures. */
export class ScreenDriver {
  readonly #o: ScreenDriverOptions;
  readonly #driving = new Mutex();
  /** Ids of the connected screens when the compositor last took a command. */
  #drivenFor: string | undefined;
  /** At the last check the outputs were as they should be. */
  #wasDriven = false;
  /** Why the screen is not rotated as configured; empty when it is, or when there is no compositor yet. */
  #failure = '';
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;

  constructor(options: ScreenDriverOptions) {
    this.#o = options;
  }

  /** Checks the screens every `everyMs` milliseconds. Checks do not pile up behind a slow compositor. */
  start(everyMs: number): void {
    this.#timer = setInterval(() => {
      if (this.#isChecking) return;
      this.#isChecking = true;
      void this.#check().finally(() => {
        this.#isChecking = false;
      });
    }, everyMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Never rejects. */
  drive(): Promise<void> {
    return this.#driving.run(() => this.#drive());
  }

  /**
   * Resolves when the screen has its configured rotation, or when there is no compositor yet.
   * @throws Error when the compositor did not rotate it
   */
  async settled(): Promise<void> {
    await this.#driven();
    if (this.#failure) throw new Error(this.#failure);
  }

  /** For an operator; undefined when the screen has its configured rotation. */
  get problem(): string | undefined {
    if (!this.#failure) return undefined;
    return `The screen is not rotated by ${this.#o.rotation()} degrees as configured: ${this.#failure}`;
  }

  #driven(): Promise<void> {
    return this.#driving.run(() => undefined);
  }

  /**
   * The compositor also drives what is plugged in later, without rotation, and even when it was unplugged for a moment
   * between two checks.
   */
  async #check(): Promise<void> {
    const { screens, browser, rotation, changed } = this.#o;
    await screens.refresh();
    changed();
    await this.#driven();
    const { connected } = screens;
    if (connected.length === 0 || !browser.connected) return;
    const isDriven = screens.areDriven(rotation());
    // A compositor that never obeys does not get the same command at every check.
    const wasLost = this.#wasDriven && !isDriven;
    this.#wasDriven = isDriven;
    if (wasLost || connected.join() !== this.#drivenFor) await this.drive();
  }

  async #drive(): Promise<void> {
    const { screens, browser, compositor, rotation, changed } = this.#o;
    screens.invalidate();
    await screens.refresh();
    const primary = screens.primary?.id;
    const { connected, outputs } = screens;
    // The kernel knows a new screen a moment before the compositor; then the next check drives it.
    const isUnknown = outputs.length > 0 && primary !== undefined && !outputs.includes(primary);
    if (primary !== undefined && !isUnknown && browser.connected) {
      const expected = rotation();
      const others = outputs.filter((name) => name !== primary);
      try {
        await compositor.drive(primary, expected, others);
        this.#drivenFor = connected.join();
        screens.invalidate();
        await screens.refresh();
        const { rotation: actual = expected } = screens;
        this.#report(actual === expected ? '' : `the compositor shows it rotated by ${actual} degrees`);
      } catch (error) {
        this.#drivenFor = undefined; // the next check tries again
        this.#report(error instanceof Error ? error.message : String(error));
      }
      screens.invalidate();
    }
    await screens.refresh();
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
