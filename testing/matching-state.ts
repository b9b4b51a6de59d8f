import { isDeepStrictEqual } from 'node:util';
import type { EventLog } from '../client/channel.ts';
import type { TopicName } from '../client/contract.ts';
import { waitFor } from './wait.ts';

/**
 * Waits until the state that `read` returns equals the payload of the newest event of `topic` since `mark`, and returns
 * it. Polls, because the state may change again between an event and a request.
 */
export async function matchingState(
  events: EventLog,
  topic: TopicName,
  mark: number,
  read: () => Promise<unknown>,
  timeoutMs = 90_000,
): Promise<unknown> {
  let [payload, state]: unknown[] = [];
  const isEqual = async (): Promise<boolean> => {
    state = await read();
    payload = events.since(mark, topic).at(-1)?.payload;
    return isDeepStrictEqual(state, payload);
  };
  try {
    await waitFor(isEqual, { timeoutMs, what: `the newest ${topic} event to equal the state` });
    return state;
  } catch (error) {
    throw new Error(`${String(error)}; event: ${JSON.stringify(payload)}; state: ${JSON.stringify(state)}`);
  }
}
