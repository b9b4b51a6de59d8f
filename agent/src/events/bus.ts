import { now } from '../contract/shared.ts';
import type { EventFrame, Payload, Topic, TopicName } from '../contract/topics.ts';

export type EventListener = (event: EventFrame) => void;
/** Starts producing a topic and gives back what stops it. */
export type Producer = () => () => void;

interface Demand {
  producer: Producer;
  stop: (() => void) | undefined;
}

/**
 * Carries events from resources to whoever listens. Nothing is kept: an event without listeners is gone.
 * Topics that cost something to produce (health, log, input_raw) are produced only while somebody listens.
 */
export class EventBus {
  readonly #listeners = new Map<TopicName, Set<EventListener>>();
  readonly #demands = new Map<TopicName, Demand>();

  emit<T extends Topic>(topic: T, payload: Payload<T>): void {
    const listeners = this.#listeners.get(topic.name);
    if (!listeners || listeners.size === 0) return;
    const event: EventFrame = { type: 'event', topic: topic.name, ts: now(), payload };
    for (const listener of [...listeners]) listener(event);
  }

  /** Hears every event of a topic until the returned function is called. */
  listen(name: TopicName, listener: EventListener): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    listeners.add(listener);
    this.#settle(name);
    return () => {
      listeners.delete(listener);
      this.#settle(name);
    };
  }

  /** As `listen`, typed by the topic. */
  on<T extends Topic>(topic: T, listener: (payload: Payload<T>) => void): () => void {
    // What `emit` sends under a topic has been typed by that same topic.
    return this.listen(topic.name, (event) => listener(event.payload as Payload<T>));
  }

  /** Registers the one producer of a costly topic; it runs only while there are listeners. */
  produceOnDemand(topic: Topic, producer: Producer): () => void {
    const demand: Demand = { producer, stop: undefined };
    this.#demands.set(topic.name, demand);
    this.#settle(topic.name);
    return () => {
      demand.stop?.();
      this.#demands.delete(topic.name);
    };
  }

  #settle(name: TopicName): void {
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
