import { errorMessage } from '../../base/system-error.ts';
import { ApiError } from '../../contract/errors.ts';
import { MAX_SCREEN_ID } from '../../contract/shared.ts';
import { badRequest } from '../../contract/validate.ts';
import type { EventBus } from '../../events/bus.ts';
import type { DisplayConfig } from './config.ts';
import { DataClearing } from './data-clearing.ts';
import { Keeper, type KeeperOptions } from './keeper.ts';
import { visibleError } from './keeper-machine.ts';
import type { KeeperEvent } from './keeper-state.ts';
import type { BrowserSettings, Bundles, DisplayPorts, Target } from './ports.ts';
import { type DisplayState, displayState, type Screen } from './schema.ts';
import { Screens } from './screens.ts';
import { firstTarget, type LocatedTarget } from './target.ts';

export interface DisplayOptions
  extends Omit<KeeperOptions, 'configure' | 'changed'>,
    Pick<DisplayPorts, 'browserData' | 'compositor' | 'connectors' | 'targetStore'> {
  browserSettings: BrowserSettings;
  bundles: Bundles;
  /** Address of a bundle's start page. */
  bundleUrl: (name: string) => string;
  bus: EventBus;
  /** The present configuration. */
  config: () => DisplayConfig;
  /** Delete the browser's data at boot. */
  clearDataOnBoot: boolean;
  /** How often connectors are read while nobody asks, in ms. */
  checkEveryMs?: number;
  /** How long a new browser may take to connect after the old one was ended, in ms; enough for a slow emulator. */
  newBrowserMs?: number;
}

/** The screen and what it shows (interface: Display). */
export class Display {
  readonly #o: DisplayOptions;
  /** All of them, as of the last refresh. */
  readonly screens: Screens;
  readonly #keeper: Keeper;
  readonly #clearing: DataClearing;
  /** The requested target, also while the waiting page says why it is not shown. */
  #wanted: Target = { mode: 'waiting' };
  /** Number of the last request for a target, and of the last one that was carried out. */
  #lastRequest = 0;
  #lastShown = 0;
  /** The last published state, as JSON. */
  #published = '';

  constructor(options: DisplayOptions) {
    this.#o = options;
    const { checkEveryMs = 5000, newBrowserMs: timeoutMs = 90_000 } = options;
    const changed = () => this.#publish();
    this.screens = new Screens({ ...options, checkEveryMs, changed });
    this.#clearing = new DataClearing({ ...options, timeoutMs });
    this.#keeper = new Keeper({
      ...options,
      configure: async () => {
        await this.#clearing.browserConnected();
        await options.browser.configure(options.browserSettings);
        void this.screens.drive();
      },
      changed,
    });
  }

  /** Decides what to show first; it is shown as soon as there is a browser. */
  async start(): Promise<void> {
    await this.screens.refresh();
    const { targetStore, bundles, clearDataOnBoot, config, log } = this.#o;
    // Not when only the agent was restarted.
    if (clearDataOnBoot && !(await targetStore.current())) await this.#clearing.clearAtBoot();
    const { wanted, missing } = await firstTarget(targetStore, bundles, config(), this.screens.primary?.id);
    if (missing) log.warn({ bundle: missing }, 'the bundle cannot be shown');
    // This also settles what a restarted agent shows, whatever the startup settings are by then.
    this.#wanted = wanted;
    this.#remember(false);
    this.#keeper.start(missing ? { mode: 'waiting' } : this.#locate(wanted), missing);
    this.screens.start();
  }

  stop(): void {
    this.screens.stop();
    this.#keeper.stop();
  }

  /** The state as GET /display gives it. */
  state(): DisplayState {
    const { target, navigatedTo, loading } = this.#keeper.state;
    const { primary, rotation, resolution } = this.screens;
    return {
      mode: target.mode,
      ...(target.mode === 'url' ? { url: navigatedTo ?? target.url } : {}),
      ...(target.mode === 'bundle' ? { bundle: target.name } : {}),
      screen_on: primary?.connected === true && primary.powered,
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

  /** The browser's part of the health report (docs/contract.md: Device). */
  get browserHealth() {
    const { connected, pid } = this.#o.browser;
    return { running: connected, restarts: Math.max(0, this.#keeper.state.connection - 1), pid };
  }

  /** @throws ApiError `screen_not_found` for any id but the primary screen's */
  async requireScreen(id: string | undefined): Promise<void> {
    if (id === undefined) return;
    await this.#refreshScreens();
    if (id === this.screens.primary?.id) return;
    throw new ApiError(
      'screen_not_found',
      `There is no screen ${id.slice(0, MAX_SCREEN_ID)} that can be driven.`,
    );
  }

  /** @throws ApiError `bad_request` for anything but an http: or https: URL, `unavailable` without a browser */
  navigate(url: string): DisplayState {
    if (!['http:', 'https:'].includes(URL.parse(url)?.protocol ?? '')) {
      throw badRequest('', [{ path: '/url', message: 'must be an http: or https: URL' }]);
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
    else this.#keeper.dispatch({ event: 'bundle_arrived', name });
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
    return this.state();
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
      throw new ApiError('unavailable', `The browser took no picture: ${errorMessage(error)}`);
    }
  }

  /** If `display.resume_on_boot` was set, what is shown now is the target of the next boot. */
  configChanged(): void {
    this.#remember(this.#o.config().resume_on_boot);
  }

  /** The name, the addresses or the image on the waiting page changed: it is rendered again if it is on the screen. */
  waitingPageChanged(): void {
    this.#keeper.dispatch({ event: 'own_page_changed' });
  }

  /** @param request its number; one that a later request has overtaken changes nothing */
  #show(target: Target, request: number): DisplayState {
    this.#requireBrowser();
    if (request < this.#lastShown) return this.state();
    this.#lastShown = request;
    this.#wanted = target;
    this.#remember(this.#o.config().resume_on_boot);
    this.#published = ''; // every request sends an event, also one for the target that is already shown
    return this.#request({ event: 'show_target', target: this.#locate(target) });
  }

  #request(event: KeeperEvent): DisplayState {
    this.#requireBrowser();
    this.#keeper.dispatch(event);
    return this.state();
  }

  #locate(target: Target): LocatedTarget {
    return target.mode === 'bundle' ? { ...target, url: this.#o.bundleUrl(target.name) } : target;
  }

  /** @param lasting also for the next boot */
  #remember(lasting: boolean): void {
    this.#o.targetStore.save(this.#wanted, lasting).catch((error: unknown) => {
      this.#o.log.warn({ err: error }, 'the target could not be saved');
    });
  }

  #requireBrowser(): void {
    if (this.#o.browser.connected || this.#o.kiosk.installed) return;
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
    this.#o.bus.emit(displayState, state);
  }
}
