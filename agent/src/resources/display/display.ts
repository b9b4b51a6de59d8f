import { errorMessage } from '../../base/system-error.ts';
import { ApiError } from '../../contract/errors.ts';
import { badRequest } from '../../contract/issues.ts';
import type { EventBus } from '../../events/bus.ts';
import type { DisplayConfig } from './config.ts';
import { DataClearing } from './data-clearing.ts';
import { Keeper, type KeeperOptions } from './keeper.ts';
import { visibleError } from './keeper-machine.ts';
import type { KeeperEvent } from './keeper-state.ts';
import { MemoryGuard } from './memory-guard.ts';
import type { BrowserSettings, Bundles, DisplayPorts, Target } from './ports.ts';
import { RequestedTarget } from './requested-target.ts';
import { type DisplayState, displayState, type Screen } from './schema.ts';
import { ScreenPower, type ScreenPowerOptions } from './screen-power.ts';
import { Screens } from './screens.ts';
import { Scripts } from './scripts.ts';
import { SettingsSender } from './settings-sender.ts';

export interface DisplayOptions
  extends Omit<KeeperOptions, 'configure' | 'changed' | 'hasScreen'>,
    Pick<
      DisplayPorts,
      | 'browserData'
      | 'browserMemory'
      | 'compositor'
      | 'connectors'
      | 'targetStore'
      | 'television'
      | 'turnTouches'
    >,
    Pick<ScreenPowerOptions, 'readMs'> {
  /** The browser's settings by the present configuration. */
  browserSettings: () => BrowserSettings;
  bundles: Bundles;
  /** Address of a bundle's start page. */
  bundleUrl: (name: string) => string;
  bus: EventBus;
  /** Memory of the device. */
  totalBytes: number;
  /** The present configuration. */
  config: () => DisplayConfig;
  /** How long a script of the host may run, in ms. */
  scriptTimeoutMs: () => number;
  /** Delete the browser's data at boot. */
  clearDataOnBoot: boolean;
  /** How often connectors are read while nobody asks, in ms. */
  checkEveryMs?: number;
  /** How long a new browser may take to connect after the old one was ended, in ms; enough for a slow emulator. */
  newBrowserMs?: number;
}

/** The screen and what it shows. */
export class Display {
  readonly #options: DisplayOptions;
  /** All of them, as of the last refresh. */
  readonly screens: Screens;
  readonly power: ScreenPower;
  readonly #scripts: Scripts;
  readonly #keeper: Keeper;
  readonly #requested: RequestedTarget;
  readonly #clearing: DataClearing;
  readonly #memory: MemoryGuard;
  readonly #settings: SettingsSender;
  readonly #listeners: (() => void)[] = [];
  /** The last published state, as JSON. */
  #published = '';

  constructor(options: DisplayOptions) {
    this.#options = options;
    const { checkEveryMs = 5000, newBrowserMs: timeoutMs = 90_000 } = options;
    const changed = () => {
      this.#scripts.changed();
      for (const listener of this.#listeners) listener();
      this.#publish();
    };
    this.#requested = new RequestedTarget(options);
    // Restart the unit if there is one: after several exits of the browser, its automatic restart is delayed by
    // seconds.
    const stage = options.kiosk.installed ? 'compositor' : 'browser';
    const restart = () => this.#keeper.dispatch({ event: 'restart_browser', stage });
    this.screens = new Screens({ ...options, checkEveryMs, changed, screenCameLate: restart });
    this.power = new ScreenPower({ ...options, primary: () => this.screens.primary, changed });
    this.#clearing = new DataClearing({ ...options, timeoutMs });
    this.#scripts = new Scripts({
      browser: options.browser,
      keeperState: () => this.#keeper.state,
      timeoutMs: options.scriptTimeoutMs,
    });
    this.#settings = new SettingsSender(options.browser, options.browserSettings, restart);
    this.#keeper = new Keeper({
      ...options,
      configure: async () => {
        this.#settings.connected();
        await this.#clearing.browserConnected();
        await this.#settings.send();
        void this.screens.browserConnected();
      },
      hasScreen: () => this.#hasOutput,
      changed,
    });
    const { browser, browserMemory: readMemory, totalBytes, log } = options;
    this.#memory = new MemoryGuard({
      ...{ browser, readMemory, totalBytes, log },
      isUnnoticed: () => !this.#isScreenOn || this.#keeper.state.target.mode === 'waiting',
      restart,
    });
  }

  /** Whether a screen is connected, and its output is powered. */
  get #hasOutput(): boolean {
    return this.screens.primary?.connected === true && this.screens.primary.powered;
  }

  /** Whether a screen is connected and powered, and does not report over HDMI-CEC that it is off. */
  get #isScreenOn(): boolean {
    return this.#hasOutput && this.power.isOn !== false;
  }

  /** Decides what to show first; it is shown as soon as there is a browser. */
  async start(): Promise<void> {
    await this.screens.refresh();
    const { targetStore, clearDataOnBoot } = this.#options;
    // Not when only the agent was restarted.
    if (clearDataOnBoot && !(await targetStore.current())) await this.#clearing.clearAtBoot();
    const { target, missing } = await this.#requested.first(this.screens.primary?.id);
    this.#keeper.start(target, missing);
    this.screens.start();
    this.#memory.start();
    this.power.start();
  }

  stop(): void {
    this.#scripts.stop();
    this.screens.stop();
    this.#memory.stop();
    this.power.stop();
    this.#keeper.stop();
  }

  /** Whether the document on the screen is the target's, or one that its page has navigated to. */
  get isTargetThere(): boolean {
    return this.#keeper.state.load.stage === 'committed';
  }

  /** Origin of the page that is displayed or loaded; null for the waiting page. */
  get pageOrigin(): string | null {
    const { target, navigatedTo } = this.#keeper.state;
    if (target.mode === 'waiting') return null;
    const { protocol, origin } = new URL(navigatedTo ?? target.url);
    return protocol === 'http:' || protocol === 'https:' ? origin : null;
  }

  /** Calls `listener` after each change of the display, also of what no host sees. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** The state as GET /display gives it. */
  state(): DisplayState {
    const { target, navigatedTo, loading } = this.#keeper.state;
    const { rotation, resolution } = this.screens;
    return {
      mode: target.mode,
      ...(target.mode === 'url' ? { url: navigatedTo ?? target.url, target_url: target.url } : {}),
      ...(target.mode === 'bundle' ? { bundle: target.name } : {}),
      screen_on: this.#isScreenOn,
      rotation,
      resolution,
      loading,
      error: visibleError(this.#keeper.state),
    };
  }

  async listScreens(): Promise<Screen[]> {
    await this.#refreshScreens();
    return this.screens.list();
  }

  /** Resolves when the browser has shown a frame: one of the conditions for a slot to be marked good. */
  get firstFrame(): Promise<void> {
    return this.#keeper.firstFrame;
  }

  /** Whether a screen is connected now. */
  async hasScreen(): Promise<boolean> {
    await this.#refreshScreens();
    return this.screens.primary?.connected === true;
  }

  /** The browser's part of the health report. */
  async browserHealth() {
    const { connected, pid } = this.#options.browser;
    const restarts = Math.max(0, this.#keeper.state.connection - 1);
    return { running: connected, restarts, pid, ...(await this.#memory.health()) };
  }

  /** @throws ApiError `screen_not_found` for any id but the primary screen's */
  async requireScreen(id: string | undefined): Promise<void> {
    if (id === undefined) return;
    await this.#refreshScreens();
    this.screens.requirePrimary(id);
  }

  /** @throws ApiError `bad_request` for anything but an http: or https: URL, `unavailable` without a browser */
  navigate(url: string): DisplayState {
    if (!['http:', 'https:'].includes(URL.parse(url)?.protocol ?? '')) {
      throw badRequest('', [{ path: '/url', message: 'must be an http: or https: URL' }]);
    }
    return this.#show({ mode: 'url', url });
  }

  /**
   * Checks the bundle first. A request that comes meanwhile is the later one, and its target stays on the screen.
   * @throws ApiError `content_not_found`, `bundle_invalid` for a damaged one, with the reason; `unavailable` without
   * a browser. The screen stays as it is then.
   */
  async showBundle(name: string): Promise<DisplayState> {
    this.#requireBrowser();
    const request = this.#requested.next();
    await this.#requested.checkBundle(name);
    return this.#show({ mode: 'bundle', name }, request);
  }

  /** The bundle that is the target, wherever its page has navigated to; it must not be deleted. */
  get activeBundle(): string | undefined {
    const { target } = this.#keeper.state;
    return target.mode === 'bundle' ? target.name : undefined;
  }

  /**
   * A new version of a bundle was stored. If it is shown, its start page is loaded, since the page on the screen may
   * not exist any more. If the waiting page reports it as missing, that report ends, but it is not shown.
   */
  bundleReplaced(name: string): void {
    const { target } = this.#keeper.state;
    if (this.activeBundle === name) this.#keeper.dispatch({ event: 'show_target', target });
    else this.#keeper.dispatch({ event: 'bundle_arrived', name });
  }

  /** @throws ApiError `unavailable` if the screen cannot be switched */
  async switchScreen(on: boolean): Promise<DisplayState> {
    await this.#refreshScreens();
    await this.power.request(on);
    return this.state();
  }

  /** @throws ApiError `unavailable` without a browser */
  showWaiting(): DisplayState {
    return this.#show({ mode: 'waiting' });
  }

  /** @throws ApiError `unavailable` without a browser */
  reload(): DisplayState {
    return this.#request({ event: 'reload' });
  }

  /** @throws ApiError `unavailable` without a browser */
  restartBrowser(): DisplayState {
    return this.#request({ event: 'restart_browser', stage: 'browser' });
  }

  /**
   * Ends the browser, deletes all that it has stored, of all origins, and shows the target in a new one.
   * @throws ApiError `unavailable` without a browser whose data is ours, or when it could not be deleted
   */
  async clearData(): Promise<DisplayState> {
    this.#requireBrowser();
    await this.#clearing.clear(() => {
      // By the unit, whether or not the browser takes commands.
      this.#keeper.dispatch({ event: 'restart_browser', stage: 'compositor' });
    });
    return this.state();
  }

  /**
   * @returns PNG of the visible part of the page
   * @throws ApiError `unavailable` when there is no browser or it takes no picture
   */
  async screenshot(): Promise<Buffer> {
    this.#requireBrowser();
    try {
      return await this.#options.browser.screenshot();
    } catch (error) {
      throw new ApiError('unavailable', `The browser took no picture: ${errorMessage(error)}`);
    }
  }

  /**
   * The value of a script in the displayed page.
   * @throws ApiError `unavailable` without a browser, and what {@link Scripts.run} throws
   */
  async executeJs(script: string): Promise<unknown> {
    this.#requireBrowser();
    return await this.#scripts.run(script);
  }

  /** The configuration of the browser may have changed: it takes effect at once, at most with one restart. */
  async browserSettingsChanged(): Promise<void> {
    await this.#settings.changed();
  }

  /** If `display.resume_on_boot` was set, what is shown now is the target of the next boot. */
  configChanged(): void {
    this.#requested.save();
  }

  /** The name, the addresses or the image on the waiting page changed: it is rendered again if it is on the screen. */
  waitingPageChanged(): void {
    this.#keeper.dispatch({ event: 'own_page_changed' });
  }

  /** @param request its number; one that a later request has overtaken changes nothing */
  #show(target: Target, request = this.#requested.next()): DisplayState {
    this.#requireBrowser();
    const located = this.#requested.take(target, request);
    if (!located) return this.state();
    this.#memory.restartIfDue();
    this.#published = ''; // every request sends an event, also one for the target that is already shown
    return this.#request({ event: 'show_target', target: located });
  }

  #request(event: KeeperEvent): DisplayState {
    this.#requireBrowser();
    this.#keeper.dispatch(event);
    return this.state();
  }

  #requireBrowser(): void {
    if (this.#options.browser.connected || this.#options.kiosk.installed) return;
    throw new ApiError('unavailable', 'This device has no browser to show pages with.');
  }

  async #refreshScreens(): Promise<void> {
    await this.screens.refresh();
    this.#publish();
  }

  /** Sends the state to all subscribers, if it has changed. */
  #publish(): void {
    const state = this.state();
    const text = JSON.stringify(state);
    if (text === this.#published) return;
    this.#published = text;
    this.#options.bus.emit(displayState, state);
  }
}
