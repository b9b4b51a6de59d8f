/** What the keeper says about trouble, in the display's state and in the log, and when it tries again. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { visibleError } from './keeper-machine.ts';
import type { AfterTermination, FrameResult, KeeperEvent } from './keeper-state.ts';
import {
  A,
  B,
  begin,
  connect,
  did,
  effects,
  failed,
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

const terminated = (next: AfterTermination) =>
  send({ event: 'page_terminated', generation: state.generation, next });
const checked = (result: FrameResult) =>
  send({ event: 'frames_checked', connection: state.connection, result, during: state.generation });
const retried = (...events: KeeperEvent[]) =>
  send({ event: 'timer', timer: 'retry' }, load('started'), ...events);

test('every error is reported with its code and a sentence of its own, and what could not be loaded is not retried at once', () => {
  const cases: [code: string, retryMs: number | undefined, happens: () => void][] = [
    ['browser_unavailable', undefined, () => send({ event: 'start', target: A, missing: undefined })],
    [
      'page_crashed',
      undefined,
      () => {
        show(A);
        send({ event: 'disconnected' });
        connect();
      },
    ],
    ['page_crashed', 0, () => send({ event: 'page_gone', reason: 'crashed' })],
    ['page_out_of_memory', 0, () => send({ event: 'page_gone', reason: 'memory' })],
    ['page_unresponsive', 0, () => terminated('unresponsive')],
    ['screen_frozen', 0, () => terminated('frozen')],
    [
      'page_unresponsive',
      0,
      () => {
        send({ event: 'restart_browser', stage: 'compositor' });
        send({ event: 'unit_restart_failed', connection: state.connection });
      },
    ],
    ['load_failed', 2000, () => send(failed('network'))],
    ['load_timeout', 2000, () => send({ event: 'timer', timer: 'load' })],
    [
      'load_failed',
      2000,
      () => {
        send(failed('cancelled'));
        terminated('load');
        send(failed('cancelled'));
      },
    ],
    [
      'load_failed',
      2000,
      () => {
        send({ event: 'show_target', target: { mode: 'waiting' } });
        send({ event: 'rendered', generation: state.generation, html: undefined });
      },
    ],
    [
      'bundle_damaged',
      2000,
      () =>
        send(
          { event: 'show_target', target: MENU },
          load('started'),
          load('committed', MENU_URL, LATEST, 404),
        ),
    ],
  ];
  const messages = new Set<string>();
  for (const [code, retryMs, happens] of cases) {
    reset();
    if (code !== 'browser_unavailable') begin();
    happens();
    const error = visibleError(state);
    assert.deepEqual([error?.code, timer('retry')], [code, retryMs]);
    // The server's or the browser's own words.
    if (error?.message !== 'reason') assert.match(error?.message ?? '', /^[A-Z].* .*\.$/, code);
    messages.add(error?.message ?? '');
  }
  assert.equal(messages.size, cases.length);
});

test('a load that fails is retried after 2, 4 and 8 s, whatever the reasons, behind a notice; a request begins again', () => {
  begin();
  const failures = [
    [failed('network'), 'load_failed', 2000],
    [failed('tls'), 'tls_failed', 4000],
    [{ event: 'timer', timer: 'load' }, 'load_timeout', 8000],
  ] as const;
  for (const [event, code, delayMs] of failures) {
    send(event);
    assert.deepEqual([state.error?.code, timer('retry'), state.loading], [code, delayMs, false]);
    assert.ok(did().includes('render'));
    retried();
    assert.equal(state.loading, true);
  }
  send({ event: 'show_target', target: B }, load('started'), failed('network'));
  assert.equal(timer('retry'), 2000);
});

test('the log says what went wrong, why, and how often', () => {
  const logged = (...events: KeeperEvent[]) => {
    send(...events);
    const fields: object[] = [];
    for (const effect of effects) {
      if (effect.do !== 'warn') continue;
      assert.match(effect.message, /^\S+ \S+ \S+/);
      fields.push(effect.fields);
    }
    return fields;
  };
  begin();
  const error = { code: 'load_failed', message: 'reason' };
  assert.deepEqual(logged(failed('network')), [{ error, failures: 1 }]);
  retried();
  assert.deepEqual(logged(failed('network')), [{ error, failures: 2 }]);
  const { connection } = state;
  assert.deepEqual(logged({ event: 'command_failed', connection, reason: 'timeout' }), [
    { reason: 'timeout' },
  ]);
  assert.deepEqual(logged({ event: 'quit_failed', connection, reason: 'busy' }), [{ reason: 'busy' }]);
  send({ event: 'disconnected' });
  for (const waited of [1, 2]) {
    assert.deepEqual(logged({ event: 'timer', timer: 'unit' }), [{ after_ms: waited * TIMING.awayMs }]);
  }
});

test('a frame that reaches the screen ends the error of a frozen screen, and no other one', () => {
  const painted: KeeperEvent = { event: 'painted', load: lastId };
  const freeze = () => {
    show(A);
    checked('frozen');
    assert.ok(did().includes('terminate_page'));
    terminated('frozen');
    assert.deepEqual([state.error?.code, state.frozen], ['screen_frozen', true]);
  };
  begin();
  show(A);
  checked('compositor_frozen');
  send(painted);
  assert.deepEqual([state.error?.code, state.frozen], ['screen_frozen', false], 'the browser is being ended');
  send({ event: 'disconnected' });
  connect();
  freeze();
  send(painted);
  assert.deepEqual([state.error?.code, state.frozen], ['screen_frozen', false], 'the target is not there');

  freeze();
  const denied = { event: 'load', state: 'committed', load: LATEST, uri: '' } as const;
  retried({ ...denied, authentication_required: true }, painted);
  assert.deepEqual([state.error?.code, state.frozen], ['authentication_required', false]);

  freeze();
  retried(load('committed'), load('finished'));
  checked('unknown');
  assert.deepEqual([state.error?.code, state.frozen], ['screen_frozen', true], 'nobody has seen a frame');
  checked('shown');
  assert.deepEqual([state.error, state.frozen, timer('stable')], [null, false, TIMING.stableMs]);
});
