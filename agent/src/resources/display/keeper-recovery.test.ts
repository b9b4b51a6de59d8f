/** Rules of the keeper: retries, connections, restarts and pings. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { visibleError } from './keeper-machine.ts';
import type { FrameResult } from './keeper-state.ts';
import {
  A,
  B,
  begin,
  connect,
  did,
  effects,
  isCancelled,
  lastId,
  load,
  reset,
  send,
  show,
  state,
  timer,
} from './tests/keeper-driver.ts';
import { recoveryStep, TIMING } from './timing.ts';

beforeEach(() => reset());

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
      [0, 'page', false],
      [1000, 'page', false],
      [3000, 'page', true],
      [10_000, 'browser', true],
      [30_000, 'page', true],
      [60_000, 'compositor', true],
      [60_000, 'page', true],
    ],
  );
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
  send(load('committed', 'http://a.example/', 0));
  send({ event: 'configured', connection });
  assert.ok(did().includes('load'), 'a host has requested it since');
  send({ event: 'disconnected' }, { event: 'connected', uri: 'http://a.example/' });
  send(load('committed', 'http://c.example/', 0));
  send({ event: 'configured', connection: state.connection });
  assert.ok(did().includes('load'), 'the page has left it since');
  send({ event: 'show_target', target: A }, { event: 'disconnected' });
  send({ event: 'connected', uri: 'http://a.example/' }, { event: 'page_gone', reason: 'memory' });
  send({ event: 'configured', connection: state.connection });
  assert.ok(did().includes('load'), 'the page has crashed since');
  send({ event: 'show_target', target: A }, { event: 'disconnected' });
  send({ event: 'connected', uri: 'http://a.example/' }, { event: 'restart_browser', stage: 'browser' });
  send({ event: 'configured', connection: state.connection });
  assert.deepEqual([state.loading, state.load.stage], [true, 'none'], 'it is being ended');
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
  send({ event: 'timer', timer: 'retry' }, load('started'), load('committed'), load('finished'));
  assert.deepEqual([state.loading, state.error], [false, null]);
  send({ event: 'command_failed', connection: state.connection, reason: 'timeout' });
  send({ event: 'disconnected' });
  connect();
  assert.deepEqual(
    [timer('retry'), state.error?.code],
    [3000, 'page_crashed'],
    'also when we ended the browser',
  );
});

test('a page that keeps crashing is loaded again; the fourth time the browser is new, the sixth the compositor', () => {
  begin();
  show(A);
  const recoveries = ['load', 'load', 'load', 'quit', 'load', 'restart_unit'] as const;
  for (const [index, recovery] of recoveries.entries()) {
    const isMemory = index % 2 === 1;
    send({ event: 'page_gone', reason: isMemory ? 'memory' : 'crashed' });
    assert.equal(state.error?.code, isMemory ? 'page_out_of_memory' : 'page_crashed');
    assert.equal(timer('retry'), recoveryStep(index + 1, 'crash').delayMs);
    send({ event: 'timer', timer: 'retry' });
    assert.deepEqual(
      did().filter((effect) => ['load', 'quit', 'restart_unit'].includes(effect)),
      [recovery],
      `after crash ${index + 1}`,
    );
    assert.equal(state.loading, true);
    if (recovery !== 'load') {
      send({ event: 'disconnected' });
      connect();
      send({ event: 'timer', timer: 'retry' });
    }
    send(load('started'), load('committed'), load('finished'));
    assert.deepEqual([state.loading, state.error], [false, null]);
  }
});

test('a browser that we end is no failure, gets no loads, and is ended harder when it stays', () => {
  begin();
  show(A);
  send({ event: 'restart_browser', stage: 'browser' });
  assert.deepEqual([did().includes('quit'), timer('unit'), state.loading], [true, TIMING.awayMs, true]);
  send({ event: 'show_target', target: B });
  assert.ok(!did().includes('load'));
  const { connection } = state;
  send({ event: 'command_failed', connection, reason: 'gone' });
  assert.ok(!did().includes('restart_unit'));
  send({ event: 'page_gone', reason: 'crashed' });
  for (let n = 0; n < TIMING.misses; n += 1) send({ event: 'pong', connection, answered: false });
  const hasEnded = did().includes('restart_unit') || did().includes('terminate_page');
  assert.deepEqual([hasEnded, state.failures, state.error], [false, 0, null]);
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
  assert.deepEqual([state.error?.code, timer('retry')], ['page_unresponsive', 0]);
  send({ event: 'timer', timer: 'retry' });
  assert.ok(did().includes('load'));
  send({ event: 'disconnected' }, { event: 'connected', uri: null });
  send({ event: 'command_failed', connection: connection + 1, reason: 'timeout' });
  send({ event: 'unit_restart_failed', connection: connection + 1 }, { event: 'timer', timer: 'retry' });
  assert.deepEqual([did().includes('load'), did().includes('configure')], [false, true]);
  send({ event: 'show_target', target: B });
  assert.ok(!did().includes('configure'), 'once at a time');
});

test('without a unit nobody starts a browser, and nothing is said to be loading', () => {
  reset(false);
  send({ event: 'start', target: A, missing: undefined });
  assert.deepEqual([state.loading, timer('unit')], [false, undefined]);
  connect();
  assert.equal(state.loading, true);
  send({ event: 'disconnected' });
  assert.deepEqual([state.loading, timer('unit')], [false, undefined]);
  send({ event: 'show_target', target: B });
  assert.equal(state.loading, false);
  send({ event: 'reload' });
  assert.ok(!did().includes('reload'), 'there is nobody to do it');
});

test('with a unit the target is loading from the start; of a browser that has ended only the counts stay', () => {
  const ofConnection = () => ({ ...state, connection: 0, generation: 0, failures: 0, error: null });
  send({ event: 'start', target: A, missing: undefined });
  assert.deepEqual([state.loading, timer('unit')], [true, TIMING.awayMs]);
  const start = ofConnection();
  connect();
  send(load('started'), { event: 'disconnected' });
  assert.deepEqual(ofConnection(), start);
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
  assert.ok(did().includes('ping'), 'the next ping follows a missed one at once');
  send({ event: 'painted', load: lastId });
  assert.equal(timer('stable'), undefined, 'a page can paint without answering');
  pong(true);
  assert.equal(timer('ping'), TIMING.pingEveryMs);
  assert.equal(timer('stable'), TIMING.stableMs);
  pong(true);
  assert.equal(timer('stable'), undefined);
  const { pingEveryMs, pongMs, misses } = TIMING;
  assert.ok(pingEveryMs + misses * pongMs <= 20_000, 'a hanging page is ended in time to be back after 30 s');
  for (const expected of [false, true, false, true]) {
    pong(false);
    assert.equal(did().includes('terminate_page'), expected);
  }
  send({ event: 'page_terminated', generation: state.generation, next: 'unresponsive' });
  assert.deepEqual([state.error?.code, state.failures, timer('retry')], ['page_unresponsive', 1, 0]);
  pong(true);
  assert.equal(timer('stable'), undefined, 'there is no page');
  pong(false);
  assert.ok(!did().includes('terminate_page'));
  send({ event: 'disconnected' });
  assert.ok(isCancelled('ping') && isCancelled('stable'));
  connect();
  pong(false);
  assert.ok(!did().includes('terminate_page'), 'a new browser has missed no ping');
  send({ event: 'timer', timer: 'stable' });
  assert.equal(state.failures, 0);
});

test('a process that is being started has until the deadline of the load, and is ended if it still does not answer', () => {
  begin();
  const miss = () => send({ event: 'pong', connection: state.connection, answered: false });
  for (let n = 0; n < 2 * TIMING.misses; n += 1) {
    miss();
    assert.deepEqual([did().includes('terminate_page'), timer('ping')], [false, TIMING.pingEveryMs]);
  }
  const waiting = state;
  send({ event: 'timer', timer: 'load' });
  assert.deepEqual(effects.at(-1), { do: 'terminate_page', next: 'unresponsive' });
  send({ event: 'page_terminated', generation: state.generation, next: 'unresponsive' });
  assert.equal(state.error?.code, 'page_unresponsive');
  send({ event: 'timer', timer: 'retry' }, { event: 'timer', timer: 'load' });
  assert.equal(state.error?.code, 'load_timeout', 'the next process has not missed a ping');

  reset();
  Object.assign(state, waiting);
  send(load('started'), load('committed'));
  miss();
  assert.ok(did().includes('ping'), 'what was missed before does not count for the document');
  miss();
  assert.ok(did().includes('terminate_page'));
});

test('frames: a frozen screen gets a new page, or a new compositor; failures count until a frame is shown', () => {
  const checked = (result: FrameResult, during = state.generation) =>
    send({ event: 'frames_checked', connection: state.connection, result, during });
  begin();
  assert.equal(timer('frame'), TIMING.frameEveryMs);
  assert.ok(TIMING.frameEveryMs >= 60_000, 'an idle screen is not woken more often');
  show(A);
  send({ event: 'timer', timer: 'frame' });
  assert.deepEqual(did(), ['check_frames']);
  checked('unknown');
  assert.deepEqual([timer('frame'), state.error], [TIMING.frameEveryMs, null]);
  checked('frozen', state.generation - 1);
  assert.equal(state.frozen, false, 'the check is of an earlier page');
  send(load('started', '', 0));
  checked('frozen');
  assert.equal(state.frozen, false, 'the page loads another one');
  send(load('finished', '', 0));

  checked('frozen');
  assert.ok(did().includes('terminate_page') && isCancelled('stable'));
  assert.equal(timer('frame'), TIMING.frameAgainMs);
  send({ event: 'page_terminated', generation: state.generation, next: 'frozen' });
  assert.deepEqual([state.error?.code, state.failures, timer('retry')], ['screen_frozen', 1, 0]);
  send({ event: 'timer', timer: 'retry' }, load('started'), load('committed'));
  assert.equal(state.error?.code, 'screen_frozen', 'the new page is not on the screen either');
  send(load('finished'));
  assert.equal(timer('stable'), undefined);

  checked('compositor_frozen');
  assert.deepEqual([state.failures, state.ending], [2, true]);
  assert.ok(did().includes('restart_unit'));
  send({ event: 'timer', timer: 'frame' });
  assert.equal(timer('frame'), TIMING.frameAgainMs, 'no check while the browser is ended');
  send({ event: 'disconnected' });
  assert.ok(isCancelled('frame'));

  connect();
  send({ event: 'timer', timer: 'retry' }, load('started'), load('committed'), load('finished'));
  assert.equal(state.error?.code, 'screen_frozen');
  send({ event: 'painted', load: lastId });
  assert.deepEqual([state.error, state.frozen], [null, false]);
  assert.equal(timer('stable'), TIMING.stableMs);
});
