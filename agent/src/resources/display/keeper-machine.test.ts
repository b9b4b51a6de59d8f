/** Single rules of the state machine that keeps the target on the screen. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { TIMING } from './keeper.ts';
import { advance, visibleError } from './keeper-machine.ts';
import { type Effect, INITIAL_STATE, type KeeperEvent } from './keeper-state.ts';
import type { BrowserEventOf, Target } from './ports.ts';
import { recoveryStep } from './recovery.ts';

const A: Target = { mode: 'url', url: 'http://a.example/' };
const B: Target = { mode: 'url', url: 'http://b.example/' };
const MENU: Target = { mode: 'bundle', name: 'menu' };
const MENU_URL = 'http://menu.localhost:8081/';

/** Stands for the id of the load that was sent last. */
const LATEST = -1;

let state = INITIAL_STATE;
let effects: readonly Effect[] = [];
let isKioskInstalled = true;
let lastId = 0;

beforeEach(() => {
  state = INITIAL_STATE;
  isKioskInstalled = true;
});

/** Advances the machine; `effects` are those of the last event. */
function send(...events: KeeperEvent[]): void {
  const config = {
    timing: TIMING,
    kioskInstalled: isKioskInstalled,
    bundleUrl: (name: string) => `http://${name}.localhost:8081/`,
  };
  for (const given of events) {
    const event = 'load' in given && given.load === LATEST ? { ...given, load: lastId } : given;
    ({ state, effects } = advance(config, state, event));
    if (effects.some(({ do: kind }) => kind === 'load' || kind === 'load_own_page' || kind === 'reload')) {
      lastId += 1;
      state = advance(config, state, { event: 'load_sent', id: lastId }).state;
    }
  }
}

const did = () => effects.map((effect) => effect.do);
/** Delay of a timer that the last event has set, in ms. */
function timer(name: string): number | undefined {
  const effect = effects.find((candidate) => candidate.do === 'set_timer' && candidate.timer === name);
  return effect?.do === 'set_timer' ? effect.ms : undefined;
}
const isCancelled = (name: string) =>
  effects.some((effect) => effect.do === 'cancel_timer' && effect.timer === name);

function load(state: BrowserEventOf<'load'>['state'], uri = '', id = LATEST, status = 200): KeeperEvent {
  return { event: 'load', state, load: id, uri, status };
}
function failed(kind: BrowserEventOf<'load_failed'>['kind'], id = LATEST): KeeperEvent {
  return { event: 'load_failed', load: id, uri: '', kind, message: 'reason' };
}

function connect(uri: string | null = null): void {
  send({ event: 'connected', uri });
  const { connection } = state;
  send({ event: 'prepared', connection }, { event: 'configured', connection });
}

function begin(target: Target = A, uri: string | null = null): void {
  send({ event: 'start', target, missing: undefined });
  connect(uri);
}

/** The target is on the screen. */
function show(target: Target): void {
  send({ event: 'show_target', target }, load('started'), load('committed'), load('finished'));
  assert.deepEqual([state.loading, state.error, state.load.stage], [false, null, 'committed']);
}

test('retries follow the table', () => {
  const steps = (kind: 'load' | 'crash') => [1, 2, 3, 4, 5, 6, 7].map((n) => recoveryStep(n, kind));
  assert.deepEqual(
    steps('load').map(({ delayMs }) => delayMs),
    [2000, 4000, 8000, 15_000, 30_000, 60_000, 60_000],
  );
  assert.ok(steps('load').every(({ stage, notice }) => stage === 'page' && notice));
  assert.deepEqual(
    steps('crash').map(({ delayMs, stage, notice }) => [delayMs, stage, notice]),
    [
      [100, 'page', false],
      [1000, 'page', false],
      [3000, 'page', true],
      [10_000, 'browser', true],
      [30_000, 'page', true],
      [60_000, 'compositor', true],
      [60_000, 'page', true],
    ],
  );
});

test('each step of a load has its own deadline, also when the page navigates itself', () => {
  begin();
  assert.equal(timer('load'), TIMING.beginMs);
  send(load('started'));
  assert.equal(timer('load'), TIMING.documentMs);
  send(load('committed'));
  assert.equal(timer('load'), TIMING.completeMs);
  send(load('finished'));
  assert.ok(isCancelled('load'));
  send(load('committed', 'http://d.example/', 0));
  assert.equal(state.loading, true, 'of a navigation that began before the agent did');
  send(load('finished', '', 0));
  send(load('started', B.mode, 0));
  assert.deepEqual([timer('load'), state.loading], [TIMING.documentMs, true]);
  send(load('committed', 'http://c.example/', 0));
  assert.deepEqual([timer('load'), state.navigatedTo], [TIMING.completeMs, 'http://c.example/']);
  send({ event: 'timer', timer: 'load' });
  assert.deepEqual([state.loading, state.error, did().includes('load')], [false, null, false]);
});

test('a page that keeps the next one from being loaded is terminated once, until the next one is there', () => {
  begin();
  show(A);
  for (const target of [A, B]) {
    send({ event: 'show_target', target }, failed('cancelled'));
    assert.deepEqual([did().includes('terminate_page'), state.loading, state.error], [true, true, null]);
    send({ event: 'page_terminated', generation: state.generation, next: 'load' });
    assert.ok(did().includes('load'));
    send(load('started'));
    send(failed('cancelled'));
    assert.deepEqual([did().includes('terminate_page'), state.error?.code], [false, 'load_failed']);
  }
  send({ event: 'timer', timer: 'retry' }, load('started'), load('committed'), load('finished'));
  send({ event: 'page_gone', reason: 'crashed' }, { event: 'timer', timer: 'retry' }, failed('cancelled'));
  assert.ok(did().includes('terminate_page'), 'the target was there in between');
  send({ event: 'reload' }, { event: 'timer', timer: 'load' });
  assert.ok(did().includes('terminate_page'), 'a load that does not begin');
  send({ event: 'page_terminated', generation: state.generation, next: 'load' });
  send({ event: 'timer', timer: 'load' });
  assert.deepEqual([did().includes('terminate_page'), state.error?.code], [false, 'load_timeout']);
  send({ event: 'timer', timer: 'retry' }, load('started'), { event: 'timer', timer: 'load' });
  assert.equal(state.error?.code, 'load_timeout', 'a load that has begun');
});

test('an error of our own server is no page: the start page is damaged, any other leads back to it', () => {
  begin(MENU);
  send(load('started'), load('committed', `${MENU_URL}gone.html`, LATEST, 404));
  assert.ok(did().includes('load'));
  send(load('started'), load('committed', MENU_URL, LATEST, 400));
  assert.deepEqual([state.error?.code, state.loading, timer('retry')], ['bundle_damaged', false, 2000]);
  send({ event: 'show_target', target: A }, load('started'), load('committed', A.mode, LATEST, 500));
  assert.equal(state.load.stage, 'committed', 'of another server it is a page');
  send(load('finished'));
  assert.equal(state.error, null);
});

test('answers of an earlier connection or decision, and loads that were replaced, change nothing', () => {
  begin();
  const { generation, connection } = state;
  const old = lastId;
  send({ event: 'show_target', target: B });
  const before = state;
  send(
    { event: 'page_terminated', generation, next: 'failure' },
    { event: 'rendered', generation, html: 'x' },
  );
  send(load('started', '', old), load('finished', '', old), failed('network', old));
  assert.deepEqual(state, before);
  send({ event: 'disconnected' });
  connect();
  const reconnected = state;
  send(
    { event: 'command_failed', connection, reason: 'late' },
    { event: 'pong', connection, answered: false },
  );
  send({ event: 'quit_failed', connection, reason: 'late' }, { event: 'unit_restart_failed', connection });
  assert.equal(state, reconnected);
});

test('a page that is still there when the browser connects again is not loaded, the waiting page is rendered', () => {
  begin(A, 'no address');
  assert.ok(did().includes('load'));
  send({ event: 'disconnected' });
  begin(A, 'http://a.example');
  assert.deepEqual(did().includes('load'), false);
  assert.ok(did().includes('report_first_frame'));
  assert.deepEqual([state.loading, timer('stable')], [false, TIMING.stableMs]);
  send({ event: 'disconnected' });
  send({ event: 'connected', uri: A.mode === 'url' ? A.url : null });
  const { connection } = state;
  send({ event: 'show_target', target: A });
  assert.ok(!did().includes('load'), 'not before the settings');
  send({ event: 'prepared', connection }, { event: 'configured', connection });
  assert.ok(did().includes('load'), 'a host has requested it since');
  send({ event: 'disconnected' }, { event: 'connected', uri: 'http://a.example/' });
  send({ event: 'prepared', connection: state.connection }, load('committed', 'http://c.example/', 0));
  send({ event: 'configured', connection: state.connection });
  assert.ok(did().includes('load'), 'the page has left it since');
  send({ event: 'show_target', target: { mode: 'waiting' } }, { event: 'disconnected' });
  connect('vitrine://waiting/');
  assert.ok(did().includes('render') && !did().includes('report_first_frame'));
});

test('after two failures in a row a new browser gets the target after a delay, behind a notice', () => {
  begin();
  show(A);
  send({ event: 'disconnected' });
  assert.deepEqual([state.loading, visibleError(state)?.code], [true, 'browser_unavailable']);
  connect();
  assert.ok(did().includes('load'), 'the first time at once');
  for (const delay of [1000, 3000]) {
    send({ event: 'disconnected' });
    connect();
    assert.deepEqual([did().includes('load'), state.loading, timer('retry')], [false, false, delay]);
    assert.equal(state.error?.code, 'page_crashed');
    assert.equal(did().includes('render'), delay === 3000);
  }
  send({ event: 'timer', timer: 'retry' });
  assert.deepEqual([did().includes('load'), state.loading], [true, true]);
});

test('a browser that we end is no failure, gets no loads, and is ended harder when it stays', () => {
  begin();
  show(A);
  send({ event: 'restart_browser', stage: 'browser' });
  assert.deepEqual([did().includes('quit'), timer('unit'), state.loading], [true, TIMING.awayMs, true]);
  send({ event: 'show_target', target: B });
  assert.ok(!did().includes('load'));
  const { connection } = state;
  send({ event: 'command_failed', connection, reason: 'gone' }, { event: 'page_gone', reason: 'crashed' });
  send({ event: 'pong', connection, answered: false });
  assert.deepEqual([did().includes('restart_unit'), state.failures, state.error], [false, 0, null]);
  send({ event: 'quit_failed', connection, reason: 'timeout' });
  assert.ok(did().includes('restart_unit'));
  send({ event: 'disconnected' });
  assert.deepEqual([state.failures, state.loading], [0, true]);
  for (const [waited, next] of [1, 2, 4, 8, 16, 16].map((n) => [n, Math.min(2 * n, 16)] as const)) {
    assert.equal(timer('unit'), waited * TIMING.awayMs);
    send({ event: 'timer', timer: 'unit' });
    assert.deepEqual([did().includes('restart_unit'), timer('unit')], [true, next * TIMING.awayMs]);
  }
  connect();
  assert.deepEqual([state.load.stage, state.ending], ['requested', false]);
  send({ event: 'disconnected' });
  assert.deepEqual([state.failures, timer('unit')], [1, TIMING.awayMs]);
});

test('a browser that cannot be restarted is used as it is, and is configured first', () => {
  begin();
  show(A);
  const { connection } = state;
  send({ event: 'command_failed', connection, reason: 'timeout' });
  assert.deepEqual([did().includes('restart_unit'), state.loading], [true, true]);
  send({ event: 'unit_restart_failed', connection });
  assert.ok(isCancelled('unit'));
  assert.deepEqual([state.error?.code, timer('retry')], ['page_unresponsive', 100]);
  send({ event: 'timer', timer: 'retry' });
  assert.ok(did().includes('load'));
  send({ event: 'disconnected' }, { event: 'connected', uri: null });
  send({ event: 'command_failed', connection: connection + 1, reason: 'timeout' });
  send({ event: 'unit_restart_failed', connection: connection + 1 }, { event: 'timer', timer: 'retry' });
  assert.deepEqual([did().includes('load'), did().includes('prepare_browser')], [false, true]);
  send({ event: 'show_target', target: B });
  assert.ok(!did().includes('prepare_browser'), 'once at a time');
});

test('without a unit nobody starts a browser, and nothing is said to be loading', () => {
  isKioskInstalled = false;
  send({ event: 'start', target: A, missing: undefined });
  assert.deepEqual([state.loading, timer('unit')], [false, undefined]);
  connect();
  assert.equal(state.loading, true);
  send({ event: 'disconnected' });
  assert.deepEqual([state.loading, timer('unit')], [false, undefined]);
  send({ event: 'show_target', target: B });
  assert.equal(state.loading, false);
});

test('settings go to the browser when it may open its files, and again when they change', () => {
  send({ event: 'start', target: A, missing: undefined }, { event: 'settings_changed' });
  assert.deepEqual(effects, []);
  send({ event: 'connected', uri: null }, { event: 'settings_changed' });
  assert.deepEqual(effects, []);
  const { connection } = state;
  send({ event: 'prepared', connection });
  assert.deepEqual(did(), ['configure']);
  for (const answer of [undefined, { event: 'configured', connection } as const]) {
    if (answer) send(answer);
    send({ event: 'settings_changed' });
    assert.deepEqual(did(), ['configure_again']);
  }
});

test('pings: failures are forgotten only while the page answers, and a page that hangs is terminated', () => {
  begin();
  assert.equal(timer('ping'), TIMING.pingEveryMs);
  send({ event: 'timer', timer: 'ping' });
  assert.deepEqual(did(), ['ping']);
  show(A);
  send(load('started', '', 0), load('finished', '', 0));
  assert.equal(timer('stable'), undefined, 'a page that navigates itself goes on being up');
  const pong = (answered: boolean) => send({ event: 'pong', connection: state.connection, answered });
  pong(false);
  assert.ok(isCancelled('stable'));
  assert.equal(timer('ping'), TIMING.pingEveryMs);
  pong(true);
  assert.equal(timer('stable'), TIMING.stableMs);
  pong(true);
  assert.equal(timer('stable'), undefined);
  for (const expected of [false, false, true]) {
    pong(false);
    assert.equal(did().includes('terminate_page'), expected);
  }
  send({ event: 'page_terminated', generation: state.generation, next: 'failure' });
  assert.deepEqual([state.error?.code, state.failures, timer('retry')], ['page_unresponsive', 1, 100]);
  pong(true);
  assert.equal(timer('stable'), undefined, 'there is no page');
  for (const expected of [false, false]) {
    pong(false);
    assert.equal(did().includes('terminate_page'), expected);
  }
  send({ event: 'disconnected' });
  assert.ok(isCancelled('ping') && isCancelled('stable'));
  connect();
  pong(false);
  assert.ok(!did().includes('terminate_page'), 'a new browser has missed no ping');
  send({ event: 'timer', timer: 'stable' });
  assert.equal(state.failures, 0);
});

test('our own page is rendered again when its facts change, one rendering at a time, and only while it is shown', () => {
  const rendered = (html?: string) => send({ event: 'rendered', generation: state.generation, html });
  begin({ mode: 'waiting' });
  assert.deepEqual([did().includes('render'), state.loading], [true, true]);
  send({ event: 'own_page_changed' });
  assert.deepEqual(did(), []);
  rendered('old');
  assert.deepEqual(did(), ['render']);
  rendered('new');
  assert.ok(did().includes('load_own_page'));
  send(load('committed'), load('finished'));
  send({ event: 'own_page_changed' });
  rendered('new');
  assert.ok(!did().includes('load_own_page'), 'it says the same');
  send({ event: 'own_page_changed' });
  rendered(undefined);
  assert.deepEqual([did(), state.error], [[], null]);
  send({ event: 'own_page_changed' });
  rendered('newer');
  assert.deepEqual([did().includes('load_own_page'), timer('load')], [true, TIMING.beginMs]);
  send({ event: 'show_target', target: A }, { event: 'own_page_changed' });
  assert.deepEqual(did(), [], 'it would cancel the load');
  send(failed('network'));
  rendered('notice');
  assert.ok(did().includes('load_own_page'));
  send({ event: 'own_page_changed' });
  assert.deepEqual(did(), ['render']);
  rendered('another notice');
  assert.deepEqual([did(), state.load.stage], [['load_own_page'], 'none']);
  send({ event: 'timer', timer: 'retry' }, load('started'), load('committed'), load('finished'));
  send({ event: 'own_page_changed' });
  assert.deepEqual(did(), []);
});

test('a notice is shown again after whatever may have removed it', () => {
  const notice = () => send({ event: 'rendered', generation: state.generation, html: 'notice' });
  begin();
  send(failed('network'));
  notice();
  assert.ok(did().includes('load_own_page'));
  send(load('committed', 'vitrine://waiting/'));
  const again = (...events: KeeperEvent[]) => {
    send({ event: 'timer', timer: 'retry' }, load('started'), ...events);
    notice();
    const isLoaded = did().includes('load_own_page');
    if (isLoaded) send(load('committed', 'vitrine://waiting/'));
    return isLoaded;
  };
  assert.equal(again(failed('network')), false, 'it is still there');
  assert.equal(again({ event: 'timer', timer: 'load' }), true, 'it ends a load that takes too long');
  assert.equal(again(load('committed'), failed('network')), true);
  assert.equal(again({ event: 'page_gone', reason: 'terminated' }, failed('network')), true);
  send({ event: 'show_target', target: B }, failed('tls'));
  send({ event: 'rendered', generation: state.generation, html: 'other' });
  send({ event: 'show_target', target: B }, failed('tls'));
  send({ event: 'rendered', generation: state.generation, html: 'other' });
  assert.ok(did().includes('load_own_page'), 'the first one was cancelled on its way');
});

test('the reason for the waiting page follows the bundle that is missing', () => {
  const missing = { name: 'menu', code: 'bundle_missing', message: 'There is no bundle menu.' } as const;
  send({ event: 'start', target: { mode: 'waiting' }, missing });
  connect();
  const notice = () => effects.find((effect) => effect.do === 'render')?.notice;
  assert.deepEqual(notice(), { what: 'Bundle menu', why: missing.message, retrying: false });
  send({ event: 'rendered', generation: state.generation, html: 'notice' });
  assert.equal(visibleError(state)?.code, 'bundle_missing');
  send({ event: 'bundle_arrived', name: 'other', problem: undefined });
  assert.deepEqual(did(), []);
  send({ event: 'bundle_arrived', name: 'menu', problem: { code: 'bundle_damaged', message: 'cut off' } });
  assert.deepEqual([visibleError(state)?.code, notice()?.why], ['bundle_damaged', 'cut off']);
  send({ event: 'bundle_arrived', name: 'menu', problem: undefined });
  assert.equal(visibleError(state), null);
  send({ event: 'show_target', target: A });
  assert.equal(state.missing, undefined);
});

test('reloads in place only what is there as it should be', () => {
  begin();
  show(A);
  send(load('committed', 'http://c.example/', 0), load('finished', '', 0), { event: 'reload' });
  assert.ok(did().includes('reload'));
  assert.equal(state.navigatedTo, 'http://c.example/');
  send({ event: 'reload' });
  assert.deepEqual([did().includes('load'), state.navigatedTo], [true, undefined], 'it was still loading');
  send(failed('network'), { event: 'reload' });
  assert.deepEqual([did().includes('load'), state.error, state.failures], [true, null, 0]);
  send({ event: 'show_target', target: { mode: 'waiting' } });
  send({ event: 'rendered', generation: state.generation, html: 'x' }, load('committed'), load('finished'));
  send({ event: 'reload' });
  assert.ok(did().includes('render'), 'the waiting page has no address');
});
