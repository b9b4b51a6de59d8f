/** Events and other frames that a connection to the device carries. Uses nothing of Node. */
import type { EventFrame } from '../agent/src/contract/topics.ts';
import type { EventOf, TopicName } from './contract.ts';

export type { EventFrame };

/** How many events are kept at least, and how many other frames. */
const MOST_EVENTS = 20_000;
const MOST_OTHERS = 1000;
const WAIT_MS = 90_000;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export type Frame = Readonly<Record<string, unknown>>;

/**
 * Received frames, in order, of which only the last ones are kept. Take a `mark` before the action whose frame is
 * awaited.
 */
export class FrameLog<T> {
  readonly #most: number;
  readonly #frames: T[] = [];
  #dropped = 0;
  #arrival = Promise.withResolvers<void>();
  #end: Error | undefined;

  /** @param most how many frames are kept at least, and half of how many at most */
  constructor(most: number) {
    this.#most = most;
  }

  push(frame: T): void {
    this.#frames.push(frame);
    if (this.#frames.length >= 2 * this.#most) this.#dropped += this.#frames.splice(0, this.#most).length;
    this.#wake();
  }

  /** No frames follow: whoever waits gets the error. */
  end(error: Error): void {
    this.#end ??= error;
    this.#wake();
  }

  /** The position after the last frame so far. */
  get mark(): number {
    return this.#dropped + this.#frames.length;
  }

  /** All frames since a mark. @throws Error when some of them are no longer kept */
  since(mark = this.#dropped): T[] {
    if (mark < this.#dropped) throw new Error(`more than ${this.#most} frames have arrived since`);
    return this.#frames.slice(mark - this.#dropped);
  }

  /**
   * The first frame since `mark`, by default of all that are kept, that `matches`; waits for it.
   * @param what what is waited for, as it reads after "waited 30 s for"
   */
  async find<S extends T>(
    matches: (frame: T) => frame is S,
    { mark, timeoutMs, what }: { mark?: number | undefined; timeoutMs: number; what: () => string },
  ): Promise<S> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#wake();
    }, timeoutMs);
    try {
      for (let at = mark; ; ) {
        const found = this.since(at).find(matches);
        if (found !== undefined) return found;
        at = this.mark;
        if (this.#end) throw new Error(`${this.#end.message}, while waiting for ${what()}`);
        if (isLate) throw new Error(`waited ${timeoutMs / 1000} s for ${what()}`);
        await this.#arrival.promise;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #wake(): void {
    const { resolve } = this.#arrival;
    this.#arrival = Promise.withResolvers();
    resolve();
  }
}

/** The events of a channel. */
export class EventLog {
  readonly #log: FrameLog<EventFrame>;

  /** @param most how many events are kept at least, and half of how many at most */
  constructor(most = MOST_EVENTS) {
    this.#log = new FrameLog(most);
  }

  push(event: EventFrame): void {
    this.#log.push(event);
  }

  end(error: Error): void {
    this.#log.end(error);
  }

  /** The position after the last event so far. */
  get mark(): number {
    return this.#log.mark;
  }

  /** The events since a mark, of one topic. */
  since<N extends TopicName>(mark: number, topic: N): EventOf<N>[] {
    return this.#log.since(mark).filter(isEventOf(topic));
  }

  /** The first event of `topic` since `mark` whose payload `matches`; waits for it. */
  async next<N extends TopicName>(
    topic: N,
    mark: number,
    matches: (payload: EventOf<N>['payload']) => boolean = () => true,
    timeoutMs = WAIT_MS,
  ): Promise<EventOf<N>> {
    const isTopic = isEventOf(topic);
    const isIt = (event: EventFrame): event is EventOf<N> => isTopic(event) && matches(event.payload);
    const what = (): string => {
      const seen = this.since(mark, topic).map(({ payload }) => JSON.stringify(payload).slice(0, 300));
      return `a ${topic} event; received of that topic: ${seen.slice(-5).join(' | ') || 'nothing'}`;
    };
    return await this.#log.find(isIt, { mark, timeoutMs, what });
  }
}

/** A connection that carries events: a WebSocket, or the serial link. */
export abstract class EventChannel {
  readonly events: EventLog;
  /** Frames that are neither events nor responses: hello, acknowledgements, errors. */
  readonly others: FrameLog<Frame>;
  readonly #listeners = new Set<(event: EventFrame) => void>();
  readonly #ended = Promise.withResolvers<Error>();

  /** How many events and other frames are kept at least, and half of how many at most. */
  constructor({ events = MOST_EVENTS, others = MOST_OTHERS } = {}) {
    this.events = new EventLog(events);
    this.others = new FrameLog(others);
  }

  /** Sends a frame. */
  abstract send(frame: object): void;

  /** Closes the connection, and waits until that is done. */
  abstract close(): Promise<void>;

  /** Resolves with the reason when the connection has ended. */
  get ended(): Promise<Error> {
    return this.#ended.promise;
  }

  /** Calls `listener` with each event from now on. @returns ends that */
  onEvent(listener: (event: EventFrame) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Asks for the events of topics, and waits for the acknowledgement.
   * @throws RefusedError when the device does not know one of them
   */
  async subscribe(...topics: TopicName[]): Promise<void> {
    await this.#subscribe({ type: 'subscribe', topics });
  }

  /** As `subscribe`; the device also sends one event with the present state of each topic that reports a state. */
  async subscribeWithSnapshot(...topics: TopicName[]): Promise<void> {
    await this.#subscribe({ type: 'subscribe', topics, snapshot: true });
  }

  async #subscribe(frame: object): Promise<void> {
    const { mark } = this.others;
    this.send(frame);
    const isAnswer = (frame: Frame): frame is Frame => frame.type === 'subscribed' || frame.type === 'error';
    const what = () => `the acknowledgement of a subscription${this.context()}`;
    const answer = await this.others.find(isAnswer, { mark, timeoutMs: WAIT_MS, what });
    if (answer.type === 'error') throw new RefusedError(answer);
  }

  /** The first of the `others` since `mark` that has a type; waits for it. */
  async frame(type: string, mark?: number, timeoutMs = WAIT_MS): Promise<Frame> {
    const isIt = (frame: Frame): frame is Frame => frame.type === type;
    return await this.others.find(isIt, { mark, timeoutMs, what: () => `a ${type} frame${this.context()}` });
  }

  /** What helps to understand why a frame did not come, for messages. */
  protected context(): string {
    return '';
  }

  /** Called by the connection with each JSON value that it receives. */
  protected take(message: unknown): void {
    if (isEvent(message)) {
      this.events.push(message);
      for (const listener of this.#listeners) listener(message);
    } else if (typeof message === 'object' && message !== null) this.others.push({ ...message });
  }

  /** Called by the connection when it has ended. */
  protected end(error: Error): void {
    this.events.end(error);
    this.others.end(error);
    this.#ended.resolve(error);
  }
}

/** The device has answered a frame with an error. */
export class RefusedError extends Error {
  override name = 'RefusedError';

  constructor({ error }: Frame) {
    const isEnvelope = typeof error === 'object' && error !== null && 'message' in error;
    super(isEnvelope ? String(error.message) : JSON.stringify(error));
  }
}

/** Tells events of a topic from others. */
export function isEventOf<N extends TopicName>(topic: N): (event: EventFrame) => event is EventOf<N> {
  return (event): event is EventOf<N> => event.topic === topic;
}

/** Whether a message is an event (interface: Events). Its payload is what the contract says: the device checks that. */
export function isEvent(message: unknown): message is EventFrame {
  if (typeof message !== 'object' || message === null) return false;
  const { type, topic, ts, ...rest }: Frame = { ...message };
  return (
    type === 'event' &&
    typeof topic === 'string' &&
    typeof ts === 'string' &&
    TIME.test(ts) &&
    Object.keys(rest).join() === 'payload'
  );
}
