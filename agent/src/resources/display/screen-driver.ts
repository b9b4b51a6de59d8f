import type { Browser, Compositor, DisplayLog } from './ports.ts';
import type { Rotation } from './schema.ts';
import type { Screens } from './screens.ts';

export interface ScreenDriverOptions {
  screens: Screens;
  browser: Pick<Browser, 'connected'>;
  compositor: Compositor;
  /** As it is configured for the primary screen. */
  rotation: () => Rotation;
  /** What is known of the screens may have changed. */
  changed: () => void;
  log: DisplayLog;
}

/** Has the compositor drive the primary screen, alone and turned as it is configured, and tells when it does not. */
export class ScreenDriver {
  readonly #o: ScreenDriverOptions;
  /** Which screens were connected when the compositor took what to drive. */
  #drivenFor: string | undefined;
  #driving = Promise.resolve();
  /** The compositor was seen to drive what it was told to. */
  #isDriven = false;
  /** Why the screen is not turned as it is configured; empty when it is, or when there is no compositor to turn it. */
  #refusal = '';

  constructor(options: ScreenDriverOptions) {
    this.#o = options;
  }

  /** One at a time; never rejects. */
  drive(): Promise<void> {
    this.#driving = this.#driving.then(() => this.#driveNow());
    return this.#driving;
  }

  /**
   * Resolves when the screen is turned as it is configured, or when there is no compositor yet that could turn it.
   * @throws Error when the compositor did not do it
   */
  async settled(): Promise<void> {
    await this.#driving;
    if (this.#refusal) throw new Error(this.#refusal);
  }

  /** What an operator should know; undefined when all is well. */
  get problem(): string | undefined {
    if (!this.#refusal) return undefined;
    return `The screen is not turned by ${this.#o.rotation()} degrees as it is configured: ${this.#refusal}`;
  }

  /**
   * To be called now and then. What is plugged in anew, also after a moment that no look fell into, the compositor
   * drives, too, and not turned.
   */
  async look(): Promise<void> {
    const { screens, browser, rotation, changed } = this.#o;
    await screens.refresh();
    changed();
    await this.#driving;
    const { connected } = screens;
    if (connected.length === 0 || !browser.connected) return;
    const isDriven = screens.areDriven(rotation());
    // One that never does as it is told is not told again and again.
    const isOver = this.#isDriven && !isDriven;
    this.#isDriven = isDriven;
    if (isOver || connected.join() !== this.#drivenFor) await this.drive();
  }

  async #driveNow(): Promise<void> {
    const { screens, browser, compositor, rotation, changed } = this.#o;
    screens.invalidate();
    await screens.refresh();
    const primary = screens.primary?.id;
    const { connected, outputs } = screens;
    // A screen that was plugged in a moment ago may be known to the kernel alone; the next look comes soon.
    const isComing = outputs.length > 0 && primary !== undefined && !outputs.includes(primary);
    if (primary !== undefined && !isComing && browser.connected) {
      const [asked, others] = [rotation(), outputs.filter((name) => name !== primary)];
      try {
        await compositor.drive(primary, asked, others);
        this.#drivenFor = connected.join();
        screens.invalidate();
        await screens.refresh();
        const { rotation: shown = asked } = screens;
        this.#refused(shown === asked ? '' : `the compositor shows it turned by ${shown} degrees`);
      } catch (error) {
        // The next look tries again.
        this.#drivenFor = undefined;
        this.#refused(error instanceof Error ? error.message : String(error));
      }
      screens.invalidate();
    }
    await screens.refresh();
    changed();
  }

  /** Only what is new is logged. */
  #refused(why: string): void {
    if (why && why !== this.#refusal) this.#o.log.warn({ why }, 'the screen could not be turned');
    this.#refusal = why;
  }
}
