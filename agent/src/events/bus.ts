import { throwLater } from '../base/unexpected-errors.ts';
import { now } from '../contract/shared.ts';
import type { EventFrame, Payload, Topic } from '../contract/topics.ts';

/** @param json gives the event as JSON text, which is made once for all listeners */
export type EventListener = (event: EventFrame, json: () => string) => void;
/** Undefined if the listener's queue is empty; else resolves when it is, or when the listener is closed. */
export type Drained = () => Promise<void> | undefined;
/** Starts producing a topic and returns a function that stops it. */
export type Producer = () => () => void;
/** Reads the state that a topic reports. @throws ApiError while there is none, as the resource's GET does */
export type StateReader<T extends Topic> = () => Payload<T> | Promise<Payload<T>>;

/** A topic that is produced on demand. */
interface Demand {
  producer: Producer;
  stop: (() => void) | undefined;
}

/**
 * Passes events from resources to listeners. It stores nothing: an event without listeners is lost. Expensive topics
 * (health, log, input_raw, page_console) are produced only while they have listeners.
 */
export class EventBus {
  readonly #listeners = new Map<string, Map<EventListener, Drained | undefined>>();
  readonly #demands = new Map<string, Demand>();
  readonly #states = new Map<string, () => unknown>();
  /** The topics that clients may subscribe to. */
  readonly topics: readonly Topic[];

  constructor(topics: readonly Topic[] = []) {
    this.topics = topics;
  }

  emit<T extends Topic>(topic: T, payload: Payload<T>): void {
    const event: EventFrame = { type: 'event', topic: topic.name, ts: now(), payload };
    this.#pass(event, () => JSON.stringify(event));
  }

  /**
   * As `emit`, with a payload that somebody else has written: however large or deep it is, it costs only its text.
   * @param json valid JSON without a line end
   */
  emitJson(topic: Topic, json: string): void {
    const head = { type: 'event' as const, topic: topic.name, ts: now() };
    const event: EventFrame = {
      ...head,
      get payload() {
        return JSON.parse(json);
      },
    };
    this.#pass(event, () => `${JSON.stringify(head).slice(0, -1)},"payload":${json}}`);
  }

  #pass(event: EventFrame, write: () => string): void {
    let text: string | undefined;
    const json = () => (text ??= write());
    for (const listener of [...(this.#listeners.get(event.topic)?.keys() ?? [])]) {
      try {
        listener(event, json);
      } catch (error) {
        throwLater(error);
      }
    }
  }

  /** Calls `listener` for every event of a topic until the returned function is called. */
  listen(name: string, listener: EventListener, drained?: Drained): () => void {
    const listeners = this.#listeners.get(name) ?? new Map();
    this.#listeners.set(name, listeners);
    listeners.set(listener, drained);
    this.#update(name);
    return () => {
      listeners.delete(listener);
      this.#update(name);
    };
  }

  /**
   * For producers that can wait, so that no event is lost by a client that reads. Undefined if the queues of the
   * topic's listeners are empty; else resolves when they are, or when the listeners are closed.
   */
  drained(topic: Topic): Promise<unknown> | undefined {
    const behind = [...(this.#listeners.get(topic.name)?.values() ?? [])].flatMap(
      (drained) => drained?.() ?? [],
    );
    return behind.length === 0 ? undefined : Promise.all(behind);
  }

  /** As `listen`, with the payload typed by the topic. */
  on<T extends Topic>(topic: T, listener: (payload: Payload<T>) => void): () => void {
    // `emit` accepts only payloads of the topic's own type.
    return this.listen(topic.name, (event) => listener(event.payload as Payload<T>));
  }

  /**
   * Registers the only producer of an expensive topic; it runs while the topic has listeners.
   * @returns stops and removes the producer
   */
  produceOnDemand(topic: Topic, producer: Producer): () => void {
    const demand: Demand = { producer, stop: undefined };
    this.#demands.set(topic.name, demand);
    this.#update(topic.name);
    return () => {
      demand.stop?.();
      this.#demands.delete(topic.name);
    };
  }

  /**
   * Registers how the state of a topic is read, for clients that ask for it when they subscribe.
   * @throws Error for a topic that is not declared as a state
   */
  provideState<T extends Topic>(topic: T, read: StateReader<T>): void {
    if (!topic.isState) throw new Error(`the topic ${topic.name} is not declared as a state`);
    this.#states.set(topic.name, read);
  }

  /**
   * The present state of a topic, as the JSON text of its event; undefined if this system never has one.
   * @throws ApiError while there is none
   */
  async stateOf(topic: Topic): Promise<string | undefined> {
    const read = this.#states.get(topic.name);
    if (!read) return undefined;
    const payload = await read();
    return JSON.stringify({ type: 'event', topic: topic.name, ts: now(), payload } satisfies EventFrame);
  }

  #update(name: string): void {
    const demand = this.#demands.get(name);
    if (!demand) return;
    const wanted = (this.#listeners.get(name)?.size ?? 0) > 0;
    if (wanted && !demand.stop) demand.stop = demand.producer();
    if (!wanted && demand.stop) {
      demand.stop();
      demand.stop = undefined;
    }
  }
}
