import { BrowserUnit } from './browser-unit.ts';
import { AWAY, crash, denial, loadFailure, TIMED_OUT } from './display-errors.ts';
import type { MissingBundle } from './first-target.ts';
import { Heartbeat } from './heartbeat.ts';
import type { KeeperOptions } from './keeper-options.ts';
import { LoadDeadline } from './load-deadline.ts';
import { OWN_URI, OwnPage } from './own-page.ts';
import type { Browser, BrowserEvent, Load, Target } from './ports.ts';
import type { Stage, Step } from './recovery.ts';
import type { DisplayError } from './schema.ts';
import { addressOf, isPageOf, noticeOf } from './target.ts';
import { TargetLoad } from './target-load.ts';
import { Wellness } from './wellness.ts';

const KINDS = ['connected', 'disconnected', 'load', 'load_failed', 'painted', 'page_gone'] as const;

/**
 * Keeps the target on the screen: whatever takes the page, the browser or the compositor down, the target is
 * brought back, with growing delays, and people at the screen are told why it is not there yet.
 */
export class Keeper {
  readonly #o: KeeperOptions;
  readonly #browser: Browser;
  readonly #unit: BrowserUnit;
  readonly #heartbeat: Heartbeat;
  readonly #wellness: Wellness;
  readonly #firstFrame = Promise.withResolvers<void>();
  #target: Target = { mode: 'waiting' };
  /** Why the waiting page is there instead of a bundle. */
  #missing: MissingBundle | undefined;
  #wanderedTo: string | undefined;
  #loading = false;
  #error: DisplayError | null = null;
  /** Why the document on the screen, which was loaded well, is not the page that was meant. */
  #denial: DisplayError | null = null;
  readonly #deadline: LoadDeadline;
  /** The page before was ended so that the target could come, and it has not come yet. */
  #hasInsisted = false;
  readonly #load = new TargetLoad((uri) => isPageOf(uri, this.#target, this.#o.bundles));
  readonly #own: OwnPage;
  #restarts = 0;
  #connections = 0;
  /** How often a host has asked for something. */
  #wishes = 0;
  #retry: NodeJS.Timeout | undefined;
  #stopListening: (() => void) | undefined;

  constructor(options: KeeperOptions) {
    this.#o = options;
    this.#browser = options.browser;
    this.#own = new OwnPage(options);
    this.#unit = new BrowserUnit({ ...options, awayMs: options.timing.awayMs });
    this.#wellness = new Wellness(options.timing.wellMs);
    this.#deadline = new LoadDeadline(options.timing, () => this.#late());
    this.#heartbeat = new Heartbeat(options.browser, options.timing, {
      answered: () => {
        if (!this.#wellness.awaited && !this.#loading && this.#error === null) this.#wellness.up();
      },
      missed: () => this.#wellness.doubt(), // it may be about to hang
      hangs: () => void this.#hangs(),
    });
  }

  /** @param missing why the target is the waiting page, when something else was wanted */
  start(target: Target, missing?: MissingBundle): void {
    this.#target = target;
    this.#missing = missing;
    this.#loading = this.#o.kiosk.installed;
    this.#stopListening = this.#browser.on(KINDS, (event) => this.#hear(event));
    if (this.#browser.connected) void this.#connected(this.#browser.uri);
    else this.#unit.watch();
  }

  stop(): void {
    this.#stopListening?.();
    this.#heartbeat.stop();
    this.#unit.stop();
    this.#deadline.end();
    this.#wellness.doubt();
    this.#wishes += 1;
    clearTimeout(this.#retry);
  }

  get target(): Target {
    return this.#target;
  }

  /** Where the page navigated itself to, away from the target. */
  get wanderedTo(): string | undefined {
    return this.#wanderedTo;
  }

  get loading(): boolean {
    return this.#loading;
  }

  get error(): DisplayError | null {
    if (!this.#browser.connected) return AWAY;
    if (this.#error || !this.#missing) return this.#error;
    return { code: this.#missing.code, message: this.#missing.message };
  }

  /** Resolves when the browser has shown its first frame. */
  get firstFrame(): Promise<void> {
    return this.#firstFrame.promise;
  }

  /** How often the browser came anew. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Shows something else. Without a browser it is shown when one comes. */
  aim(target: Target): void {
    this.#target = target;
    this.#missing = undefined;
    this.#wanderedTo = undefined;
    this.#begin();
    this.#show();
  }

  /** A bundle is there, as a new version or for the first time: the waiting page no longer says otherwise. */
  async bundleArrived(name: string, problem?: Omit<MissingBundle, 'name'>): Promise<void> {
    if (this.#missing?.name !== name) return;
    this.#missing = problem && { name, ...problem };
    await this.ownPageChanged();
  }

  reload(): void {
    // Where the page stands, past the cache; a target that is not there is asked for anew.
    const there = this.#target.mode !== 'waiting' && !this.#loading && this.#error === null;
    const inPlace = there && this.#own.shown === undefined && this.#browser.connected;
    this.#begin();
    if (inPlace) this.#follow(this.#browser.reload());
    else {
      this.#wanderedTo = undefined;
      this.#show();
    }
  }

  /** @param stage `compositor`: by its unit, whether or not the browser takes commands */
  restartBrowser(stage: Exclude<Stage, 'page'> = 'browser'): void {
    this.#begin();
    void this.#restart(stage);
  }

  /** What our own page tells has changed: draws it anew if it is on the screen. */
  async ownPageChanged(): Promise<void> {
    if (this.#own.shown === undefined || this.#targetIsComing) return;
    const html = await this.#render();
    if (html === undefined || this.#own.shown === undefined || this.#own.shown === html) return;
    if (this.#targetIsComing) return;
    const load = this.#own.show(html);
    if (this.#target.mode === 'waiting' && this.#error === null) this.#follow(load);
  }

  /** A page was asked for and is on its way: another load now would cancel it without a word. */
  get #targetIsComing(): boolean {
    return this.#loading && this.#target.mode !== 'waiting';
  }

  /** Tells the browser its settings. */
  async configure(): Promise<void> {
    await this.#browser.configure(this.#o.settings());
  }

  /** A host asked for something: what went wrong before does not count any more. */
  #begin(): void {
    this.#wishes += 1;
    clearTimeout(this.#retry);
    this.#wellness.forget();
    this.#error = null;
    this.#loading = true;
    this.#hasInsisted = false;
    this.#expectNothing();
  }

  /** Nothing of what was loaded before counts any more. */
  #expectNothing(): void {
    this.#load.expect();
    this.#deadline.end();
    this.#denial = null;
  }

  #hear(event: BrowserEvent): void {
    if (event.event === 'connected') void this.#connected(event.uri);
    else if (event.event === 'disconnected') this.#disconnected();
    else if (event.event === 'load') this.#loadChanged(event);
    else if (event.event === 'load_failed') this.#loadFailed(event);
    else if (event.event === 'page_gone') this.#pageGone(event.reason);
    else if (event.event === 'painted') this.#firstFrame.resolve();
  }

  async #connected(uri: string | null): Promise<void> {
    this.#connections += 1;
    if (this.#connections > 1) this.#restarts += 1;
    const connection = this.#connections;
    this.#unit.arrived();
    try {
      await this.#o.arriving();
      await this.configure();
    } catch (error) {
      this.#unusable(connection, error);
      return;
    }
    if (connection !== this.#connections || !this.#browser.connected) return;
    this.#o.arrived();
    this.#heartbeat.start();
    if (uri !== null && isPageOf(uri, this.#target, this.#o.bundles)) {
      // The agent was away, not the page: leave it alone.
      this.#firstFrame.resolve();
      this.#isUp();
    } else if (this.#wellness.failures > 1) {
      this.#plan({ ...this.#o.timing.step(this.#wellness.failures, 'crash'), stage: 'page' });
    } else if (!this.#load.isAsked) this.#show(); // else a host did so while the browser took its settings
    this.#o.changed();
  }

  #disconnected(): void {
    this.#heartbeat.stop();
    clearTimeout(this.#retry);
    this.#wellness.doubt();
    this.#own.shown = undefined;
    this.#wanderedTo = undefined;
    this.#expectNothing();
    this.#loading = true;
    if (!this.#unit.ending) {
      this.#wellness.failed();
      this.#error = { code: 'page_crashed', message: 'The browser ended while it showed the page.' };
      this.#o.log.warn({ failures: this.#wellness.failures }, 'the browser is gone');
    }
    this.#unit.watch();
    this.#o.changed();
  }

  #loadChanged(event: Extract<BrowserEvent, { event: 'load' }>): void {
    const { state, uri, status = 0 } = event;
    if (this.#load.isTargets(event)) {
      if (state === 'committed' && uri === OWN_URI && this.#target.mode !== 'waiting') {
        this.#load.mistaken(); // a notice that was on its way when a host asked
        return;
      }
      this.#load.begun();
      if (state === 'started') this.#deadline.begun();
      if (state === 'committed') {
        this.#load.arrived();
        this.#hasInsisted = false;
        this.#deadline.arrived();
        this.#denial = denial(event);
        if (event.load === 0) this.#error = null; // the end of this one is told as the page's own
        if (this.#target.mode !== 'waiting') this.#own.shown = undefined;
      }
      if (this.#target.mode === 'bundle' && status >= 400) {
        this.#unreadable(uri);
        return;
      }
      if (state === 'finished') this.#isUp();
    } else if (this.#load.isReplaced(event)) {
      void this.#insist();
      return;
    } else if (this.#load.isPages(event)) this.#pageMoves(event);
    else return;
    this.#o.changed();
  }

  /** The page goes elsewhere by itself. Its failures leave it as it was, so they are no errors of the target. */
  #pageMoves(event: Extract<BrowserEvent, { event: 'load' }>): void {
    this.#loading = event.state !== 'finished';
    if (event.state === 'started') this.#deadline.begun();
    else if (event.state === 'finished') this.#deadline.end();
    else if (event.state === 'committed') {
      this.#deadline.arrived();
      this.#wanderedTo = event.uri;
      this.#denial = denial(event);
      this.#error = this.#denial;
    }
  }

  /** The page before does not let the target take its place: it ends, and the target is asked for again. */
  async #insist(): Promise<void> {
    this.#hasInsisted = true;
    this.#expectNothing();
    if (await this.#endPage()) this.#show();
  }

  /** A load takes too long. A page that is there stays, whatever of it is still missing. */
  #late(): void {
    if (this.#load.isThere) this.#isUp();
    else if (!this.#load.isBegun && !this.#hasInsisted) void this.#insist();
    else {
      this.#own.shown = undefined; // drawn anew, our own page takes the place of what is still being loaded
      this.#fail('load', TIMED_OUT);
    }
    this.#o.changed();
  }

  /** An HTTP error is a page like any other when it comes from somebody's server; from ours it is not. */
  #unreadable(uri: string): void {
    if (uri === addressOf(this.#target, this.#o.bundles)) {
      this.#fail('load', { code: 'bundle_damaged', message: "The bundle's start page cannot be read." });
    } else this.#show(); // reloaded at an address that only the script of the start page knows
  }

  #loadFailed(event: Extract<BrowserEvent, { event: 'load_failed' }>): void {
    if (this.#load.isTargets(event)) {
      if (event.kind === 'cancelled') void this.#insist();
      else this.#fail('load', loadFailure(event));
    } else if (this.#load.isPages(event)) {
      this.#loading = false;
      this.#deadline.end();
      this.#o.changed();
    }
  }

  #pageGone(reason: 'crashed' | 'memory' | 'terminated'): void {
    this.#own.shown = undefined; // terminated: by us, who go on from there
    if (reason !== 'terminated') this.#fail('crash', crash(reason));
  }

  async #hangs(): Promise<void> {
    if (!(await this.#endPage())) return;
    this.#fail('crash', { code: 'page_unresponsive', message: 'The page did not respond any more.' });
  }

  /** @returns false when there is nothing more to do: the browser is gone, or a host has asked for something else */
  async #endPage(): Promise<boolean> {
    const [connection, wish] = [this.#connections, this.#wishes];
    try {
      await this.#browser.terminatePage();
    } catch (error) {
      this.#unusable(connection, error);
      return false;
    }
    if (connection !== this.#connections || !this.#browser.connected) return false;
    // What a host asked for meanwhile is on its way to a new page.
    return wish === this.#wishes;
  }

  #isUp(): void {
    this.#loading = false;
    this.#error = this.#denial;
    this.#deadline.end();
    this.#load.arrived();
    this.#wellness.up();
  }

  #fail(kind: 'load' | 'crash', error: DisplayError): void {
    this.#wellness.failed();
    this.#error = error;
    this.#loading = false;
    this.#expectNothing();
    this.#wanderedTo = undefined;
    this.#o.log.warn({ error, failures: this.#wellness.failures }, 'the target is not on the screen');
    this.#plan(this.#o.timing.step(this.#wellness.failures, kind));
    this.#o.changed();
  }

  #plan({ delayMs, stage, notice }: Step): void {
    clearTimeout(this.#retry);
    if (notice) void this.#showNotice();
    this.#retry = setTimeout(() => {
      this.#loading = true;
      if (stage === 'page') this.#show();
      else void this.#restart(stage);
      this.#o.changed();
    }, delayMs);
    this.#retry.unref();
  }

  /** A browser that was to end and stays is used as it is. */
  async #restart(stage: Exclude<Stage, 'page'>): Promise<void> {
    const [connection, wish] = [this.#connections, this.#wishes];
    if ((await this.#unit.restart(stage)) || !this.#browser.connected) return;
    if (connection !== this.#connections || wish !== this.#wishes) return;
    this.#fail('crash', { code: 'page_unresponsive', message: 'The browser could not be restarted.' });
  }

  #show(): void {
    if (!this.#browser.connected) return; // shown when it comes
    const address = addressOf(this.#target, this.#o.bundles);
    if (address === undefined) void this.#showWaiting();
    else this.#follow(this.#browser.load(address));
  }

  async #showWaiting(): Promise<void> {
    const target = this.#target;
    const html = await this.#render();
    if (this.#target !== target || !this.#browser.connected) return;
    if (html !== undefined) this.#follow(this.#own.show(html));
    else this.#fail('load', { code: 'load_failed', message: 'The waiting page cannot be read.' });
  }

  async #showNotice(): Promise<void> {
    const error = this.#error;
    const html = await this.#render();
    if (html === undefined || this.#own.shown === html || this.#targetIsComing) return;
    if (this.#error !== error || !this.#browser.connected) return;
    this.#mind(this.#own.show(html));
  }

  /** Our own page as it should be now. */
  #render(): Promise<string | undefined> {
    return this.#own.render(noticeOf(this.#target, this.#error, this.#missing));
  }

  /** The target comes with this load. */
  #follow(load: Load): void {
    this.#load.expect(load.id);
    this.#deadline.asked();
    this.#mind(load);
  }

  #mind({ accepted }: Load): void {
    const connection = this.#connections;
    accepted.catch((error: unknown) => this.#unusable(connection, error));
  }

  /** A browser that is connected and does not take commands is of no use. */
  #unusable(connection: number, error: unknown): void {
    if (connection !== this.#connections || !this.#browser.connected) return;
    this.#o.log.warn({ err: error }, 'the browser does not take commands');
    void this.#restart('compositor');
  }
}
