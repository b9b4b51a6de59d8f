import assert from 'node:assert/strict';
import type { KeeperConfig, KeeperEffect, KeeperEvent, KeeperState } from '../keeper-state.ts';
import { isPageOf, type LocatedTarget, OWN_URI } from '../target.ts';
import { recoveryStep, TIMING } from '../timing.ts';
import type { FakeClock } from './fake-clock.ts';
import type { SimulatedBrowser } from './simulated-browser.ts';

export const CONFIG: KeeperConfig = {
  timing: TIMING,
  kioskInstalled: true,
};
type State = Readonly<KeeperState>;

const BROWSER_EFFECTS = ['load', 'load_own_page', 'reload', 'terminate_page', 'ping', 'quit', 'configure'];
const REQUESTS = ['start', 'show_target', 'reload', 'restart_browser'];
const TROUBLE = ['load_failed', 'page_gone', 'connected', 'unit_restart_failed', 'command_failed'];
const NEWS = ['own_page_changed', 'bundle_arrived'];
const LOAD_ERRORS = ['load_failed', 'tls_failed', 'load_timeout', 'bundle_damaged'];

/** What must hold whatever happens, judged by what the simulated browser really did. */
export class KeeperInvariants {
  readonly #clock: FakeClock;
  readonly #browser: SimulatedBrowser;
  #requested: LocatedTarget = { mode: 'waiting' };
  /** Something has happened for which the target may be loaded. */
  #mayLoad = false;
  /** In a row. */
  #failures = 0;
  #upSince: number | undefined;
  /** Pings in a row that this connection's page did not answer. */
  #misses = 0;
  /** The load that is to bring the target, and the obstacles before it. */
  #targetLoad = { id: 0, generation: -1, obstacles: 0 };
  /** The page was terminated for the target, which has not come since. */
  #isTerminated = false;
  /** A change of our own page could not be rendered; that is not tried again. */
  isRefreshLost = false;

  constructor(clock: FakeClock, browser: SimulatedBrowser) {
    this.#clock = clock;
    this.#browser = browser;
  }

  /** How often anything was in the way of a load. */
  get #obstacles(): number {
    return this.#browser.stalls + this.#browser.ignoredCommands;
  }

  /** Keeps the counts, before the effects of an event. */
  observe(event: KeeperEvent, before: State): void {
    const kind = event.event;
    const isRequest = REQUESTS.includes(kind);
    const isMiss = kind === 'pong' && !event.answered;
    const wasUp = before.load.stage === 'committed' && !before.loading && !before.ending;
    const isFrozen =
      kind === 'frames_checked' &&
      (event.result === 'frozen' || event.result === 'compositor_frozen') &&
      event.during === before.generation &&
      wasUp;
    const isTrouble =
      isMiss ||
      isFrozen ||
      TROUBLE.includes(kind) ||
      NEWS.includes(kind) ||
      (kind === 'timer' && event.timer === 'load') ||
      (kind === 'rendered' && (event.html === undefined || before.rendering?.outdated === true)) ||
      (kind === 'load' && (event.load === 0 || (event.status ?? 0) >= 400));
    if (isTrouble || isRequest) this.#mayLoad = true;
    if (kind === 'connected') this.#misses = 0;
    if (kind === 'pong' && event.connection === before.connection) {
      this.#misses = event.answered ? 0 : this.#misses + 1;
    }
    if (isRequest) {
      this.#failures = 0;
      this.#isTerminated = false;
    }
    if (isRequest || isMiss || isFrozen || kind === 'disconnected') this.#upSince = undefined;
    if (kind === 'show_target' || kind === 'start') this.#requested = event.target;
    if (kind === 'start') this.#targetLoad = { id: -1, generation: -1, obstacles: 0 };
    if (kind === 'rendered') {
      this.isRefreshLost = event.html === undefined && before.rendering?.purpose === 'refresh';
    }
    if (kind === 'timer' && event.timer === 'stable') {
      assert.ok(this.#upSince !== undefined, 'the page is not up');
      assert.ok(this.#clock.now - this.#upSince >= TIMING.stableMs, 'the page has not been up for long');
      this.#failures = 0;
    }
  }

  checkEffect(effect: KeeperEffect, cause: KeeperEvent, state: State): void {
    const browser = this.#browser;
    if (BROWSER_EFFECTS.includes(effect.do)) assert.ok(browser.connected, `${effect.do} without a browser`);
    if (effect.do === 'load' || effect.do === 'reload' || effect.do === 'load_own_page') {
      assert.ok(browser.configured, `${effect.do} before the settings`);
      assert.ok(!state.ending, `${effect.do} to a browser that is being ended`);
      const isNotice = effect.do === 'load_own_page' && state.target.mode !== 'waiting';
      if (isNotice) {
        assert.deepEqual([state.loading, state.load.stage], [false, 'none'], 'a notice replaces the target');
        assert.notEqual(state.error, null, 'a notice without an error');
      } else if (state.load.stage === 'requested') {
        assert.ok(this.#mayLoad, 'the target is loaded twice');
        this.#mayLoad = false;
      }
    }
    if (effect.do === 'terminate_page' && effect.next === 'load') {
      assert.ok(this.#obstacles > this.#targetLoad.obstacles, 'a page is terminated that was not in the way');
      assert.ok(!this.#isTerminated, 'a page is terminated again');
      this.#isTerminated = true;
    }
    if (effect.do === 'terminate_page' && effect.next === 'unresponsive') {
      assert.ok(this.#misses >= TIMING.misses, 'a page is terminated that may still respond');
      assert.equal(browser.startsFor, 0, 'a page is terminated whose process is still being started');
      this.#misses = 0;
    }
    if (effect.do === 'terminate_page' && effect.next === 'frozen') {
      assert.equal(browser.frozen, 'page', 'a page is terminated whose frames reach the screen');
    }
    if (effect.do === 'report_first_frame' && cause.event !== 'painted') {
      assert.equal(cause.event, 'configured');
      assert.ok(isPageOf(browser.document?.uri ?? '', state.target), 'no frame of the target');
    }
    if (effect.do === 'warn' && effect.message === 'the target is not on the screen') {
      this.#failures += 1;
      this.#upSince = undefined;
      if (state.error?.code === 'load_timeout') {
        assert.ok(
          this.#obstacles > this.#targetLoad.obstacles,
          'nothing was in the way of a load that timed out',
        );
        assert.notEqual(browser.document?.command, this.#targetLoad.id, 'the page is there');
      }
    }
    if (effect.do === 'set_timer' && effect.timer === 'retry') this.#checkDelay(effect.ms, state);
  }

  /** @param id of the load that was sent for the target */
  targetSent(id: number, { generation }: State): void {
    this.#targetLoad = { id, generation, obstacles: this.#obstacles };
  }

  /** @param running names of the timers; @param isAwaited whether an answer to the present state is still to come */
  checkState(event: KeeperEvent, before: State, state: State, running: string[], isAwaited: boolean): void {
    if (event.event === 'load' || event.event === 'load_failed') this.#checkLoad(event, before, state);
    const isUp = state.load.stage === 'committed' && !state.loading;
    if (isUp) this.#upSince ??= this.#clock.now;
    if (isUp && state.target.mode !== 'waiting') this.#mayLoad = false;
    const isCommit = event.event === 'load' && event.state === 'committed';
    if (isCommit && this.#browser.cause === this.#targetLoad.id) this.#isTerminated = false;
    if (state.load.stage === 'committed') this.#isTerminated = false;
    const ends = isAwaited || ['retry', 'load', 'unit'].some((name) => running.includes(name));
    assert.ok(!state.loading || ends, 'loading never ends');
    if (running.includes('retry')) assert.deepEqual([state.load.stage, state.loading], ['none', false]);
    assert.equal(state.connected, this.#browser.connected);
  }

  /**
   * The last request wins, and nothing is left over of what went wrong.
   * @param html of the waiting page as it should be
   */
  checkQuiet(state: State, running: string[], html: string): void {
    const { connected, loading, load, target } = state;
    assert.deepEqual([connected, loading, load.stage], [true, false, 'committed']);
    assert.deepEqual(target, this.#requested);
    assert.equal(state.failures, 0, 'failures are forgotten');
    assert.equal(state.frozen, false, 'the screen still counts as frozen');
    assert.ok(
      running.every((name) => name === 'ping' || name === 'frame'),
      `still running: ${running}`,
    );
    const document = this.#browser.document ?? assert.fail('the screen is empty');
    if (!document.isDenied) assert.equal(state.error, null, 'the error is out of date');
    else if (state.error) assert.equal(state.error.code, 'authentication_required');
    const uri = document.uri.replace('redirected', '');
    const navigatedTo = state.navigatedTo?.replace('redirected', '');
    if (target.mode === 'waiting') {
      assert.equal(uri, OWN_URI);
      if (!this.isRefreshLost) assert.equal(document.html, html);
    } else if (target.mode === 'url') assert.equal(uri, navigatedTo ?? target.url);
    else assert.ok(uri === navigatedTo || isPageOf(uri, target), uri);
  }

  /** A load event changes the state as the truth about the load demands, whatever id it carries. */
  #checkLoad(
    event: Extract<KeeperEvent, { event: 'load' | 'load_failed' }>,
    before: State,
    state: State,
  ): void {
    const { cause } = this.#browser;
    const { stage } = before.load;
    const isTarget = cause === this.#targetLoad.id && before.generation === this.#targetLoad.generation;
    // A page that navigates itself there brings the target, too.
    const isTargetsAddress = isPageOf(event.uri, state.target);
    if (event.event === 'load_failed') {
      if (isTarget && stage === 'started') {
        assert.equal(state.load.stage, 'none', 'the failed target is still followed');
        const code = event.kind === 'tls' ? 'tls_failed' : 'load_failed';
        if (event.kind !== 'cancelled' || before.terminatedForLoad) assert.equal(state.error?.code, code);
      } else if (cause === 0 && !isTargetsAddress) {
        assert.equal(state.failures, before.failures, 'a failure of the page is not one of the target');
        if (stage === 'committed') assert.equal(state.loading, false);
      }
    } else if (isTarget && event.state === 'committed' && state.generation === before.generation) {
      assert.equal(state.load.stage, 'committed', 'the target is on the screen');
    } else if (isTarget && event.state === 'finished' && state.generation === before.generation) {
      assert.equal(state.loading, false, 'the target has finished');
    } else if (cause === 0 && stage === 'committed') {
      assert.equal(state.loading, event.state !== 'finished');
      if (event.state === 'committed') assert.equal(state.navigatedTo, event.uri);
    } else if (!isTarget && stage !== 'committed' && !isTargetsAddress) {
      assert.notEqual(state.load.stage, 'committed', 'another document is not the target');
    }
  }

  /** Of the table, by an independent count of the failures. */
  #checkDelay(ms: number, { error, settings, failures }: State): void {
    const isLoad = settings === 'taken' && error !== null && LOAD_ERRORS.includes(error.code);
    const kinds = isLoad ? (['load', 'crash'] as const) : (['crash'] as const);
    const delays = kinds.map((kind) => recoveryStep(this.#failures, kind).delayMs);
    assert.ok(delays.includes(ms), `${ms} ms after ${this.#failures} failures (${error?.code})`);
    assert.equal(failures, this.#failures);
  }
}
