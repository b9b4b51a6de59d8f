import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { RequestError } from '../../../../client/client.ts';
import { ActionError } from '../../app/failure.ts';
import type { InputEvent } from './inputs.ts';
import { InputSender } from './sender.ts';

const PRESS: InputEvent[] = [
  { type: 'move', x: 0.5, y: 0.25 },
  { type: 'button', button: 'left', pressed: true },
];
const RELEASE: InputEvent = { type: 'button', button: 'left', pressed: false };

/** Requests that the test answers. */
let requests: { events: readonly InputEvent[]; answer: PromiseWithResolvers<void> }[];
let sender: InputSender;
beforeEach(() => {
  requests = [];
  sender = new InputSender({
    send: (events) => {
      const answer = Promise.withResolvers<void>();
      requests.push({ events, answer });
      return answer.promise;
    },
    done: () => undefined,
  });
});
afterEach(() => mock.timers.reset());

const settled = () => new Promise((resolve) => setImmediate(resolve));
const refusal = (code: string, status = 503) =>
  new RequestError('POST', '/input/inject', {
    status,
    body: { error: { code, message: 'why' } },
    bytes: new Uint8Array(),
  });

/** Answers the last request. */
async function answer(error?: Error): Promise<void> {
  const last = requests.at(-1)?.answer;
  if (error) last?.reject(error);
  else last?.resolve();
  await settled();
}

test('what is pressed is released when the view is left, after the request on its way; then nothing is taken', async () => {
  sender.do('picture', PRESS);
  assert.deepEqual(sender.place.value, { x: 0.5, y: 0.25 });
  sender.close();
  sender.do('picture', PRESS);
  assert.equal(requests.length, 1);
  await answer();
  assert.deepEqual(requests.at(-1)?.events, [RELEASE]);
  await answer();
  assert.equal(requests.length, 2);
});

test('a button that is held without a move is held on, until it is released', async () => {
  mock.timers.enable({ apis: ['setInterval'] });
  sender.do('picture', PRESS);
  await answer();
  mock.timers.tick(2000);
  assert.deepEqual(requests.at(-1)?.events, [{ type: 'button', button: 'middle', pressed: false }]);
  await answer();
  sender.do('picture', [RELEASE]);
  await answer();
  mock.timers.tick(20_000);
  assert.equal(requests.length, 3);
});

test('a failure is explained at its control until an input is done; the release that follows changes nothing', async () => {
  sender.do('picture', PRESS);
  await answer(refusal('too_many_requests', 429));
  assert.deepEqual(requests.at(-1)?.events, [RELEASE]);
  await answer();
  assert.equal(sender.failureOf('picture')?.detail, 'why');
  assert.equal(sender.failureOf('keys'), undefined);
  sender.do('keys', [{ type: 'key', key: 'Tab' }]);
  await answer();
  assert.equal(sender.failureOf('picture'), undefined);
});

test('a text is typed when the device says so, and fails with the reason', async () => {
  const typed = sender.finishTyping('a');
  await answer();
  await typed;
  const failed = assert.rejects(sender.finishTyping('b'), { failure: { detail: 'why', sentence: '' } });
  await answer(refusal('unavailable'));
  await failed;
  // Also for the same reason as before.
  const again = assert.rejects(sender.finishTyping('c'));
  await answer(refusal('unavailable'));
  await again;
  await assert.rejects(sender.finishTyping('x'.repeat(1001)));
  assert.equal(requests.length, 3);
});

test('a text that there is no room for fails; one that was taken does not, whatever is left out after it', async () => {
  const key: InputEvent[] = [{ type: 'key', key: 'Tab' }];
  sender.do('keys', key);
  const typed = sender.finishTyping('a');
  for (let i = 0; i < 100; i += 1) sender.do('keys', key);
  assert.ok(sender.isCrowded);
  await assert.rejects(sender.finishTyping('b'), ActionError);
  await answer();
  await answer();
  await typed;
  assert.deepEqual([requests.length, requests.at(-1)?.events[0]?.text], [2, 'a']);
});
