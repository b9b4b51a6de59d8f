/** Events of a device over many connections, one after the other. Uses nothing of Node. */
import { type EventChannel, type EventFrame, isEventOf, RefusedError } from './channel.ts';
import type { Transport } from './client.ts';
import type { EventOf, TopicName } from './contract.ts';

/** How long to wait before a connection is tried again, in ms: at first, and at most. */
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 5000;
/** Events of a stream that wait for a program which does not take them. */
const MAX_WAITING = 10_000;

/** Who gets events. */
export interface HubListener {
  topics: readonly TopicName[];
  /** Whether it gets the present states at first and after each reconnection. */
  snapshot?: boolean | undefined;
  event(event: EventFrame): void;
  /** The device sends the events from now on: at first, and after each reconnection. Those before were missed. */
  connected?(): void;
  /** There is no connection. It is tried again. */
  disconnected?(error: Error): void;
  /** The device refuses the topics. Nothing follows. */
  refused?(error: Error): void;
}

export interface StreamOptions {
  /** Ends the stream. */
  signal?: AbortSignal;
  /**
   * Begins with the present state of each topic that reports one, and gives it again after each reconnection, so that no
   * state is missed. Another stream of the same device may get it as a further event.
   */
  snapshot?: boolean;
  /**
   * Called when the events flow, at first and after each reconnection: read again what may have changed meanwhile. If it
   * throws, or returns a promise that rejects, the stream ends with that error.
   */
  onConnected?: () => unknown;
  /** Called when the connection is lost or cannot be opened. It is tried again. */
  onDisconnected?: (error: Error) => void;
}

/**
 * One connection for all who listen. It is opened for the first one, opened again with all subscriptions when it is lost,
 * and closed after the last one.
 */
export class EventHub {
  readonly #transport: Transport;
  readonly #listeners = new Set<HubListener>();
  /** The connection and what it is subscribed to, once it is subscribed to what all want. */
  #connection: { channel: EventChannel; topics: Set<TopicName> } | undefined;
  #isRunning = false;
  #isClosed = false;
  /** Resolves when nobody listens any more. */
  #idle = Promise.withResolvers<void>();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** @returns removes the listener */
  add(listener: HubListener): () => void {
    if (this.#isClosed) throw new Error('this program has closed the connection to the device');
    this.#listeners.add(listener);
    if (this.#connection) void this.#include(this.#connection, listener);
    else if (!this.#isRunning) void this.#run();
    return () => this.#remove(listener);
  }

  /**
   * The events of topics, over reconnections.
   * @throws Error when the device refuses the topics, or when 10 000 events wait to be taken
   */
  async *stream<N extends TopicName>(
    topics: readonly N[],
    { signal, snapshot, onConnected, onDisconnected }: StreamOptions = {},
  ): AsyncGenerator<EventOf<N>, void, undefined> {
    const waiting: EventOf<N>[] = [];
    const isWanted = topics.map((topic) => isEventOf(topic));
    const isOne = (event: EventFrame): event is EventOf<N> => isWanted.some((isIt) => isIt(event));
    let arrival = Promise.withResolvers<void>();
    let failure: Error | undefined;
    let isEnded = signal?.aborted ?? false;
    const end = (error?: Error): void => {
      failure ??= error;
      isEnded = true;
      arrival.resolve();
    };
    const stop = (): void => end();
    signal?.addEventListener('abort', stop);
    const remove = this.add({
      ...{ topics, snapshot },
      event: (event) => {
        if (!isOne(event)) return;
        waiting.push(event);
        if (waiting.length > MAX_WAITING) end(new Error(`more than ${MAX_WAITING} events wait to be taken`));
        arrival.resolve();
      },
      connected: () => void new Promise((resolve) => resolve(onConnected?.())).catch(end),
      disconnected: (error) => (this.#isClosed ? end() : onDisconnected?.(error)),
      refused: end,
    });
    try {
      while (!isEnded) {
        const event = waiting.shift();
        if (event) yield event;
        else {
          await arrival.promise;
          arrival = Promise.withResolvers();
        }
      }
      if (failure) throw failure;
    } finally {
      signal?.removeEventListener('abort', stop);
      remove();
    }
  }

  /** Ends all streams, and the connection if it carries nothing but events. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const listener of [...this.#listeners]) {
      listener.disconnected?.(new Error('this program has closed the connection to the device'));
      this.#remove(listener);
    }
  }

  #remove(listener: HubListener): void {
    if (!this.#listeners.delete(listener)) return;
    if (this.#listeners.size === 0) this.#idle.resolve();
    else if (this.#connection) {
      const { channel, topics } = this.#connection;
      const wanted = this.#topics();
      const gone = [...topics].filter((topic) => !wanted.has(topic));
      for (const topic of gone) topics.delete(topic);
      if (gone.length > 0) channel.send({ type: 'unsubscribe', topics: gone });
    }
  }

  #topics(): Set<TopicName> {
    return new Set([...this.#listeners].flatMap(({ topics }) => topics));
  }

  /** Subscribes to what a new listener wants besides. */
  async #include(connection: { channel: EventChannel; topics: Set<TopicName> }, listener: HubListener) {
    const others = listener.topics.filter((topic) => !connection.topics.has(topic));
    for (const topic of others) connection.topics.add(topic);
    try {
      await subscribe(connection.channel, listener, others);
      if (this.#connection === connection && this.#listeners.has(listener)) listener.connected?.();
    } catch (error) {
      for (const topic of others) connection.topics.delete(topic);
      // Any other failure is the end of the connection.
      if (error instanceof RefusedError) this.#refuse(listener, error);
    }
  }

  #refuse(listener: HubListener, error: Error): void {
    listener.refused?.(error);
    this.#remove(listener);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    let delay = FIRST_DELAY_MS;
    while (this.#listeners.size > 0) {
      this.#idle = Promise.withResolvers();
      const error = await this.#serve(() => {
        delay = FIRST_DELAY_MS;
      });
      if (!error) continue;
      for (const listener of [...this.#listeners]) listener.disconnected?.(error);
      const pause = delay;
      await Promise.race([this.#idle.promise, new Promise((resolve) => setTimeout(resolve, pause))]);
      delay = Math.min(2 * delay, MAX_DELAY_MS);
    }
    this.#isRunning = false;
  }

  /** Keeps one connection until it ends or nobody listens. @returns why it has ended; undefined if nobody listens */
  async #serve(onUp: () => void): Promise<Error | undefined> {
    let channel: EventChannel | undefined;
    let ignore = (): void => undefined;
    const topics = new Set<TopicName>();
    try {
      channel = await this.#transport.openChannel();
      ignore = channel.onEvent((event) => this.#pass(event));
      // One listener after the other, so that each gets the refusal of its own topics only.
      const served = new Set<HubListener>();
      for (;;) {
        const next = [...this.#listeners].find((listener) => !served.has(listener));
        if (!next) break;
        served.add(next);
        const missing = next.topics.filter((topic) => !topics.has(topic));
        try {
          await subscribe(channel, next, missing);
          for (const topic of missing) topics.add(topic);
        } catch (error) {
          if (!(error instanceof RefusedError)) throw error;
          this.#refuse(next, error);
        }
      }
      if (this.#listeners.size === 0) return undefined;
      this.#connection = { channel, topics };
      onUp();
      for (const listener of [...this.#listeners]) listener.connected?.();
      for (;;) {
        const ended = await Promise.race([channel.ended, this.#idle.promise]);
        if (ended) return ended;
        if (this.#listeners.size === 0) return undefined;
        // Somebody else has begun to listen meanwhile.
        this.#idle = Promise.withResolvers();
      }
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      this.#connection = undefined;
      ignore();
      if (!this.#transport.carriesEvents) await channel?.close();
      else if (topics.size > 0) channel?.send({ type: 'unsubscribe', topics: [...topics] });
    }
  }

  #pass(event: EventFrame): void {
    for (const listener of [...this.#listeners]) {
      if (listener.topics.some((topic) => topic === event.topic)) listener.event(event);
    }
  }
}

/** @param missing those of the listener's topics that the connection is not subscribed to */
async function subscribe(
  channel: EventChannel,
  { topics, snapshot }: HubListener,
  missing: readonly TopicName[],
): Promise<void> {
  // The states of topics that others listen to already, too.
  if (snapshot) await channel.subscribeWithSnapshot(...topics);
  else if (missing.length > 0) await channel.subscribe(...missing);
}
