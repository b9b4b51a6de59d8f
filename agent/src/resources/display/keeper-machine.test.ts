/** Rules of the keeper: loads, requests and our own page. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { visibleError } from './keeper-machine.ts';
import type { KeeperEvent } from './keeper-state.ts';
import { OWN_URI } from './target.ts';
import {
  A,
  B,
  begin,
  connect,
  did,
  effects,
  failed,
  isCancelled,
  LATEST,
  lastId,
  load,
  MENU,
  MENU_URL,
  reset,
  send,
  show,
  state,
  timer,
} from './tests/keeper-driver.ts';
import { TIMING } from './timing.ts';

beforeEach(() => reset());

test('each step of a load has its own deadline, also when the page navigates itself', () => {
  begin();
  assert.equal(timer('load'), TIMING.documentMs, 'a new browser is slow');
  send({ event: 'timer', timer: 'load' });
  assert.deepEqual([did().includes('terminate_page'), state.error?.code], [false, 'load_timeout']);
  send({ event: 'timer', timer: 'retry' }, load('started'));
  assert.equal(timer('load'), TIMING.documentMs);
  send(load('committed'));
  assert.equal(timer('load'), TIMING.completeMs);
  send(load('finished'));
  assert.ok(isCancelled('load'));
  send({ event: 'show_target', target: B });
  assert.equal(timer('load'), TIMING.beginMs, 'the page before may keep it from being loaded');
  send({ event: 'page_gone', reason: 'crashed' }, { event: 'timer', timer: 'retry' });
  assert.equal(timer('load'), TIMING.documentMs, 'a new process has no page before');
  send(load('started'), load('committed'), load('finished'));
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
  show(A);
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

test('loads of the target, of an earlier target and of the page itself are distinguished', () => {
  begin();
  const old = lastId;
  send({ event: 'show_target', target: B }, load('started'), load('redirected', 'http://b.example/2'));
  const theirs = [
    load('committed', 'http://c.example/', 0),
    load('finished', '', 0),
    load('started', '', old),
  ];
  for (const event of theirs) {
    send(event);
    assert.deepEqual([state.load.stage, state.loading, did()], ['started', true, []]);
  }
  send(load('committed'), load('finished'));
  const shown = state;
  send(load('started', '', old), load('committed', '', old), load('finished', '', old));
  assert.deepEqual(state, shown);
  send(load('started', 'http://c.example/', 0), failed('cancelled', old));
  assert.equal(state.loading, true, 'the page loads another one');
});

test('a document that was there before the agent can be in the way of the target, and is terminated then', () => {
  begin(A, 'http://other.example/');
  assert.equal(timer('load'), TIMING.beginMs);
  send(failed('cancelled'));
  assert.deepEqual(effects.at(-1), { do: 'terminate_page', next: 'load' });
  assert.equal(state.error, null);
});

test('nothing takes the place of a page that is being terminated before it has ended', () => {
  const rendered = (html: string, { generation } = state) => send({ event: 'rendered', generation, html });
  const hang = () => {
    const { connection } = state;
    for (let n = 0; n < TIMING.misses; n += 1) send({ event: 'pong', connection, answered: false });
    assert.deepEqual(effects.at(-1), { do: 'terminate_page', next: 'unresponsive' });
  };
  begin({ mode: 'waiting' });
  rendered('one');
  send(load('committed'), load('finished'), { event: 'own_page_changed' });
  const before = state;
  hang();
  rendered('two', before);
  assert.deepEqual(did(), [], 'the page was rendered for the one that hangs');
  send({ event: 'show_target', target: A });
  hang();
  assert.ok(isCancelled('load'), 'its deadline would terminate the page again');
  send({ event: 'show_target', target: { mode: 'waiting' } });
  rendered('three');
  send(failed('cancelled'));
  assert.deepEqual(effects.at(-1), { do: 'terminate_page', next: 'load' });
  send({ event: 'own_page_changed' });
  assert.deepEqual(did(), []);
});

test('answers of an earlier connection or decision, and loads that were replaced, change nothing', () => {
  begin();
  const { generation, connection } = state;
  const old = lastId;
  send({ event: 'show_target', target: B });
  const before = state;
  send(
    { event: 'page_terminated', generation, next: 'unresponsive' },
    { event: 'rendered', generation, html: 'x' },
    { event: 'rendered', generation: state.generation, html: 'nobody has asked for it' },
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
  send(load('committed', OWN_URI), load('finished'));
  send({ event: 'show_target', target: A });
  assert.equal(timer('load'), TIMING.documentMs, 'our own page keeps no other from being loaded');
  send({ event: 'own_page_changed' });
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
  const { connection } = state;
  const refused = { event: 'command_failed', connection, reason: 'timeout' } as const;
  assert.equal(
    again(refused, { event: 'unit_restart_failed', connection }),
    true,
    'it may have been refused',
  );
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
  send({ event: 'bundle_arrived', name: 'other' });
  assert.deepEqual(did(), []);
  send({ event: 'bundle_arrived', name: 'menu' });
  assert.equal(visibleError(state), null);
  send({ event: 'show_target', target: A });
  assert.equal(state.missing, undefined);
});

test('reloads in place only what is there as it should be', () => {
  begin();
  show(A);
  const { generation } = state;
  send(load('committed', 'http://c.example/', 0), load('finished', '', 0), { event: 'reload' });
  assert.ok(did().includes('reload'));
  send({ event: 'page_terminated', generation, next: 'unresponsive' });
  assert.equal(state.failures, 0, 'the answer is older than the reload');
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
