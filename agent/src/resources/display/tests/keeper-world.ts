import assert from 'node:assert/strict';
import type { MissingBundle } from '../first-target.ts';
import { TIMING } from '../keeper.ts';
import { advance } from '../keeper-machine.ts';
import {
  type Effect,
  INITIAL_STATE,
  type KeeperConfig,
  type KeeperEvent,
  type KeeperState,
  type TimerName,
} from '../keeper-state.ts';
import type { Notice, Target } from '../ports.ts';
import { recoveryStep } from '../recovery.ts';
import { isPageOf, OWN_URI } from '../target.ts';
import { FakeClock } from './fake-clock.ts';
import { SimulatedBrowser } from './simulated-browser.ts';

const CONFIG: KeeperConfig = {
  timing: TIMING,
  kioskInstalled: true,
  bundleUrl: (name) => `http://${name}.localhost:8081/`,
};
const BROWSER_EFFECTS = ['load', 'load_own_page', 'reload', 'terminate_page', 'ping', 'quit', 'configure'];
const REQUESTS = ['start', 'show_target', 'reload', 'restart_browser'];
const LOAD_ERRORS = ['load_failed', 'tls_failed', 'load_timeout', 'bundle_damaged'];
/** Longer than all that a healthy world can still have to wait for. */
const QUIET_MS = 45 * 60_000;

/** The state machine in a simulated world. Everything that must always hold is checked after every event. */
export class KeeperWorld {
  readonly clock = new FakeClock();
  readonly browser = new SimulatedBrowser(this.clock, (event) => this.send(event));
  state: Readonly<KeeperState> = INITIAL_STATE;
  /** The load that is to bring the target: what the browser was told, and when. */
  #targetLoad = { id: 0, generation: -1, stalls: 0 };
  /** The page was terminated for the target, which has not come since. */
  #isTerminated = false;
  /** What our own page tells. */
  facts = 0;
  renderMs = 5;
  rendersFail = false;
  readonly #timers = new Map<TimerName, () => void>();
  /** Answers that are still to come, by generation or connection. */
  readonly #pending = new Set<{ generation?: number; connection?: number }>();
  #agents = 0;
  #isAgentGone = false;
  #lastId = 0;
  /** Something has happened for which the target may be loaded. */
  #mayLoad = false;
  /** Failures in a row, counted independently. */
  #failures = 0;
  #upSince: number | undefined;
  #requested: Target = { mode: 'waiting' };
  /** A change of our own page could not be rendered; that is not tried again. */
  #isRefreshLost = false;

  constructor() {
    this.startAgent({ mode: 'waiting' });
    this.browser.start();
  }

  /** Also a restart of the agent: nothing is left of the earlier one, and the page stays. */
  startAgent(target: Target, missing?: MissingBundle): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#pending.clear();
    this.#agents += 1;
    this.#isAgentGone = true;
    this.browser.reconnect();
    this.#isAgentGone = false;
    this.#upSince = undefined;
    this.state = INITIAL_STATE;
    this.send({ event: 'start', target, missing });
  }

  send(event: KeeperEvent): void {
    if (this.#isAgentGone) return;
    const before = this.state;
    const { state, effects } = advance(CONFIG, before, event);
    if (state === before) return; // out of date
    this.state = state;
    this.#observe(event, before);
    for (const effect of effects) this.#run(effect, event);
    this.#checkLoad(event, before);
    this.#check(this.state);
  }

  /** Ends all trouble, and waits until nothing more happens. */
  heal(): void {
    const { browser } = this;
    browser.outcomes.clear();
    Object.assign(browser, { resistance: 'none', hangs: false, pageHangs: false, ignoresQuit: false });
    Object.assign(browser, { unit: 'works', startsAgain: true, mixesIds: false });
    Object.assign(this, { rendersFail: false, renderMs: 5 });
    this.clock.advance(QUIET_MS);
  }

  /** The last request wins, and nothing is left over of what went wrong. */
  checkQuiet(): void {
    const { connected, loading, error, target, failures, documentError, load, missing } = this.state;
    assert.deepEqual(
      { connected, loading, stage: load.stage },
      { connected: true, loading: false, stage: 'committed' },
    );
    assert.deepEqual(target, this.#requested);
    assert.equal(error, documentError);
    assert.equal(failures, 0, 'failures are forgotten');
    assert.deepEqual(
      [...this.#timers.keys()].filter((name) => name !== 'ping'),
      [],
    );
    assert.ok(!this.browser.isBusy || this.browser.document, 'a load is still under way');
    const { uri, html } = this.browser.document ?? assert.fail('the screen is empty');
    if (target.mode === 'waiting') {
      assert.equal(uri, OWN_URI);
      const notice = missing && { what: '', why: missing.message, retrying: false };
      if (!this.#isRefreshLost) assert.equal(html, this.#html(notice));
    } else if (target.mode === 'bundle') {
      assert.ok(isPageOf(uri, target, CONFIG.bundleUrl) || uri === this.state.navigatedTo, uri);
    } else assert.equal(this.#plain(uri), this.#plain(this.state.navigatedTo ?? target.url));
  }

  #plain(uri: string): string {
    return uri.replace('redirected', '');
  }

  #html(notice: Notice | undefined): string {
    return `${this.facts} ${notice?.why ?? ''}`;
  }

  /** Keeps the independent counts. */
  #observe(event: KeeperEvent, before: Readonly<KeeperState>): void {
    const isBad =
      ['load_failed', 'page_gone', 'connected', 'unit_restart_failed', 'command_failed'].includes(
        event.event,
      ) ||
      (event.event === 'timer' && event.timer === 'load') ||
      (event.event === 'pong' && !event.answered) ||
      (event.event === 'rendered' && (event.html === undefined || before.rendering?.outdated)) ||
      ['own_page_changed', 'bundle_arrived'].includes(event.event) ||
      (event.event === 'load' && (event.load === 0 || (event.status ?? 0) >= 400));
    if (isBad || REQUESTS.includes(event.event)) this.#mayLoad = true;
    if (REQUESTS.includes(event.event)) {
      this.#failures = 0;
      this.#isTerminated = false;
    }
    if (REQUESTS.includes(event.event) || event.event === 'disconnected') this.#upSince = undefined;
    if (event.event === 'pong' && !event.answered) this.#upSince = undefined;
    if (event.event === 'show_target' || event.event === 'start') this.#requested = event.target;
    if (event.event === 'rendered') {
      this.#isRefreshLost = event.html === undefined && before.rendering?.purpose === 'refresh';
    }
    if (event.event === 'timer' && event.timer === 'stable') {
      assert.ok(this.#upSince !== undefined, 'the page is not up');
      assert.ok(this.clock.now - this.#upSince >= TIMING.stableMs, 'the page has not been up for long');
      this.#failures = 0;
    }
  }

  #check(state: Readonly<KeeperState>): void {
    const isUp = state.load.stage === 'committed' && !state.loading;
    if (isUp) this.#upSince ??= this.clock.now;
    if (isUp && state.target.mode !== 'waiting') this.#mayLoad = false;
    const isAwaited = [...this.#pending].some(
      ({ generation, connection }) => generation === state.generation || connection === state.connection,
    );
    const ends = isAwaited || ['retry', 'load', 'unit'].some((name) => this.#timers.has(name as TimerName));
    assert.ok(!state.loading || ends, 'loading never ends');
    if (this.#timers.has('retry')) assert.deepEqual([state.load.stage, state.loading], ['none', false]);
    if (state.load.stage === 'committed') this.#isTerminated = false;
    assert.equal(state.connected, this.browser.connected);
  }

  #run(effect: Effect, cause: KeeperEvent): void {
    const { browser, state } = this;
    const { connection, generation } = state;
    if (BROWSER_EFFECTS.includes(effect.do)) assert.ok(browser.connected, `${effect.do} without a browser`);
    if (['load', 'load_own_page', 'reload'].includes(effect.do)) {
      assert.ok(browser.configured, `${effect.do} before the settings`);
      assert.ok(!state.ending, `${effect.do} to a browser that is being ended`);
    }
    const failed = this.#answer(
      (): KeeperEvent => ({ event: 'command_failed', connection, reason: 'timeout' }),
    );
    switch (effect.do) {
      case 'load':
      case 'reload':
        this.#loads();
        if (effect.do === 'load') browser.load(this.#sent(), { uri: effect.address }, failed);
        else browser.reload(this.#sent(), failed);
        break;
      case 'load_own_page':
        if (state.target.mode === 'waiting' && state.load.stage === 'requested') this.#loads();
        else {
          assert.deepEqual(
            [state.loading, state.load.stage],
            [false, 'none'],
            'a notice replaces the target',
          );
          assert.notEqual(state.error, null, 'a notice without an error');
        }
        browser.load(this.#sent(), { uri: OWN_URI, html: effect.html }, failed);
        break;
      case 'prepare_browser': {
        const done = this.#answer((): KeeperEvent => ({ event: 'prepared', connection }), { connection });
        this.clock.after(this.renderMs, done);
        break;
      }
      case 'configure': {
        const pending = { connection };
        const done = this.#answer((): KeeperEvent => ({ event: 'configured', connection }), pending);
        browser.configure(
          done,
          this.#answer(
            (): KeeperEvent => ({ event: 'command_failed', connection, reason: 'timeout' }),
            pending,
          ),
        );
        break;
      }
      case 'terminate_page': {
        const { next } = effect;
        if (next === 'load') {
          assert.ok(this.#stalls > this.#targetLoad.stalls, 'a page is terminated that was not in the way');
          assert.ok(!this.#isTerminated, 'a page is terminated again');
          this.#isTerminated = true;
        }
        const pending = { generation };
        const done = this.#answer(
          (): KeeperEvent => ({ event: 'page_terminated', generation, next }),
          pending,
        );
        browser.terminatePage(
          done,
          this.#answer(
            (): KeeperEvent => ({ event: 'command_failed', connection, reason: 'timeout' }),
            pending,
          ),
        );
        break;
      }
      case 'ping':
        browser.ping(
          (answered) => this.#answer((): KeeperEvent => ({ event: 'pong', connection, answered }))(),
          TIMING.pongMs,
        );
        break;
      case 'quit':
        browser.quit(
          this.#answer((): KeeperEvent => ({ event: 'quit_failed', connection, reason: 'timeout' })),
        );
        break;
      case 'restart_unit':
        browser.restartUnit(this.#answer((): KeeperEvent => ({ event: 'unit_restart_failed', connection })));
        break;
      case 'render': {
        const html = this.rendersFail ? undefined : this.#html(effect.notice);
        this.clock.after(
          this.renderMs,
          this.#answer((): KeeperEvent => ({ event: 'rendered', generation, html }), { generation }),
        );
        break;
      }
      case 'set_timer':
        this.#setTimer(effect.timer, effect.ms);
        break;
      case 'cancel_timer':
        this.#timers.get(effect.timer)?.();
        this.#timers.delete(effect.timer);
        break;
      case 'report_first_frame':
        if (cause.event !== 'painted') {
          assert.equal(cause.event, 'configured');
          assert.ok(
            isPageOf(browser.document?.uri ?? '', state.target, CONFIG.bundleUrl),
            'no frame of the target',
          );
        }
        break;
      case 'warn':
        if (effect.message === 'the target is not on the screen') {
          this.#failures += 1;
          this.#upSince = undefined;
          this.#checkTimeout();
        }
        break;
      default:
    }
  }

  /** A load event changes the state as the truth about the load demands, whatever id it carries. */
  #checkLoad(event: KeeperEvent, before: Readonly<KeeperState>): void {
    if (event.event !== 'load' && event.event !== 'load_failed') return;
    const { state, browser } = this;
    const isOwn = browser.cause === 0;
    const isTarget =
      browser.cause === this.#targetLoad.id && before.generation === this.#targetLoad.generation;
    if (event.event === 'load_failed') {
      if (isTarget && before.load.stage === 'started') {
        assert.equal(state.load.stage, 'none', 'the failed target is still followed');
        const code = event.kind === 'tls' ? 'tls_failed' : 'load_failed';
        if (event.kind !== 'cancelled' || before.terminatedForLoad) assert.equal(state.error?.code, code);
      } else if (isOwn) {
        assert.equal(state.failures, before.failures, 'a failure of the page is not one of the target');
        if (before.load.stage === 'committed') assert.equal(state.loading, false);
      }
    } else if (isTarget && event.state === 'committed' && state.generation === before.generation) {
      assert.equal(state.load.stage, 'committed', 'the target is on the screen');
    } else if (isTarget && event.state === 'finished' && state.generation === before.generation) {
      assert.equal(state.loading, false, 'the target has finished');
    } else if (isOwn && before.load.stage === 'committed') {
      assert.equal(state.loading, event.state !== 'finished');
      if (event.state === 'committed') assert.equal(state.navigatedTo, event.uri);
    } else if (!isTarget && before.load.stage !== 'committed' && state.target.mode !== 'waiting') {
      assert.notEqual(state.load.stage, 'committed', 'another document is not the target');
    }
  }

  /** The target is loaded, and not a second time without a reason. */
  #loads(): void {
    assert.ok(this.#mayLoad, 'the target is loaded twice');
    this.#mayLoad = false;
    this.#targetLoad = {
      id: this.#lastId + 1,
      generation: this.state.generation,
      stalls: this.#stalls,
    };
  }

  /** How often anything was in the way of a load. */
  get #stalls(): number {
    return this.browser.stalls + this.browser.ignoredCommands;
  }

  #sent(): number {
    const id = ++this.#lastId;
    // Before any other event, as the real runner does.
    this.state = advance(CONFIG, this.state, { event: 'load_sent', id }).state;
    return id;
  }

  #setTimer(timer: TimerName, ms: number): void {
    if (timer === 'retry') this.#checkRetry(ms);
    this.#timers.get(timer)?.();
    const cancel = this.clock.after(ms, () => {
      this.#timers.delete(timer);
      this.send({ event: 'timer', timer });
    });
    this.#timers.set(timer, cancel);
  }

  /** Only a load that something was in the way of takes too long. */
  #checkTimeout(): void {
    if (this.state.error?.code !== 'load_timeout') return;
    assert.ok(this.#stalls > this.#targetLoad.stalls, 'a load timed out that nothing was in the way of');
    assert.notEqual(this.browser.document?.command, this.#targetLoad.id, 'the page is there');
  }

  /** The delay is the one of the table, and a long one is explained on the screen. */
  #checkRetry(ms: number): void {
    const { error, generation, target } = this.state;
    const isLoad = this.state.settings === 'taken' && error !== null && LOAD_ERRORS.includes(error.code);
    const kinds = isLoad ? (['load', 'crash'] as const) : (['crash'] as const);
    const delays = kinds.map((kind) => recoveryStep(this.#failures, kind).delayMs);
    assert.ok(delays.includes(ms), `${ms} ms after ${this.#failures} failures (${error?.code})`);
    assert.equal(this.state.failures, this.#failures);
    if (ms < 2000 || target.mode === 'waiting' || this.browser.resistance !== 'none') return;
    const ignored = this.browser.ignoredCommands;
    const agent = this.#agents;
    this.clock.after(1500, () => {
      const { browser, state } = this;
      const isHindered =
        this.#isRefreshLost ||
        this.rendersFail ||
        agent !== this.#agents ||
        browser.ignoredCommands !== ignored ||
        browser.resistance !== 'none' ||
        this.renderMs > 100;
      if (state.generation !== generation || !browser.configured || isHindered) return;
      assert.equal(browser.document?.uri, OWN_URI, 'no notice on the screen');
      assert.ok(browser.document.html?.includes(error?.message ?? ''), 'the notice tells another error');
    });
  }

  /** Passes an answer on, unless the agent was restarted since. */
  #answer(event: () => KeeperEvent, pending: { generation?: number; connection?: number } = {}): () => void {
    const agent = this.#agents;
    if (Object.keys(pending).length > 0) this.#pending.add(pending);
    return () => {
      this.#pending.delete(pending);
      if (agent === this.#agents) this.send(event());
    };
  }
}
