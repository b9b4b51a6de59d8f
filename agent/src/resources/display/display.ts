import { ApiError } from '../../contract/errors.ts';
import { MAX_SCREEN_ID } from '../../contract/shared.ts';
import type { EventBus } from '../../events/bus.ts';
import { DataClearing } from './data-clearing.ts';
import { firstTarget } from './first-target.ts';
import { Keeper } from './keeper.ts';
import { type KeeperTiming, TIMING } from './keeper-options.ts';
import type {
  Browser,
  BrowserData,
  Bundles,
  Compositor,
  Connectors,
  DisplayLog,
  Kiosk,
  Target,
  TargetStore,
  WaitingPage,
} from './ports.ts';
import { type DisplayState, displayState, type Rotation, type Screen } from './schema.ts';
import { ScreenDriver } from './screen-driver.ts';
import { Screens } from './screens.ts';
import type { DisplaySettings } from './settings.ts';

/** How often connectors are looked at while nobody asks, in ms. */
const LOOK_EVERY_MS = 5000;
/** A new browser comes within this time, in ms, also in an emulator on a busy computer. */
const NEW_BROWSER_MS = 90_000;
/** Of so many looks at the connectors one asks the compositor what it drives. */
const LOOKS_PER_ASKING = 2;

export interface DisplayOptions {
  browser: Browser;
  compositor: Compositor;
  kiosk: Kiosk;
  /** Absent where what the browser stores is not the device's own. */
  browserData?: BrowserData | undefined;
  connectors: Connectors;
  store: TargetStore;
  page: WaitingPage;
  bundles: Bundles;
  bus: EventBus;
  settings: DisplaySettings;
  log: DisplayLog;
  timing?: KeeperTiming;
  /** In ms. */
  lookEveryMs?: number;
  /** How long a browser that was ended may be away, in ms. */
  newBrowserMs?: number;
}

/** What the health report tells of the browser (contract-decisions: Device). */
export interface BrowserHealth {
  running: boolean;
  restarts: number;
  pid: number | null;
}

/** What is on the screen (interface: Display). */
export class Display {
  readonly #o: DisplayOptions;
  readonly #screens: Screens;
  readonly #driver: ScreenDriver;
  readonly #keeper: Keeper;
  readonly #clearing: DataClearing;
  readonly #lookEveryMs: number;
  #settings: DisplaySettings;
  /** What is to be shown, also while the waiting page tells why it is not. */
  #wanted: Target = { mode: 'waiting' };
  /** How many targets hosts have asked for, and which of them was the last to be shown. */
  #asked = 0;
  #met = 0;
  #published = '';
  #look: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: DisplayOptions) {
    this.#o = options;
    this.#settings = options.settings;
    this.#lookEveryMs = options.lookEveryMs ?? LOOK_EVERY_MS;
    const running = () => options.browser.connected;
    const { connectors, compositor } = options;
    this.#screens = new Screens(connectors, compositor, running, LOOKS_PER_ASKING * this.#lookEveryMs);
    this.#driver = new ScreenDriver({
      screens: this.#screens,
      browser: options.browser,
      compositor,
      rotation: () => this.rotation,
      changed: () => this.#publish(),
      log: options.log,
    });
    const { browser, browserData: data, log } = options;
    this.#clearing = new DataClearing({
      browser,
      data,
      log,
      limitMs: options.newBrowserMs ?? NEW_BROWSER_MS,
    });
    this.#keeper = new Keeper({
      browser: options.browser,
      kiosk: options.kiosk,
      page: options.page,
      bundles: options.bundles,
      log: options.log,
      timing: options.timing ?? TIMING,
      settings: () => this.#settings.browser,
      arriving: () => this.#clearing.browserCame(),
      arrived: () => void this.#driver.drive(),
      changed: () => this.#publish(),
    });
  }

  /** Decides what to show first; it is shown as soon as there is a browser. */
  async start(): Promise<void> {
    await this.#screens.refresh();
    const { store, bundles } = this.#o;
    const { resumeOnBoot, bootBundle, clearDataOnBoot } = this.#settings;
    // An agent that is restarted finds what this boot shows.
    if (clearDataOnBoot && !(await store.current())) await this.#clearing.atBoot();
    const url = this.#startupUrl;
    const { wanted, target, missing } = await firstTarget({ store, bundles, resumeOnBoot, bootBundle, url });
    if (missing) this.#o.log.warn({ bundle: missing }, 'the bundle cannot be shown');
    // What this boot shows is settled: a startup setting that changes later does not count, also not for an agent
    // that is restarted.
    this.#wanted = wanted;
    this.#remember(false);
    this.#keeper.start(target, missing);
    this.#look = setInterval(() => {
      // With a compositor that takes its time, looks would pile up, and with them what each has driven.
      this.#looking ??= this.#driver.look().finally(() => {
        this.#looking = undefined;
      });
    }, this.#lookEveryMs);
    this.#look.unref();
  }

  stop(): void {
    clearInterval(this.#look);
    this.#keeper.stop();
  }

  /** The state as GET /display gives it. */
  state(): DisplayState {
    const { target, wanderedTo, loading, error } = this.#keeper;
    const primary = this.#screens.primary;
    return {
      mode: target.mode,
      ...(target.mode === 'url' ? { url: wanderedTo ?? target.url } : {}),
      ...(target.mode === 'bundle' ? { bundle: target.name } : {}),
      screen_on: primary?.connected === true && primary.powered,
      rotation: this.#screens.rotation ?? this.rotation,
      resolution: this.#screens.resolution,
      loading,
      error,
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

  /** Resolves when the browser shows a frame: part of what makes a slot good. */
  get firstFrame(): Promise<void> {
    return this.#keeper.firstFrame;
  }

  /** Whether a screen is connected, as of now. */
  async hasScreen(): Promise<boolean> {
    await this.#refreshScreens();
    return this.#screens.primary?.connected === true;
  }

  /** As it is configured for the primary screen, in degrees clockwise. */
  get rotation(): Rotation {
    return this.#own?.rotation ?? this.#settings.rotation;
  }

  get browserHealth(): BrowserHealth {
    const { connected, pid } = this.#o.browser;
    return { running: connected, restarts: this.#keeper.restarts, pid };
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

  /** @throws ApiError `bad_request` for what is no http: or https: URL, `unavailable` without a browser */
  navigate(url: string): DisplayState {
    const protocol = URL.canParse(url) ? new URL(url).protocol : '';
    if (protocol !== 'http:' && protocol !== 'https:') {
      const message = 'must be an http: or https: URL';
      throw new ApiError('bad_request', `/url ${message}`, { issues: [{ path: '/url', message }] });
    }
    return this.#aim({ mode: 'url', url }, ++this.#asked);
  }

  /**
   * Looks at the bundle first. What is asked for meanwhile was asked for later, and stays on the screen.
   * @throws ApiError `content_not_found`, `bundle_invalid` for one that is damaged, with the reason; `unavailable`
   * without a browser. The screen stays as it is then.
   */
  async showBundle(name: string): Promise<DisplayState> {
    this.#requireBrowser();
    const turn = ++this.#asked;
    const problem = await this.#o.bundles.problem(name);
    // It may have been deleted meanwhile; from here to the aim nothing can come between.
    if (problem?.code === 'bundle_missing' || this.#o.bundles.locate(name) === undefined) {
      throw new ApiError('content_not_found', `There is no bundle ${name}.`);
    }
    if (problem) throw new ApiError('bundle_invalid', problem.message);
    return this.#aim({ mode: 'bundle', name }, turn);
  }

  /** The bundle that is the target, wherever its page has gone; it must stay. */
  get activeBundle(): string | undefined {
    const { target } = this.#keeper;
    return target.mode === 'bundle' ? target.name : undefined;
  }

  /**
   * A new version of a bundle is in place: if it is shown, it is loaded anew, from its start page, because the page
   * that it was at may be no more. One that the waiting page misses is not shown, it is only no longer missed.
   */
  bundleReplaced(name: string): void {
    if (this.activeBundle === name) this.#keeper.aim(this.#keeper.target);
    else {
      this.#keeper.bundleArrived(name).catch((error: unknown) => {
        this.#o.log.warn({ err: error }, 'the waiting page could not be drawn anew');
      });
    }
    this.#publish();
  }

  /**
   * A bundle that was still being read at the start is known now. One that was to be shown first is shown, unless a
   * host has asked for something else since.
   */
  async bundleRead(name: string): Promise<void> {
    const problem = await this.#o.bundles.problem(name);
    const wanted = this.#wanted;
    const isWanted = wanted.mode === 'bundle' && wanted.name === name && this.activeBundle !== name;
    if (isWanted && this.#met === 0 && !problem) this.#keeper.aim(wanted);
    else await this.#keeper.bundleArrived(name, problem);
    this.#publish();
  }

  /** @throws ApiError `unavailable` without a browser */
  showWaiting(): DisplayState {
    return this.#aim({ mode: 'waiting' }, ++this.#asked);
  }

  /** @throws ApiError `unavailable` without a browser */
  reload(): DisplayState {
    this.#requireBrowser();
    this.#keeper.reload();
    return this.#publish();
  }

  /** @throws ApiError `unavailable` without a browser */
  restartBrowser(): DisplayState {
    this.#requireBrowser();
    this.#keeper.restartBrowser();
    return this.#publish();
  }

  /**
   * Ends the browser, takes away what it has stored, of all origins, and shows the target in a new one.
   * @throws ApiError `unavailable` without a browser whose data is ours, or when it could not be cleared
   */
  async clearData(): Promise<DisplayState> {
    this.#requireBrowser();
    await this.#clearing.clear(() => this.#keeper.restartBrowser('compositor'));
    return this.#publish();
  }

  /**
   * @returns PNG of the visible part of the page
   * @throws ApiError `unavailable` when the browser is away or gives none
   */
  async screenshot(): Promise<Buffer> {
    this.#requireBrowser();
    try {
      return await this.#o.browser.screenshot();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new ApiError('unavailable', `The browser gave no picture: ${why}`);
    }
  }

  /** Takes over a changed configuration; what is live takes effect at once. */
  apply(settings: DisplaySettings): void {
    const before = this.#settings;
    const turned = this.rotation;
    this.#settings = settings;
    if (this.rotation !== turned) void this.#driver.drive();
    if (settings.resumeOnBoot && !before.resumeOnBoot) this.#remember(true);
    if (this.#o.browser.connected) {
      this.#keeper.configure().catch((error: unknown) => {
        this.#o.log.warn({ err: error }, 'the browser did not take its settings');
      });
    }
    this.#publish();
  }

  /**
   * Resolves when the primary screen is turned as it is configured, or as soon as there is a browser will be.
   * @throws Error when the compositor did not do it
   */
  turned(): Promise<void> {
    return this.#driver.settled();
  }

  /** What an operator should know, as sentences. */
  problems(): string[] {
    return this.#driver.problem ? [this.#driver.problem] : [];
  }

  /** What the waiting page tells has changed (name, addresses): draws it anew if it is on the screen. */
  waitingPageChanged(): Promise<void> {
    return this.#keeper.ownPageChanged();
  }

  /** @param turn of the request among all that ask for a target; one that a later one has overtaken changes nothing */
  #aim(target: Target, turn: number): DisplayState {
    this.#requireBrowser();
    if (turn < this.#met) return this.#publish();
    this.#met = turn;
    this.#keeper.aim(target);
    this.#wanted = target;
    this.#remember(this.#settings.resumeOnBoot);
    this.#published = ''; // a host that asks for what is there already gets its event, too
    return this.#publish();
  }

  /** What is configured for the primary screen alone. */
  get #own() {
    return this.primaryScreen === undefined ? undefined : this.#settings.screens[this.primaryScreen];
  }

  /**
   * The primary screen's startup URL. A graphics driver may load later than the agent: until there is a screen at all,
   * the one that has a URL counts as the primary one.
   */
  get #startupUrl(): string | null {
    const own = this.primaryScreen === undefined ? Object.values(this.#settings.screens) : [this.#own];
    return own.find((screen) => screen?.url)?.url ?? null;
  }

  /** @param lasting also over boots */
  #remember(lasting: boolean): void {
    this.#o.store.save(this.#wanted, lasting).catch((error: unknown) => {
      this.#o.log.warn({ err: error }, 'what is shown could not be remembered');
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

  /** Sends the state to whoever listens, if it is another than the last one sent. */
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
