import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventLog } from './events.ts';

const frame = (topic: string, payload: unknown) =>
  ({ type: 'event', topic, ts: '2026-01-02T03:04:05.678Z', payload }) as const;

test('agreement: the newest event and what is there, once they are equal', async () => {
  const log = new EventLog();
  log.push(frame('display_state', { url: 'before' }));
  const { mark } = log;
  log.push(frame('display_state', { url: 'a', loading: true }));
  const answers = [{ url: 'a', loading: false }, { url: 'b' }];
  const read = async (): Promise<unknown> => {
    const answer = answers.shift() ?? { url: 'b' };
    // What is there is told a little later, or has changed again by then.
    if (answers.length === 0) log.push(frame('display_state', { url: 'b' }));
    log.push(frame('network_changed', {}));
    return answer;
  };
  assert.deepEqual(await log.agreement('display_state', mark, read), { url: 'b' });
});

test('agreement: what is told of something else, or was told before, does not count', async () => {
  const log = new EventLog();
  log.push(frame('display_state', { url: 'a' }));
  const { mark } = log;
  log.push(frame('network_changed', { url: 'a' }));
  await assert.rejects(
    log.agreement('display_state', mark, async () => ({ url: 'a' }), 50),
    /newest display_state event.*told: undefined; there: \{"url":"a"\}/,
  );
});
