import { isDeepStrictEqual } from 'node:util';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { waitFor } from '../../testing/wait.ts';

/** The envelope of an event (interface: Events). The tests check the payloads. */
export const EventFrame = Type.Object(
  {
    type: Type.Literal('event'),
    topic: Type.String(),
    ts: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }),
    payload: Type.Unknown(),
  },
  { additionalProperties: false },
);
export type EventFrame = Static<typeof EventFrame>;

const MAX_EVENTS = 20_000;

/** Reads a field of a payload by its dotted path; undefined where there is none. */
export function field(value: unknown, path: string): unknown {
  let current = value;
  for (const key of path.split('.')) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Object.entries(current).find(([name]) => name === key)?.[1];
  }
  return current;
}

/** The events that a client has received, in order. Take a `mark` before the action whose event is awaited. */
export class EventLog {
  readonly #frames: EventFrame[] = [];

  push(frame: EventFrame): void {
    if (this.#frames.length >= MAX_EVENTS) throw new Error(`more than ${MAX_EVENTS} events`);
    this.#frames.push(frame);
  }

  /** The position after the last event so far. */
  get mark(): number {
    return this.#frames.length;
  }

  /** The events since a mark, of one topic. */
  since(mark: number, topic: string): EventFrame[] {
    return this.#frames.slice(mark).filter((frame) => frame.topic === topic);
  }

  /** The first event of `topic` since `mark` whose payload `matches`; waits for it. */
  async next(
    topic: string,
    mark: number,
    matches: (payload: unknown) => boolean = () => true,
    timeoutMs = 90_000,
  ): Promise<EventFrame> {
    const find = (): EventFrame | undefined =>
      this.since(mark, topic).find(({ payload }) => matches(payload));
    try {
      return await waitFor(find, { timeoutMs, what: `a ${topic} event`, intervalMs: 20 });
    } catch (error) {
      const seen = this.since(mark, topic).map(({ payload }) => JSON.stringify(payload).slice(0, 300));
      throw new Error(`${String(error)}; received of that topic: ${seen.slice(-5).join(' | ') || 'nothing'}`);
    }
  }

  /**
   * Waits until the state that `read` returns equals the payload of the newest event of `topic` since `mark`, and returns
   * it. Polls, because the state may change again between an event and a request.
   */
  async matchingState(
    topic: string,
    mark: number,
    read: () => Promise<unknown>,
    timeoutMs = 90_000,
  ): Promise<unknown> {
    let [payload, state]: unknown[] = [];
    const isEqual = async (): Promise<boolean> => {
      state = await read();
      payload = this.since(mark, topic).at(-1)?.payload;
      return isDeepStrictEqual(state, payload);
    };
    try {
      await waitFor(isEqual, { timeoutMs, what: `the newest ${topic} event to equal the state` });
      return state;
    } catch (error) {
      throw new Error(`${String(error)}; event: ${JSON.stringify(payload)}; state: ${JSON.stringify(state)}`);
    }
  }
}

/** The message as an event frame; undefined when it is not an event. */
export function asEvent(message: unknown): EventFrame | undefined {
  return Value.Check(EventFrame, message) ? message : undefined;
}
