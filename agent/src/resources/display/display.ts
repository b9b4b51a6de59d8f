import { ApiError } from '../../contract/errors.ts';
import { MAX_SCREEN_ID } from '../../contract/shared.ts';
import { DataClearing } from './data-clearing.ts';
import type { BrowserHealth, DisplayOptions } from './display-options.ts';
import { firstTarget } from './first-target.ts';
import { Keeper, TIMING } from './keeper.ts';
import { visibleError } from './keeper-machine.ts';
import type { KeeperEvent } from './keeper-state.ts';
import type { Target } from './ports.ts';
import { type DisplayState, displayState, type Rotation, type Screen } from './schema.ts';
import { ScreenDriver } from './screen-driver.ts';
import { Screens } from './screens.ts';
import type { DisplaySettings } from './settings.ts';

/** How often connectors are read while nobody asks, in ms. */
const CHECK_EVERY_MS = 5000;
/** Every so many of these checks the compositor is asked for its outputs, which costs a process. */
const CHECKS_PER_OUTPUTS = 2;
/** A new browser connects within this time, in ms, also in an emulator on a busy computer. */
const NEW_BROWSER_MS = 90_000;

/** The screen and what it shows (interface: Display). */
export class Display {
  readonly #o: DisplayOptions;
  readonly #screens: Screens;
  readonly #driver: ScreenDriver;
  readonly #keeper: Keeper;
  readonly #clearing: DataClearing;
  readonly #checkEveryMs: number;
  #settings: DisplaySettings;
  /** The requested target, also while the waiting page says why it is not shown. */
  #wanted: Target = { mode: 'waiting' };
  /** Number of the last request for a target, and of the last one that was carried out. */
  #lastRequest = 0;
  #lastShown = 0;
  /** The last published state, as JSON. */
  #published = '';

  constructor(options: DisplayOptions) {
    this.#o = options;
    this.#settings = options.settings;
    this.#checkEveryMs = options.lookEveryMs ?? CHECK_EVERY_MS;
    const { browser, browserData, compositor, connectors, log } = options;
    const outputsFreshMs = CHECKS_PER_OUTPUTS * this.#checkEveryMs;
    this.#screens = new Screens(connectors, compositor, () => browser.connected, outputsFreshMs);
    this.#driver = new ScreenDriver({
      ...options,
      screens: this.#screens,
      rotation: () => this.rotation,
      changed: () => this.#publish(),
    });
    const timeoutMs = options.newBrowserMs ?? NEW_BROWSER_MS;
    this.#clearing = new DataClearing({ browser, data: browserData, log, timeoutMs });
    this.#keeper = new Keeper({
      ...options,
      timing: options.timing ?? TIMING,
      settings: () => this.#settings.browser,
      beforeConfigure: () => this.#clearing.browserConnected(),
      ready: () => void this.#driver.drive(),
      changed: () => this.#publish(),
    });
  }

  /** Decides what to show first; it is shown as soon as there is a browser. */
  async start(): Promise<void> {
    await this.#screens.refresh();
    const { store, bundles, log } = this.#o;
    // Not when only the agent was restarted.
    if (this.#settings.clearDataOnBoot && !(await store.current())) await this.#clearing.clearAtBoot();
    const first = await firstTarget(store, bundles, this.#settings, this.primaryScreen);
    if (first.missing) log.warn({ bundle: first.missing }, 'the bundle cannot be shown');
    // This also settles what a restarted agent shows, whatever the startup settings are by then.
    this.#wanted = first.wanted;
    this.#remember(false);
    this.#keeper.start(first.target, first.missing);
    this.#driver.start(this.#checkEveryMs);
  }

  stop(): void {
    this.#driver.stop();
    this.#keeper.stop();
  }

  /** The state as GET /display gives it. */
  state(): DisplayState {
    const { target, navigatedTo, loading } = this.#keeper.state;
    const primary = this.#screens.primary;
    return {
      mode: target.mode,
      ...(target.mode === 'url' ? { url: navigatedTo ?? target.url } : {}),
      ...(target.mode === 'bundle' ? { bundle: target.name } : {}),
      screen_on: primary?.connected === true && primary.powered,
      rotation: this.#screens.rotation ?? this.rotation,
      resolution: this.#screens.resolution,
      loading,
      error: visibleError(this.#keeper.state),
    };
  }

  async screens(): Promise<Screen[]> {
    await this.#refreshScreens();
    return this.#screens.list(this.#screens.rotation ?? this.rotation);
  }

  /** The id that `?screen=` and `display.screens.<id>` may name; undefined without graphics hardware. */
  get primaryScreen(): string | undefined {
    return this.#screens.primary?.id;
  }

  /** Resolves when the browser has shown a frame: one of the conditions for a slot to be marked good. */
  get firstFrame(): Promise<void> {
    return this.#keeper.firstFrame;
  }

  /** Whether a screen is connected now. */
  async hasScreen(): Promise<boolean> {
    await this.#refreshScreens();
    return this.#screens.primary?.connected === true;
  }

  /** The configured rotation of the primary screen, in degrees clockwise. */
  get rotation(): Rotation {
    const { screens, rotation } = this.#settings;
    return screens[this.primaryScreen ?? '']?.rotation ?? rotation;
  }

  get browserHealth(): BrowserHealth {
    const { connected, pid } = this.#o.browser;
    return { running: connected, restarts: Math.max(0, this.#keeper.state.connection - 1), pid };
  }

  /** @throws ApiError `screen_not_found` for any id but the primary screen's */
  async requireScreen(id: string | undefined): Promise<void> {
    if (id === undefined) return;
    await this.#refreshScreens();
    if (id === this.primaryScreen) return;
    throw new ApiError(
      'screen_not_found',
      `There is no screen ${id.slice(0, MAX_SCREEN_ID)} that can be driven.`,
    );
  }

  /** @throws ApiError `bad_request` for anything but an http: or https: URL, `unavailable` without a browser */
  navigate(url: string): DisplayState {
    const protocol = URL.canParse(url) ? new URL(url).protocol : '';
    if (protocol !== 'http:' && protocol !== 'https:') {
      const message = 'must be an http: or https: URL';
      throw new ApiError('bad_request', `/url ${message}`, { issues: [{ path: '/url', message }] });
    }
    return this.#show({ mode: 'url', url }, ++this.#lastRequest);
  }

  /**
   * Checks the bundle first. A request that comes meanwhile is the later one, and its target stays on the screen.
   * @throws ApiError `content_not_found`, `bundle_invalid` for a damaged one, with the reason; `unavailable` without
   * a browser. The screen stays as it is then.
   */
  async showBundle(name: string): Promise<DisplayState> {
    this.#requireBrowser();
    const request = ++this.#lastRequest;
    const problem = await this.#o.bundles.problem(name);
    // It may have been deleted meanwhile; nothing can happen between this check and `#show`.
    if (problem?.code === 'bundle_missing' || this.#o.bundles.locate(name) === undefined) {
      throw new ApiError('content_not_found', `There is no bundle ${name}.`);
    }
    if (problem) throw new ApiError('bundle_invalid', problem.message);
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
    else this.#keeper.dispatch({ event: 'bundle_arrived', name, problem: undefined });
    this.#publish();
  }

  /**
   * A bundle that was still being read at the start is known now. If it was to be shown first, it is shown, unless a
   * host has requested something else since.
   */
  async bundleRead(name: string): Promise<void> {
    const problem = await this.#o.bundles.problem(name);
    const wanted = this.#wanted;
    const isWanted = wanted.mode === 'bundle' && wanted.name === name && this.activeBundle !== name;
    if (isWanted && this.#lastShown === 0 && !problem)
      this.#keeper.dispatch({ event: 'show_target', target: wanted });
    else this.#keeper.dispatch({ event: 'bundle_arrived', name, problem });
    await this.#keeper.rendered();
    this.#publish();
  }

  /** @throws ApiError `unavailable` without a browser */
  showWaiting(): DisplayState {
    return this.#show({ mode: 'waiting' }, ++this.#lastRequest);
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
    return this.#publish();
  }

  /**
   * @returns PNG of the visible part of the page
   * @throws ApiError `unavailable` when there is no browser or it takes no picture
   */
  async screenshot(): Promise<Buffer> {
    this.#requireBrowser();
    try {
      return await this.#o.browser.screenshot();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ApiError('unavailable', `The browser took no picture: ${reason}`);
    }
  }

  /** Takes over a changed configuration; its live fields take effect at once. */
  apply(settings: DisplaySettings): void {
    const { resumeOnBoot } = this.#settings;
    const { rotation } = this;
    this.#settings = settings;
    if (this.rotation !== rotation) void this.#driver.drive();
    if (settings.resumeOnBoot && !resumeOnBoot) this.#remember(true);
    this.#keeper.dispatch({ event: 'settings_changed' });
    this.#publish();
  }

  /**
   * Resolves when the primary screen has its configured rotation, or when there is no browser yet.
   * @throws Error when the compositor did not rotate it
   */
  turned(): Promise<void> {
    return this.#driver.settled();
  }

  /** What an operator should know, as sentences. */
  problems(): string[] {
    return this.#driver.problem ? [this.#driver.problem] : [];
  }

  /** The name, the addresses or the image on the waiting page changed: it is rendered again if it is on the screen. */
  async waitingPageChanged(): Promise<void> {
    this.#keeper.dispatch({ event: 'own_page_changed' });
    await this.#keeper.rendered();
  }

  /** @param request its number; one that a later request has overtaken changes nothing */
  #show(target: Target, request: number): DisplayState {
    this.#requireBrowser();
    if (request < this.#lastShown) return this.#publish();
    this.#lastShown = request;
    this.#wanted = target;
    this.#remember(this.#settings.resumeOnBoot);
    this.#published = ''; // every request sends an event, also one for the target that is already shown
    return this.#request({ event: 'show_target', target });
  }

  #request(event: KeeperEvent): DisplayState {
    this.#requireBrowser();
    this.#keeper.dispatch(event);
    return this.#publish();
  }

  /** @param lasting also for the next boot */
  #remember(lasting: boolean): void {
    this.#o.store.save(this.#wanted, lasting).catch((error: unknown) => {
      this.#o.log.warn({ err: error }, 'the target could not be saved');
    });
  }

  #requireBrowser(): void {
    if (this.#o.browser.connected || this.#o.kiosk.installed) return;
    throw new ApiError('unavailable', 'This device has no browser to show pages with.');
  }

  async #refreshScreens(): Promise<void> {
    await this.#screens.refresh();
    this.#publish();
  }

  /** Sends the state to all subscribers, if it has changed. */
  #publish(): DisplayState {
    const state = this.state();
    const text = JSON.stringify(state);
    if (text !== this.#published) {
      this.#published = text;
      this.#o.bus.emit(displayState, state);
    }
    return state;
  }
}
