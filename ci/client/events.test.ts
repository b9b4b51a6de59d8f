import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventLog } from './events.ts';

const frame = (topic: string, payload: unknown) =>
  ({ type: 'event', topic, ts: '2026-01-02T03:04:05.678Z', payload }) as const;

test('returns the state once the newest event equals it', async () => {
  const log = new EventLog();
  log.push(frame('display_state', { url: 'before' }));
  const { mark } = log;
  log.push(frame('display_state', { url: 'a', loading: true }));
  const answers = [{ url: 'a', loading: false }, { url: 'b' }];
  const read = async (): Promise<unknown> => {
    const answer = answers.shift() ?? { url: 'b' };
    // The event comes a little after the state has changed.
    if (answers.length === 0) log.push(frame('display_state', { url: 'b' }));
    log.push(frame('network_changed', {}));
    return answer;
  };
  assert.deepEqual(await log.matchingState('display_state', mark, read), { url: 'b' });
});

test('events of another topic and earlier events do not count', async () => {
  const log = new EventLog();
  log.push(frame('display_state', { url: 'a' }));
  const { mark } = log;
  log.push(frame('network_changed', { url: 'a' }));
  await assert.rejects(
    log.matchingState('display_state', mark, async () => ({ url: 'a' }), 50),
    /newest display_state event.*event: undefined; state: \{"url":"a"\}/,
  );
});
