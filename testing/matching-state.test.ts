import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventLog } from '../client/channel.ts';
import { matchingState } from './matching-state.ts';

const event = (topic: 'display_state' | 'network_changed', payload: unknown) =>
  ({ type: 'event', topic, ts: '2026-01-02T03:04:05.678Z', payload }) as const;

test('returns the state once the newest event equals it', async () => {
  const events = new EventLog();
  events.push(event('display_state', { url: 'before' }));
  const { mark } = events;
  events.push(event('display_state', { url: 'a', loading: true }));
  const answers = [{ url: 'a', loading: false }, { url: 'b' }];
  const read = async (): Promise<unknown> => {
    const answer = answers.shift() ?? { url: 'b' };
    // The event comes a little after the state has changed.
    if (answers.length === 0) events.push(event('display_state', { url: 'b' }));
    events.push(event('network_changed', {}));
    return answer;
  };
  assert.deepEqual(await matchingState(events, 'display_state', mark, read), { url: 'b' });
});

test('events of another topic and earlier events do not count', async () => {
  const events = new EventLog();
  events.push(event('display_state', { url: 'a' }));
  const { mark } = events;
  events.push(event('network_changed', { url: 'a' }));
  await assert.rejects(
    matchingState(events, 'display_state', mark, async () => ({ url: 'a' }), 50),
    /newest display_state event.*event: undefined; state: \{"url":"a"\}/,
  );
});
