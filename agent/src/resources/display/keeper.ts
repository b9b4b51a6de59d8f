import { withTimeout } from '../../base/timeout.ts';
import type { MissingBundle } from './first-target.ts';
import { advance } from './keeper-machine.ts';
import {
  type Effect,
  INITIAL_STATE,
  type KeeperConfig,
  type KeeperEvent,
  type KeeperState,
  type KeeperTiming,
  type TimerName,
} from './keeper-state.ts';
import type {
  Browser,
  BrowserSettings,
  BundleProblem,
  Bundles,
  DisplayLog,
  Kiosk,
  Load,
  Notice,
  Target,
  WaitingPage,
} from './ports.ts';
import { recoveryStep } from './recovery.ts';
import { OWN_URI } from './target.ts';

const KINDS = ['connected', 'disconnected', 'load', 'load_failed', 'painted', 'page_gone'] as const;
/** Our own page is read from a file. */
const RENDER_MS = 10_000;

/** Generous, because a board that boots or is busy is slow without anything being wrong. */
export const TIMING: KeeperTiming = {
  stableMs: 60_000,
  awayMs: 60_000,
  pingEveryMs: 10_000,
  pongMs: 15_000,
  misses: 3,
  beginMs: 15_000,
  documentMs: 60_000,
  completeMs: 60_000,
  step: recoveryStep,
};

export interface KeeperOptions {
  browser: Browser;
  kiosk: Kiosk;
  page: WaitingPage;
  bundles: Bundles;
  log: DisplayLog;
  timing: KeeperTiming;
  settings: () => BrowserSettings;
  /** A browser is connected and opens its files only when it gets its settings, after this. Never rejects. */
  beforeConfigure: () => Promise<void>;
  /** A browser has its settings. */
  ready: () => void;
  /** Something that the display's state tells may have changed. */
  changed: () => void;
}

/**
 * Keeps the target on the screen: whatever takes the page, the browser or the compositor down, the target is brought
 * back, with growing delays, and the screen says meanwhile why it is not there. The rules are in keeper-machine.ts.
 */
export class Keeper {
  readonly #o: KeeperOptions;
  readonly #config: KeeperConfig;
  readonly #firstFrame = Promise.withResolvers<void>();
  readonly #timers = new Map<TimerName, NodeJS.Timeout>();
  readonly #events: KeeperEvent[] = [];
  #state: Readonly<KeeperState> = INITIAL_STATE;
  #isAdvancing = false;
  #isStopped = false;
  #rendering = Promise.resolve();
  #stopListening: (() => void) | undefined;

  constructor(options: KeeperOptions) {
    this.#o = options;
    const { kiosk, bundles, timing } = options;
    this.#config = { timing, kioskInstalled: kiosk.installed, bundleUrl: (name) => bundles.url(name) };
  }

  /** @param missing why the target is the waiting page, when a bundle was wanted */
  start(target: Target, missing?: MissingBundle): void {
    const { browser } = this.#o;
    this.dispatch({ event: 'start', target, missing });
    this.#stopListening = browser.on(KINDS, (event) => this.dispatch(event));
    if (browser.connected) this.dispatch({ event: 'connected', uri: browser.uri });
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopListening?.();
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  get state(): Readonly<KeeperState> {
    return this.#state;
  }

  /** Resolves when the browser has shown its first frame. */
  get firstFrame(): Promise<void> {
    return this.#firstFrame.promise;
  }

  /** A bundle was stored or read: if the waiting page reports it as missing, only `problem` is reported from now on. */
  async bundleArrived(name: string, problem?: BundleProblem): Promise<void> {
    this.dispatch({ event: 'bundle_arrived', name, problem });
    await this.#rendered();
  }

  /** Renders our own page again if it is on the screen. Resolves when it was sent to the browser. */
  async ownPageChanged(): Promise<void> {
    this.dispatch({ event: 'own_page_changed' });
    await this.#rendered();
  }

  /** Events that come while effects are carried out wait for them. None counts after `stop`. */
  dispatch(event: KeeperEvent): void {
    if (this.#isStopped) return;
    this.#events.push(event);
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    const before = this.#state;
    try {
      for (let next = this.#events.shift(); next; next = this.#events.shift()) {
        const { state, effects } = advance(this.#config, this.#state, next);
        this.#state = state;
        for (const effect of effects) this.#run(effect);
      }
    } finally {
      this.#isAdvancing = false;
    }
    if (this.#state !== before) this.#o.changed();
  }

  /** Carries out an effect. Its answer belongs to the connection and the generation of now. */
  #run(effect: Effect): void {
    const { browser } = this.#o;
    const { connection, generation } = this.#state;
    const commandFailed = (error: unknown) =>
      this.dispatch({ event: 'command_failed', connection, reason: messageOf(error) });
    switch (effect.do) {
      case 'load':
        this.#sent(browser.load(effect.address), commandFailed);
        break;
      case 'load_own_page':
        this.#sent(browser.loadHtml(effect.html, OWN_URI), commandFailed);
        break;
      case 'reload':
        this.#sent(browser.reload(), commandFailed);
        break;
      case 'render':
        this.#rendering = this.#render(effect.notice, generation);
        break;
      case 'prepare_browser':
        this.#o.beforeConfigure().then(() => this.dispatch({ event: 'prepared', connection }), commandFailed);
        break;
      case 'configure':
        browser
          .configure(this.#o.settings())
          .then(() => this.dispatch({ event: 'configured', connection }), commandFailed);
        break;
      case 'configure_again':
        browser.configure(this.#o.settings()).catch((error: unknown) => {
          this.#o.log.warn({ err: error }, 'the browser did not take its changed settings');
        });
        break;
      case 'terminate_page': {
        const answer = { event: 'page_terminated', generation, next: effect.next } as const;
        browser.terminatePage().then(() => this.dispatch(answer), commandFailed);
        break;
      }
      case 'ping':
        browser
          .ping(this.#config.timing.pongMs)
          .then((answered) => this.dispatch({ event: 'pong', connection, answered }), commandFailed);
        break;
      case 'quit':
        browser.quit().catch((error: unknown) => {
          this.dispatch({ event: 'quit_failed', connection, reason: messageOf(error) });
        });
        break;
      case 'restart_unit':
        void this.#restartUnit(connection);
        break;
      case 'report_ready':
        this.#o.ready();
        break;
      case 'report_first_frame':
        this.#firstFrame.resolve();
        break;
      case 'set_timer':
        this.#setTimer(effect.timer, effect.ms);
        break;
      case 'cancel_timer':
        clearTimeout(this.#timers.get(effect.timer));
        break;
      case 'warn':
        this.#o.log.warn(effect.fields, effect.message);
        break;
      default:
        unknown(effect);
    }
  }

  #sent({ id, accepted }: Load, failed: (error: unknown) => void): void {
    this.dispatch({ event: 'load_sent', id });
    accepted.catch(failed);
  }

  async #render(notice: Notice | undefined, generation: number): Promise<void> {
    let html: string | undefined;
    try {
      html = await withTimeout(this.#o.page.render(notice), RENDER_MS);
    } catch (error) {
      this.#o.log.warn({ err: error }, 'the waiting page cannot be rendered');
    }
    this.dispatch({ event: 'rendered', generation, html });
  }

  /** Resolves when nothing is being rendered. */
  async #rendered(): Promise<void> {
    for (let last: Promise<void> | undefined; last !== this.#rendering; ) {
      last = this.#rendering;
      await last;
    }
  }

  async #restartUnit(connection: number): Promise<void> {
    const { kiosk, log } = this.#o;
    try {
      await kiosk.restart();
      if (kiosk.installed) return;
    } catch (error) {
      log.warn({ err: error }, "the browser's unit could not be restarted");
    }
    this.dispatch({ event: 'unit_restart_failed', connection });
  }

  #setTimer(timer: TimerName, ms: number): void {
    clearTimeout(this.#timers.get(timer));
    const running = setTimeout(() => this.dispatch({ event: 'timer', timer }), ms);
    running.unref();
    this.#timers.set(timer, running);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function unknown(effect: never): never {
  throw new Error(`unknown effect ${JSON.stringify(effect)}`);
}
