import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/mutex.ts';
import { isSameMode } from '../../base/screen-mode.ts';
import { errorMessage } from '../../base/system-error.ts';
import { ApiError } from '../../contract/errors.ts';
import type { DisplayConfig } from './config.ts';
import type { Connector, DisplayPorts, Output, OutputSettings } from './ports.ts';
import { defaultScale } from './scale.ts';
import type { Rotation, Screen } from './schema.ts';
import { MAX_SCREEN_ID, screenNotFound } from './schema.ts';

/** Connectors are cheap to read, but not more often than this, in ms. */
const CONNECTORS_FRESH_MS = 1000;
/** Query the compositor at every n-th check only; each query starts a process. */
const CHECKS_PER_OUTPUTS = 2;

const EXACT_MODE = /^\d+x\d+@/;
const NEVER = Number.NEGATIVE_INFINITY;

export interface ScreensOptions
  extends Pick<DisplayPorts, 'browser' | 'compositor' | 'connectors' | 'turnTouches'> {
  config: () => DisplayConfig;
  /** The screens may have changed. */
  changed: () => void;
  /** A screen was connected after the browser, which renders nothing on it. */
  screenCameLate: () => void;
  /** How often connectors are read while nobody asks, in ms. */
  checkEveryMs: number;
  log: Pick<Logger, 'info' | 'warn'>;
}

/**
 * The outputs of the board: connectors as the kernel reports them, modes and rotations from the compositor. Without
 * connectors, the compositor's own outputs are the screens. Makes the compositor drive the primary screen alone, with
 * its configured rotation, scale and mode. There is a compositor as long as a browser is connected. All answers are as
 * of the last refresh.
 */
export class Screens {
  readonly #options: ScreensOptions;
  readonly #reading = new Mutex();
  /** Forced modes take effect at boot only. */
  readonly #atBoot: DisplayConfig;
  /** Of the graphics hardware. */
  #hardware: Connector[] = [];
  #connectorsAt = NEVER;
  #outputs: Output[] = [];
  #outputsAt = NEVER;
  /** The compositor answered with `#outputs`, and not in error or not at all. */
  #haveOutputs = false;
  /** The outputs that the compositor last listed: while it restarts or hangs, they are still the screens. */
  #headless: Connector[] = [];

  /** The browser that connected while no screen was plugged in; null for none. */
  #pidWithoutScreen: number | null = null;

  readonly #driving = new Mutex();
  /** Ids of the connected screens when the compositor last took a command. */
  #drivenFor: string | undefined;
  /** At the last check the outputs were as they should be. */
  #wasDriven = false;
  /** The screen that did not take its forced mode. The mode is not retried: it may have crashed the compositor. */
  #refusal: { screen: string; reason: string } | undefined;
  /** The forced mode failed for this screen and browser, and so did the screen's own mode: perhaps the compositor ended. */
  #suspect: { screen: string; pid: number | null } | undefined;
  /** Why the screen is not used as configured; empty when it is, or when there is no compositor yet. */
  #failure = '';
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;

  constructor(options: ScreensOptions) {
    this.#options = options;
    this.#atBoot = options.config();
  }

  /** Starts regular checks. They do not pile up behind a slow compositor. */
  start(): void {
    this.#timer = setInterval(() => {
      this.#checking ??= this.#check().finally(() => {
        this.#checking = undefined;
      });
    }, this.#options.checkEveryMs).unref();
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

  /** @throws ApiError `screen_not_found` for any id but the primary screen's */
  requirePrimary(id: string): void {
    if (id === this.primary?.id) return;
    const name = id.slice(0, MAX_SCREEN_ID);
    throw new ApiError(screenNotFound, `There is no screen ${name} that can be driven.`);
  }

  /** The primary screen's rotation as the compositor shows it, else as configured, in degrees clockwise. */
  get rotation(): Rotation {
    return this.#output(this.primary)?.rotation ?? this.configuredRotation;
  }

  /** The configured rotation of the primary screen, in degrees clockwise. */
  get configuredRotation(): Rotation {
    const { screens, rotation } = this.#options.config();
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
    const reasons = [this.primary ? this.#refusalOf(this.primary) : '', this.#failure];
    return reasons.filter(Boolean).map((reason) => `The screen is not used as configured: ${reason}`);
  }

  /** A browser has connected. Never rejects. */
  async browserConnected(): Promise<void> {
    await this.refresh();
    this.#pidWithoutScreen = this.#isPluggedIn ? null : this.#options.browser.pid;
    await this.drive();
  }

  /** Makes the compositor use the primary screen as configured, if there is a compositor. Never rejects. */
  drive(): Promise<void> {
    return this.#driving.run(() => this.#drive());
  }

  /** As `drive`. @throws Error when the compositor did not do it */
  async driveNow(): Promise<void> {
    await this.drive();
    if (this.#failure) throw new Error(this.#failure);
  }

  /** How the primary screen is to be used. */
  #settings(primary: Connector): OutputSettings {
    const { screens, forced_mode } = this.#atBoot;
    const mode = this.#refusalOf(primary) === '' ? (screens[primary.id]?.forced_mode ?? forced_mode) : null;
    const scale =
      this.#options.config().scale ?? defaultScale(mode ?? primary.modes[0] ?? null, primary.sizeMm);
    return { rotation: this.configuredRotation, scale, mode };
  }

  /** Why this screen did not take its forced mode; empty if it did. */
  #refusalOf(connector: Connector): string {
    return this.#refusal?.screen === screenName(connector) ? this.#refusal.reason : '';
  }

  #matches(output: Output, { rotation, scale, mode }: OutputSettings): boolean {
    const hasMode = mode === null || (output.mode !== null && isSameMode(output.mode, mode));
    return output.rotation === rotation && output.scale === scale && hasMode;
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

  get #connectors(): Connector[] {
    return this.#hardware.length > 0 ? this.#hardware : this.#headless;
  }

  /** Whether a screen is plugged in. Outputs of the compositor alone do not count: they are there before the browser. */
  get #isPluggedIn(): boolean {
    return this.#hardware.some(({ connected }) => connected);
  }

  /** Ids of the connectors with a screen. */
  get #connected(): string {
    return this.#connectors.flatMap(({ connected, id }) => (connected ? [id] : [])).join();
  }

  async #read(): Promise<void> {
    const { connectors, compositor, browser, checkEveryMs } = this.#options;
    const now = performance.now();
    if (now - this.#connectorsAt >= CONNECTORS_FRESH_MS) {
      const before = JSON.stringify(this.#hardware);
      this.#hardware = await connectors.read().catch(() => []);
      this.#connectorsAt = performance.now();
      if (JSON.stringify(this.#hardware) !== before) this.#outputsAt = NEVER;
    }
    if (this.#pidWithoutScreen !== null && this.#isPluggedIn) {
      const isSameBrowser = this.#pidWithoutScreen === browser.pid;
      this.#pidWithoutScreen = null;
      if (isSameBrowser) this.#options.screenCameLate();
    }
    if (!browser.connected) {
      this.#outputs = [];
      this.#haveOutputs = false;
      this.#outputsAt = NEVER;
    } else if (now - this.#outputsAt >= CHECKS_PER_OUTPUTS * checkEveryMs) {
      const answer = await compositor.outputs().catch(() => undefined);
      this.#outputs = answer ?? [];
      this.#haveOutputs = answer !== undefined;
      this.#headless = answer?.map(connectorOf) ?? this.#headless;
      this.#outputsAt = performance.now(); // not before: callers that waited share a slow answer
    }
  }

  /**
   * The compositor also drives what is plugged in later, without rotation, and even when it was unplugged for a moment
   * between two checks.
   */
  async #check(): Promise<void> {
    await this.refresh();
    this.#options.changed();
    await this.#driving.run(() => undefined); // until a command that is under way has ended
    const { primary } = this;
    if (!primary?.connected || !this.#options.browser.connected) return;
    const isDriven =
      this.#output(primary) !== undefined &&
      this.#outputs.every((output) =>
        output.name === primary.id
          ? this.#matches(output, this.#settings(primary))
          : output.rotation === null,
      );
    // A compositor that never obeys does not get the same command at every check.
    const wasLost = this.#wasDriven && !isDriven;
    this.#wasDriven = isDriven;
    if (wasLost || this.#connected !== this.#drivenFor) await this.drive();
  }

  async #drive(): Promise<void> {
    const { browser, changed } = this.#options;
    await this.refresh(true);
    const { primary } = this;
    // The kernel knows a new screen a moment before the compositor; then the next check drives it.
    const isKnown = !this.#haveOutputs || this.#output(primary) !== undefined;
    if (primary && isKnown && browser.connected) this.#report(await this.#use(primary));
    changed();
  }

  /** @returns why the screen is not used as configured; empty if it is */
  async #use(primary: Connector): Promise<string> {
    const { compositor, turnTouches } = this.#options;
    const expected = this.#settings(primary);
    const connected = this.#connected;
    // Of the compositor that gets the commands; there is perhaps another one, or none, when they have failed.
    const { pid } = this.#options.browser;
    const others = this.#outputs.map(({ name }) => name).filter((name) => name !== primary.id);
    const drive = (settings: OutputSettings) =>
      compositor.drive(primary.id, settings, others).then(() => '', errorMessage);
    let failure = await drive(expected);
    if (failure && expected.mode !== null) {
      // If the mode is rejected, use the screen without it.
      const reason = `it does not take the mode ${expected.mode}: ${failure}`;
      const screen = screenName(primary);
      this.#refusal = { screen, reason };
      failure = await drive(this.#settings(primary));
      // Once, the compositor may have ended for another reason; twice, it was the mode.
      const isTwice = this.#suspect?.screen === screen && this.#suspect.pid !== pid;
      if (failure && !isTwice) {
        this.#suspect = { screen, pid };
        this.#refusal = undefined;
      } else {
        this.#options.log.warn({ reason }, 'the forced mode is not used');
      }
    }
    this.#drivenFor = failure ? undefined : connected; // after a failure the next check tries again
    await this.refresh(true);
    const rotation = this.#output(this.primary)?.rotation ?? expected.rotation;
    const turning = await turnTouches(rotation).then(() => '', errorMessage);
    if (failure) return failure;
    if (rotation !== expected.rotation) return `the compositor shows it rotated by ${rotation} degrees`;
    return turning && `touches are not turned by ${rotation} degrees: ${turning}`;
  }

  /** Logs a failure once. */
  #report(failure: string): void {
    if (failure && failure !== this.#failure) {
      this.#options.log.warn({ reason: failure }, 'the screen could not be used as configured');
    }
    this.#failure = failure;
  }
}

/** An output of the compositor that no graphics hardware has. */
function connectorOf({ name, scale, modes, make, model }: Output): Connector {
  return { id: name, connected: true, powered: scale !== null, modes, make, model, sizeMm: null };
}

/** Of a connector with the screen on it: another screen may take what this one does not. */
function screenName({ id, make, model }: Connector): string {
  return [id, make, model].join(' ');
}
