import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signal } from '@preact/signals';
import { RequestError } from '../../../client/client.ts';
import { Action, until } from './actions.ts';
import { ActionError, failureOf } from './failure.ts';
import { toasts } from './toasts.ts';

test('an action is busy until its result is there, and cannot be started twice', async () => {
  const state = signal('old');
  let requests = 0;
  const action = new Action({
    run: async () => {
      requests += 1;
      await until(() => state.value === 'new', 10_000);
    },
  });
  const first = action.start();
  assert.equal(await action.start(), false);
  assert.deepEqual([requests, action.busy.value], [1, true]);
  state.value = 'new';
  assert.equal(await first, true);
  assert.deepEqual([action.busy.value, action.failure.value], [false, undefined]);
});

test('a result that does not come, or never will, ends the action with the reason', async () => {
  await assert.rejects(
    until(() => false, 5),
    ActionError,
  );
  const state = signal(0);
  const waiting = until(() => {
    if (state.value === 2) throw new ActionError('Something else was asked for.');
    return state.value === 1;
  }, 10_000);
  state.value = 2;
  await assert.rejects(waiting, { message: 'Something else was asked for.' });
});

test('a failure is a message, unless the view shows it; the next start removes it', async () => {
  let fails = true;
  const run = async () => {
    if (fails) throw new ActionError('It failed.', 'why');
  };
  const shown = new Action({ run, showsFailure: true });
  assert.equal(await shown.start(), false);
  assert.deepEqual([shown.failure.value, toasts.value], [{ sentence: 'It failed.', detail: 'why' }, []]);
  await new Action({ run }).start();
  assert.deepEqual(
    toasts.value.map(({ kind, text }) => [kind, text]),
    [['bad', 'It failed. (why)']],
  );
  fails = false;
  assert.equal(await shown.start(), true);
  assert.equal(shown.failure.value, undefined);
});

test('the words of the device are kept: its issues, else its message', () => {
  const answer = (error: object) =>
    new RequestError('PATCH', '/config', { status: 400, body: { error }, bytes: new Uint8Array() });
  assert.equal(failureOf(answer({ code: 'conflict', message: 'Busy (now).' })).detail, 'Busy (now).');
  const issues = [{ path: '/device/name', message: 'must be shorter' }, 'odd', { message: 'and so on' }];
  const refused = failureOf(answer({ code: 'bad_request', message: 'No.', details: { issues } }));
  assert.equal(refused.detail, '/device/name must be shorter; and so on');
});
