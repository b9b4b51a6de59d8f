import { RecordLimit, type Write } from '../../base/limited-log.ts';
import type { Logger } from '../../base/logger.ts';
import { Driver } from '../../base/machine.ts';
import { errorMessage } from '../../base/system-error.ts';
import { withTimeout } from '../../base/timeout.ts';
import { keeperMachine } from './keeper-machine.ts';
import {
  type FrameResult,
  type KeeperConfig,
  type KeeperEffect,
  type KeeperEvent,
  KeeperState,
  type TimerName,
} from './keeper-state.ts';
import type { BrowserEventOf, DisplayPorts, Load } from './ports.ts';
import { type LocatedTarget, type MissingBundle, type Notice, OWN_URI } from './target.ts';
import { TIMING } from './timing.ts';

const KINDS = ['connected', 'disconnected', 'load', 'load_failed', 'moved', 'painted', 'page_gone'] as const;
/** Our own page is read from a file. */
const RENDER_MS = 10_000;

export interface KeeperOptions extends Pick<DisplayPorts, 'browser' | 'compositor' | 'kiosk'> {
  /** Renders the waiting page, or the notice that says why the target is not shown, as HTML. */
  renderPage: (notice: Notice | undefined) => Promise<string>;
  log: Pick<Logger, 'info' | 'warn'>;
  timing?: typeof TIMING;
  /** Gives a browser that has connected its settings. */
  configure: () => Promise<void>;
  /** Whether a screen is connected that could show frames. */
  hasScreen: () => boolean;
  /** What else to say of a load that failed. */
  hint?: (failure: BrowserEventOf<'load_failed'>) => string | undefined;
  /** The display's state may have changed. */
  changed: () => void;
}

/**
 * Keeps the target on the screen: whatever takes the page, the browser or the compositor down, the target is brought
 * back, with growing delays, and the screen says meanwhile why it is not there. The rules are in keeper-machine.ts.
 */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #config: KeeperConfig;
  /** Limited, since a page can fail as often as it likes. */
  readonly #warn: Write;
  readonly #firstFrame = Promise.withResolvers<void>();
  readonly #timers = new Map<TimerName, NodeJS.Timeout>();
  readonly #driver: Driver<Readonly<KeeperState>, KeeperEvent, KeeperEffect>;
  #stopListening: (() => void) | undefined;
  /** What to render after the page that is being rendered; only the latest is wanted. */
  #nextRender: { notice: Notice | undefined; generation: number } | undefined;
  #isRendering = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
    const { kiosk, log, timing = TIMING } = options;
    this.#warn = new RecordLimit().of((fields, message) => log.warn(fields, message));
    this.#config = { timing, kioskInstalled: kiosk.installed };
    this.#driver = new Driver({
      machine: keeperMachine(this.#config),
      initial: new KeeperState(),
      perform: (effect) => this.#perform(effect.do, effect),
      changed: options.changed,
    });
  }

  /** @param missing why the target is the waiting page, when a bundle was wanted */
  start(target: LocatedTarget, missing: MissingBundle | undefined): void {
    const { browser } = this.#options;
    this.dispatch({ event: 'start', target, missing });
    this.#stopListening = browser.on(KINDS, (event) => {
      if (event.event !== 'load_failed') return this.dispatch(event);
      const hint = this.#options.hint?.(event);
      this.dispatch(hint === undefined ? event : { ...event, message: `${event.message} (${hint})` });
    });
    if (browser.connected) this.dispatch({ event: 'connected', uri: browser.uri });
  }

  stop(): void {
    this.#driver.stop();
    this.#stopListening?.();
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  get state(): Readonly<KeeperState> {
    return this.#driver.state;
  }

  /** Resolves when the browser has shown its first frame. */
  get firstFrame(): Promise<void> {
    return this.#firstFrame.promise;
  }

  /** Events after `stop` are ignored. */
  dispatch(event: KeeperEvent): void {
    this.#driver.dispatch(event);
  }

  /** Carries out the effects. Answers carry the connection or the generation of their request. */
  readonly #effects: {
    readonly [K in KeeperEffect['do']]: (effect: Extract<KeeperEffect, { do: K }>) => void;
  } = {
    configure: () => {
      const { connection } = this.state;
      this.#command(this.#options.configure(), { event: 'configured', connection });
    },
    load: ({ address }) => this.#load(this.#options.browser.load(address)),
    load_own_page: ({ html }) => this.#load(this.#options.browser.loadHtml(html, OWN_URI)),
    reload: () => this.#load(this.#options.browser.reload()),
    terminate_page: ({ next }) => {
      const { generation } = this.state;
      this.#command(this.#options.browser.terminatePage(), { event: 'page_terminated', generation, next });
    },
    ping: () => {
      const { connection } = this.state;
      void this.#options.browser.ping(this.#config.timing.pongMs).then((answered) => {
        this.dispatch({ event: 'pong', connection, answered });
      });
    },
    check_frames: () => {
      const { connection, generation: during } = this.state;
      void this.#checkFrames().then((result) => {
        this.dispatch({ event: 'frames_checked', connection, during, result });
      });
    },
    quit: () => this.#command(this.#options.browser.quit(), undefined, 'quit_failed'),
    restart_unit: () => void this.#restartUnit(),
    render: ({ notice }) => void this.#render(notice),
    set_timer: ({ timer, ms }) => {
      clearTimeout(this.#timers.get(timer));
      this.#timers.set(timer, setTimeout(() => this.dispatch({ event: 'timer', timer }), ms).unref());
    },
    cancel_timer: ({ timer }) => clearTimeout(this.#timers.get(timer)),
    report_first_frame: () => this.#firstFrame.resolve(),
    warn: ({ fields, message }) => this.#warn(fields, message),
  };

  #perform<K extends KeeperEffect['do']>(kind: K, effect: Extract<KeeperEffect, { do: K }>): void {
    this.#effects[kind](effect);
  }

  #load({ id, accepted }: Load): void {
    this.dispatch({ event: 'load_sent', id });
    this.#command(accepted);
  }

  /** @param answer to be dispatched when the browser has taken the command */
  #command(
    taken: Promise<unknown>,
    answer?: KeeperEvent,
    failure: 'command_failed' | 'quit_failed' = 'command_failed',
  ): void {
    const { connection } = this.state;
    taken.then(
      () => answer && this.dispatch(answer),
      (error: unknown) => {
        this.dispatch({ event: failure, connection, reason: errorMessage(error) });
      },
    );
  }

  async #checkFrames(): Promise<FrameResult> {
    const { browser, compositor, hasScreen } = this.#options;
    const { frameMs, pongMs } = this.#config.timing;
    if (!hasScreen()) return 'unknown';
    if (await browser.showsFrames(frameMs)) return 'shown';
    if (!hasScreen()) return 'unknown';
    const doesCompositorAnswer = await compositor.outputs().then(
      () => true,
      () => false,
    );
    if (!doesCompositorAnswer) return 'compositor_frozen';
    return (await browser.ping(pongMs)) ? 'frozen' : 'unknown';
  }

  /** One at a time: each opens files, and a page can fail more often than they are read. */
  async #render(notice: Notice | undefined): Promise<void> {
    this.#nextRender = { notice, generation: this.state.generation };
    if (this.#isRendering) return;
    this.#isRendering = true;
    while (this.#nextRender) {
      const next = this.#nextRender;
      this.#nextRender = undefined;
      const html = await this.#html(next.notice);
      this.dispatch({ event: 'rendered', generation: next.generation, html });
    }
    this.#isRendering = false;
  }

  /** Undefined when it cannot be rendered. */
  async #html(notice: Notice | undefined): Promise<string | undefined> {
    try {
      return await withTimeout(this.#options.renderPage(notice), RENDER_MS);
    } catch (error) {
      this.#warn({ err: error }, 'the waiting page cannot be rendered');
      return undefined;
    }
  }

  async #restartUnit(): Promise<void> {
    const { kiosk } = this.#options;
    const { connection } = this.state;
    try {
      await kiosk.restart();
      if (kiosk.installed) return;
    } catch (error) {
      this.#warn({ err: error }, "the browser's unit could not be restarted");
    }
    this.dispatch({ event: 'unit_restart_failed', connection });
  }
}
