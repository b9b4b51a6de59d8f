import { isDeepStrictEqual } from 'node:util';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { waitFor } from '../../ci/lib/wait.ts';

/** The push envelope (interface: Events); payloads are looked into by the tests. */
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

const MOST_KEPT = 20_000;

/** Reads a field of a payload by its dotted path; undefined where there is none. */
export function field(value: unknown, path: string): unknown {
  let current = value;
  for (const key of path.split('.')) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Object.entries(current).find(([name]) => name === key)?.[1];
  }
  return current;
}

/** What a client has received of events, in order. A place in it is taken before the act whose event is awaited. */
export class EventLog {
  readonly #frames: EventFrame[] = [];

  push(frame: EventFrame): void {
    if (this.#frames.length >= MOST_KEPT) throw new Error(`more than ${MOST_KEPT} events`);
    this.#frames.push(frame);
  }

  /** The place after the last event so far. */
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
      throw new Error(`${String(error)}; of that topic came: ${seen.slice(-5).join(' | ') || 'nothing'}`);
    }
  }

  /**
   * Waits until what `read` gives equals what the newest event of `topic` since `mark` told, and gives it. One look
   * would not do: between an event and a request there may be the next change.
   */
  async agreement(
    topic: string,
    mark: number,
    read: () => Promise<unknown>,
    timeoutMs = 90_000,
  ): Promise<unknown> {
    let [told, there]: unknown[] = [];
    const look = async (): Promise<boolean> => {
      there = await read();
      told = this.since(mark, topic).at(-1)?.payload;
      return isDeepStrictEqual(there, told);
    };
    try {
      await waitFor(look, { timeoutMs, what: `the newest ${topic} event to tell what is there` });
      return there;
    } catch (error) {
      throw new Error(`${String(error)}; told: ${JSON.stringify(told)}; there: ${JSON.stringify(there)}`);
    }
  }
}

/** A frame, if a message of the device is one of events. */
export function asEvent(message: unknown): EventFrame | undefined {
  return Value.Check(EventFrame, message) ? message : undefined;
}
