import { ApiError, type ErrorCode, envelope } from '../contract/errors.ts';
import { type EventFrame, TOPICS, type TopicName } from '../contract/topics.ts';
import type { EventBus } from './bus.ts';

/** Events that a client may miss without harm: the next one replaces them. */
const DROPPABLE: ReadonlySet<TopicName> = new Set(['input_raw', 'log', 'health']);
/** What one client may have waiting: a burst passes, a client that does not read does not fill memory. */
export const MAX_QUEUED_EVENTS = 512;
export const MAX_QUEUED_CHARACTERS = 2 * 1024 * 1024;

const KNOWN: ReadonlySet<string> = new Set(TOPICS);

/** The link's side of a session: where frames go. */
export interface EventSink {
  /** Sends one frame (JSON text without a line end), now and in order. */
  send(text: string): void;
  /** Whether the link takes events now. When it does again, the link calls `flush()`. */
  ready(): boolean;
  /** Too many events wait that must not be lost: the session is closed, and the client has to be told. */
  overflow(): void;
}

export interface EventSessionOptions {
  bus: EventBus;
  sink: EventSink;
  /** Takes a client's `page_message`; throws ApiError when there is no channel. Absent: not wired. */
  onPageMessage?: ((payload: unknown) => void) | undefined;
}

interface Queued {
  topic: TopicName;
  text: string;
}

/** An event goes to many clients as the same text. */
const texts = new WeakMap<EventFrame, string>();

function textOf(event: EventFrame): string {
  let text = texts.get(event);
  if (text === undefined) {
    text = JSON.stringify(event);
    texts.set(event, text);
  }
  return text;
}

/** A frame that tells of a problem outside any request (interface: Errors). */
export function errorFrame(code: ErrorCode, message?: string, details?: Record<string, unknown>): string {
  return JSON.stringify({ type: 'error', ...envelope(code, message, details) });
}

/**
 * What one client has with the event bus, whichever link it came by: its topics, and the events that wait for
 * it to read (interface: Events; contract-decisions: Sockets).
 */
export class EventSession {
  readonly #bus: EventBus;
  readonly #sink: EventSink;
  readonly #onPageMessage: ((payload: unknown) => void) | undefined;
  readonly #subscriptions = new Map<TopicName, () => void>();
  #queue: Queued[] = [];
  #queuedCharacters = 0;
  #closed = false;

  constructor({ bus, sink, onPageMessage }: EventSessionOptions) {
    this.#bus = bus;
    this.#sink = sink;
    this.#onPageMessage = onPageMessage;
  }

  /** Events that wait for the client to read. */
  get queued(): number {
    return this.#queue.length;
  }

  /**
   * Answers a client's frame: subscribe, unsubscribe, page_message; any other type gets a `bad_request` error
   * frame. A request that cannot be met changes nothing. After `close` nothing is answered.
   */
  receive(frame: Readonly<Record<string, unknown>>): void {
    // What comes behind the frame that ended the session would subscribe for good: nobody closes it again.
    if (this.#closed) return;
    try {
      this.#dispatch(frame);
    } catch (error) {
      const known = error instanceof ApiError ? error : new ApiError('internal');
      this.#sink.send(errorFrame(known.code, known.message, known.details));
    }
  }

  #dispatch({ type, topics, payload }: Readonly<Record<string, unknown>>): void {
    if (type === 'subscribe') {
      const names = topicNames(topics);
      const all = [...new Set([...this.#subscriptions.keys(), ...names])];
      // The acknowledgement goes first: a producer that starts now may emit at once.
      this.#acknowledge(all);
      for (const name of names) this.#subscribe(name);
    } else if (type === 'unsubscribe') {
      for (const name of topicNames(topics)) this.#unsubscribe(name);
      this.#acknowledge([...this.#subscriptions.keys()]);
    } else if (type === 'page_message') {
      if (payload === undefined) throw new ApiError('bad_request', 'page_message needs a payload.');
      if (!this.#onPageMessage) throw new ApiError('not_implemented');
      this.#onPageMessage(payload);
    } else {
      const problem =
        typeof type === 'string' ? `There is no frame type ${type.slice(0, 40)}.` : 'The frame has no type.';
      throw new ApiError('bad_request', problem);
    }
  }

  #acknowledge(topics: TopicName[]): void {
    this.#sink.send(JSON.stringify({ type: 'subscribed', topics }));
  }

  #subscribe(name: TopicName): void {
    if (this.#subscriptions.has(name)) return;
    // Known before the producer starts, so that what it emits at once is not lost.
    this.#subscriptions.set(name, () => {});
    const stop = this.#bus.listen(name, (event) => this.#enqueue(name, textOf(event)));
    // There may be no room for what it emits at once.
    if (this.#closed) stop();
    else this.#subscriptions.set(name, stop);
  }

  #unsubscribe(name: TopicName): void {
    this.#subscriptions.get(name)?.();
    this.#subscriptions.delete(name);
    this.#queue = this.#queue.filter(({ topic }) => topic !== name);
    this.#queuedCharacters = this.#queue.reduce((sum, { text }) => sum + text.length, 0);
  }

  #enqueue(topic: TopicName, text: string): void {
    if (this.#queue.length === 0 && this.#sink.ready()) {
      this.#sink.send(text);
      return;
    }
    this.#queue.push({ topic, text });
    this.#queuedCharacters += text.length;
    while (this.#queue.length > MAX_QUEUED_EVENTS || this.#queuedCharacters > MAX_QUEUED_CHARACTERS) {
      if (!this.#drop()) return;
    }
  }

  /** Makes room. @returns false when the session is over because there is none to make */
  #drop(): boolean {
    const index = this.#queue.findIndex((queued) => DROPPABLE.has(queued.topic));
    if (index < 0) {
      this.close();
      this.#sink.overflow();
      return false;
    }
    const [dropped] = this.#queue.splice(index, 1);
    this.#queuedCharacters -= dropped?.text.length ?? 0;
    return dropped !== undefined;
  }

  /** The link takes frames again: sends what waits, as far as it goes. */
  flush(): void {
    let sent = 0;
    for (const { text } of this.#queue) {
      if (!this.#sink.ready()) break;
      this.#sink.send(text);
      this.#queuedCharacters -= text.length;
      sent += 1;
    }
    if (sent > 0) this.#queue.splice(0, sent);
  }

  /** Ends every subscription and forgets what waits. */
  close(): void {
    this.#closed = true;
    for (const stop of this.#subscriptions.values()) stop();
    this.#subscriptions.clear();
    this.#queue = [];
    this.#queuedCharacters = 0;
  }
}

function topicNames(topics: unknown): TopicName[] {
  if (!Array.isArray(topics)) throw new ApiError('bad_request', '/topics must be an array of topics.');
  const unknown = topics.filter((name) => !isTopic(name));
  if (unknown.length > 0) {
    throw new ApiError('bad_request', 'There is no such topic.', {
      issues: unknown.slice(0, 20).map((name) => ({
        path: `/topics/${topics.indexOf(name)}`,
        message: `must be one of ${TOPICS.join(', ')}`,
      })),
    });
  }
  return [...new Set(topics.filter(isTopic))];
}

function isTopic(name: unknown): name is TopicName {
  return typeof name === 'string' && KNOWN.has(name);
}
