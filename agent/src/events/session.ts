import { closest } from '../base/spelling.ts';
import { withTimeout } from '../base/timeout.ts';
import { throwLater } from '../base/unexpected-errors.ts';
import { ApiError } from '../contract/errors.ts';
import { badRequest } from '../contract/issues.ts';
import type { EventFrame, Topic } from '../contract/topics.ts';
import type { EventBus } from './bus.ts';
import { type FrameFields, unknownFields, unknownType } from './frame-fields.ts';

/** Limits of one client's queue: enough for a burst, and a client that does not read cannot fill the memory. */
export const MAX_QUEUED_EVENTS = 512;
export const MAX_QUEUED_CHARACTERS = 2 * 1024 * 1024;

/** While a producer waits, a client that reads nothing for this long is disconnected, in ms. */
const STALL_MS = 10_000;
/** A state that cannot be read in this time is not sent, in ms. */
const READ_MS = 10_000;

/** How a session sends frames to its link. */
export interface EventSink {
  /** Sends one frame (JSON text without a line end), now and in order. */
  send(text: string): void;
  /** Whether the link accepts events now. When it accepts them again, it calls `flush()`. */
  ready(): boolean;
  /** Called when there is no room for an event that must not be lost; the session is closed then. */
  overflow(): void;
}

/** Sends JSON to the displayed page. @throws ApiError `page_channel_closed` and others of `POST /page/message` */
export type SendToPage = (payload: unknown) => Promise<void>;

/** What the frames have besides their type. */
const FIELDS: FrameFields = new Map([
  ['subscribe', ['topics', 'snapshot']],
  ['unsubscribe', ['topics']],
  ['page_message', ['payload']],
]);

interface Queued {
  topic: Topic;
  text: string;
}

/** A frame that reports an error outside of any request. */
export function errorFrame(error: ApiError): string {
  return JSON.stringify({ type: 'error', ...error.envelope });
}

/**
 * One client of the event bus, on any link: its topics, and the events that are queued until it reads
 * (docs/api.md: Events).
 */
export class EventSession {
  readonly #bus: EventBus;
  readonly #sink: EventSink;
  readonly #subscriptions = new Map<Topic, () => void>();
  #queue: Queued[] = [];
  #queuedCharacters = 0;
  #closed = false;
  readonly #sendToPage: SendToPage;
  readonly #otherTypes: readonly string[];
  /** The states that the client waits for, each with what tells this request from a later one. */
  readonly #wantedStates = new Map<Topic, symbol>();
  /** The states that are being read; each by one reading at a time. */
  readonly #readings = new Set<Topic>();
  /** Set while a producer waits for this client. */
  #drain: PromiseWithResolvers<void> | undefined;
  #stall: NodeJS.Timeout | undefined;

  /**
   * @param sendToPage takes the payloads of `page_message` frames
   * @param otherTypes of frames that the link takes itself, for the error of an unknown one
   */
  constructor(bus: EventBus, sink: EventSink, sendToPage: SendToPage, otherTypes: readonly string[] = []) {
    this.#bus = bus;
    this.#sink = sink;
    this.#sendToPage = sendToPage;
    this.#otherTypes = otherTypes;
  }

  /** Number of queued events. */
  get queued(): number {
    return this.#queue.length;
  }

  /**
   * Handles a client's frame: subscribe, unsubscribe, page_message. An invalid frame changes nothing and is answered by
   * an error frame. After `close` nothing is answered.
   */
  receive(frame: Readonly<Record<string, unknown>>): void {
    // A subscription after the end of the session would never be closed.
    if (this.#closed) return;
    try {
      this.#dispatch(frame);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#closed) return;
    this.#sink.send(errorFrame(error instanceof ApiError ? error : new ApiError('internal')));
  }

  #dispatch(frame: Readonly<Record<string, unknown>>): void {
    const { type, topics, snapshot = false, payload } = frame;
    const problem = unknownFields(frame, FIELDS);
    if (problem) throw problem;
    if (type === 'subscribe') {
      const wanted = this.#topicsOf(topics);
      if (typeof snapshot !== 'boolean') {
        throw new ApiError('bad_request', '/snapshot must be true or false.');
      }
      // The acknowledgement goes first: a producer that starts now may emit at once.
      this.#acknowledge(new Set([...this.#subscriptions.keys(), ...wanted]));
      for (const topic of wanted) this.#subscribe(topic);
      if (snapshot) for (const topic of wanted) this.#requestState(topic);
    } else if (type === 'unsubscribe') {
      for (const topic of this.#topicsOf(topics)) this.#unsubscribe(topic);
      this.#acknowledge(this.#subscriptions.keys());
    } else if (type === 'page_message') {
      if (payload === undefined) throw new ApiError('bad_request', 'page_message needs a payload.');
      this.#sendToPage(payload).catch((error: unknown) => this.#fail(error));
    } else {
      throw unknownType(type, [...FIELDS.keys(), ...this.#otherTypes]);
    }
  }

  #acknowledge(topics: Iterable<Topic>): void {
    this.#sink.send(JSON.stringify({ type: 'subscribed', topics: [...topics].map(({ name }) => name) }));
  }

  #subscribe(topic: Topic): void {
    if (this.#closed || this.#subscriptions.has(topic)) return;
    const listener = (_event: EventFrame, json: () => string): void => {
      // An event has the whole state, and a state that was read before must not follow it.
      this.#wantedStates.delete(topic);
      this.#enqueue(topic, json());
    };
    const stop = this.#bus.listen(topic.name, listener, this.#drained);
    // The first event of a producer may have closed the session.
    if (this.#closed) stop();
    else this.#subscriptions.set(topic, stop);
  }

  #unsubscribe(topic: Topic): void {
    this.#subscriptions.get(topic)?.();
    this.#subscriptions.delete(topic);
    this.#wantedStates.delete(topic);
    this.#queue = this.#queue.filter((queued) => queued.topic !== topic);
    this.#queuedCharacters = this.#queue.reduce((sum, { text }) => sum + text.length, 0);
    if (this.#queue.length === 0) this.#endWait();
  }

  /**
   * Sends the present state of a subscribed topic as an event, unless an event with it comes first. The session listens
   * already, so no change is lost between the two.
   */
  #requestState(topic: Topic): void {
    if (!topic.isState || !this.#subscriptions.has(topic)) return;
    this.#wantedStates.set(topic, Symbol(topic.name));
    if (!this.#readings.has(topic)) void this.#readState(topic);
  }

  async #readState(topic: Topic): Promise<void> {
    this.#readings.add(topic);
    for (let wanted = this.#wantedStates.get(topic); wanted; wanted = this.#wantedStates.get(topic)) {
      const text = await this.#stateOf(topic);
      // What was read before an event, or before the client asked again, is out of date.
      if (this.#wantedStates.get(topic) !== wanted) continue;
      this.#wantedStates.delete(topic);
      if (text !== undefined) this.#enqueue(topic, text);
    }
    this.#readings.delete(topic);
  }

  /** The state of a topic as an event; undefined while it has none or cannot be read. */
  async #stateOf(topic: Topic): Promise<string | undefined> {
    try {
      return await withTimeout(this.#bus.stateOf(topic), READ_MS, () => new ApiError('unavailable'));
    } catch (error) {
      if (!(error instanceof ApiError)) throwLater(error);
      return undefined;
    }
  }

  #enqueue(topic: Topic, text: string): void {
    // Another listener of the same event may have closed the session.
    if (this.#closed) return;
    if (this.#queue.length === 0 && this.#sink.ready()) {
      this.#sink.send(text);
      return;
    }
    this.#queue.push({ topic, text });
    this.#queuedCharacters += text.length;
    while (this.#queue.length > MAX_QUEUED_EVENTS || this.#queuedCharacters > MAX_QUEUED_CHARACTERS) {
      const index = this.#queue.findIndex((queued) => queued.topic.mayBeDropped);
      if (index < 0) {
        this.close();
        this.#sink.overflow();
        return;
      }
      const [dropped] = this.#queue.splice(index, 1);
      this.#queuedCharacters -= dropped?.text.length ?? 0;
    }
  }

  /** The link accepts events again: sends queued ones until it does not. */
  flush(): void {
    let sent = 0;
    for (const { text } of this.#queue) {
      if (!this.#sink.ready()) break;
      this.#sink.send(text);
      this.#queuedCharacters -= text.length;
      sent += 1;
    }
    this.#queue.splice(0, sent);
    if (this.#queue.length === 0) this.#endWait();
    else if (sent > 0 && this.#drain) this.#limitWait();
  }

  readonly #drained = (): Promise<void> | undefined => {
    if (this.#queue.length === 0) return undefined;
    if (!this.#drain) {
      this.#drain = Promise.withResolvers();
      this.#limitWait();
    }
    return this.#drain.promise;
  };

  /** Restarted whenever the client has read something. */
  #limitWait(): void {
    clearTimeout(this.#stall);
    this.#stall = setTimeout(() => {
      this.close();
      this.#sink.overflow();
    }, STALL_MS).unref();
  }

  #endWait(): void {
    clearTimeout(this.#stall);
    this.#drain?.resolve();
    this.#drain = undefined;
  }

  /** Ends every subscription and drops queued events. */
  close(): void {
    this.#closed = true;
    for (const stop of this.#subscriptions.values()) stop();
    this.#queue = [];
    this.#endWait();
  }

  /** @throws ApiError `bad_request` for a name that is no topic of the bus */
  #topicsOf(names: unknown): ReadonlySet<Topic> {
    if (!Array.isArray(names)) {
      throw new ApiError('bad_request', '/topics must be an array of topics, such as ["display_state"].');
    }
    const known = this.#bus.topics;
    const found = names.map((name) => known.find((topic) => topic.name === name));
    const all = known.map(({ name }) => name);
    const issues = found.flatMap((topic, index) => {
      if (topic) return [];
      const meant = closest(String(names[index]), all);
      const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
      return { path: `/topics/${index}`, message: `must be one of ${all.join(', ')}${hint}` };
    });
    if (issues.length > 0) throw badRequest('', issues);
    return new Set(found.filter((topic) => topic !== undefined));
  }
}
