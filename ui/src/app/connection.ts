/** The link to the device: requests, and events over one socket that comes back by itself. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { type BrowserChannel, browserTransport } from '../../../client/browser.ts';
import { type EventFrame, isEventOf } from '../../../client/channel.ts';
import { type Client, createClient } from '../../../client/client.ts';
import type { Payloads, TopicName } from '../../../client/contract.ts';
import { type Absence, ANSWER_MS, type LinkEvent, type LinkState, START, step } from './link-state.ts';

type Stop = () => void;

const TICK_MS = 1000;

export class Connection {
  readonly client: Client;
  readonly #transport: ReturnType<typeof browserTransport>;
  #state: LinkState = START;
  readonly #link = signal<LinkState>(START);
  readonly #now = signal(0);
  /** By topic. */
  readonly #handlers = new Map<string, Set<(event: EventFrame) => void>>();
  readonly #openHandlers = new Set<() => void>();
  #channel: BrowserChannel | undefined;
  /** Counts attempts: what an earlier one reports is ignored. */
  #attempt = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param base `http://HOST:PORT/api/v1` */
  constructor(base: string) {
    this.#transport = browserTransport(base);
    this.client = createClient({ transport: this.#transport });
  }

  /** Changes with what people see of it, not whenever the device is heard: that may be hundreds of times a second. */
  get link(): ReadonlySignal<LinkState> {
    return this.#link;
  }

  /** The time in ms, once a second while there is no connection, for elapsed times. */
  get now(): ReadonlySignal<number> {
    return this.#now;
  }

  get isOnline(): boolean {
    return this.#link.value.phase === 'online';
  }

  /** Connects, and keeps the connection until `stop`. */
  start(): void {
    this.#timer = setInterval(() => this.#dispatch({ type: 'tick' }), TICK_MS);
    void this.#connect();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#drop();
  }

  /** Tries at once instead of waiting: the network is back, or the user asks for it. */
  readonly retry = (): void => this.#dispatch({ type: 'wake' });

  /** Says why the device will be away, before it goes. @param absence undefined if it stays, after all */
  expect(absence: Absence | undefined): void {
    this.#dispatch({ type: 'expect', absence });
  }

  /**
   * Calls `handler` for the events of a topic, which the device is asked for.
   * @param handler also gets the time of the event, as ISO 8601
   * @returns what ends that
   */
  on<N extends TopicName>(topic: N, handler: (payload: Payloads[N], ts: string) => void): Stop {
    const isTopic = isEventOf(topic);
    return this.onEvent(topic, (event) => {
      if (isTopic(event)) handler(event.payload, event.ts);
    });
  }

  /** As `on`, with the whole event, for those who take events of any topic. */
  onEvent(topic: TopicName, handler: (event: EventFrame) => void): Stop {
    // The same function may be given twice.
    const take = (event: EventFrame): void => handler(event);
    const handlers = this.#handlers.get(topic) ?? new Set();
    this.#handlers.set(topic, handlers.add(take));
    if (handlers.size === 1) this.#channel?.send({ type: 'subscribe', topics: [topic] });
    return () => {
      if (!handlers.delete(take) || handlers.size > 0) return;
      this.#handlers.delete(topic);
      this.#channel?.send({ type: 'unsubscribe', topics: [topic] });
    };
  }

  /** Calls `handler` whenever the connection is there and all topics are subscribed: now, and after each loss. */
  onOpen(handler: () => void): Stop {
    this.#openHandlers.add(handler);
    if (this.isOnline) handler();
    return () => this.#openHandlers.delete(handler);
  }

  #dispatch(event: LinkEvent): void {
    const now = performance.now();
    const [next, effect] = step(this.#state, event, now);
    this.#state = next;
    if (!looksAlike(next, this.#link.peek())) this.#link.value = next;
    if (next.phase !== 'online' || event.type === 'opened') this.#now.value = now;
    if (effect === 'connect') void this.#connect();
    // The device acknowledges a subscription to nothing as to anything else.
    else if (effect === 'probe') this.#channel?.send({ type: 'subscribe', topics: [] });
    else if (effect === 'drop') this.#drop();
  }

  #drop(): void {
    this.#attempt += 1;
    void this.#channel?.close();
    this.#channel = undefined;
  }

  async #connect(): Promise<void> {
    this.#attempt += 1;
    const attempt = this.#attempt;
    const isCurrent = (): boolean => attempt === this.#attempt;
    const end = (): void => {
      if (!isCurrent()) return;
      this.#channel = undefined;
      this.#dispatch({ type: 'ended' });
    };
    try {
      const channel = await this.#transport.openChannel({
        event: (event) => {
          if (isCurrent()) for (const take of this.#handlers.get(event.topic) ?? []) take(event);
        },
        heard: () => {
          if (isCurrent()) this.#dispatch({ type: 'heard' });
        },
        end,
      });
      if (!isCurrent()) return void channel.close();
      this.#channel = channel;
      const { mark } = channel.others;
      channel.send({ type: 'subscribe', topics: [...this.#handlers.keys()] });
      await channel.frame('subscribed', mark, ANSWER_MS);
      if (!isCurrent()) return;
      this.#dispatch({ type: 'opened' });
      for (const handler of [...this.#openHandlers]) handler();
    } catch {
      // It could not be opened, or the device did not answer on it.
      if (isCurrent()) void this.#channel?.close();
      end();
    }
  }
}

/** Whether two states differ at most in when the device was heard. */
function looksAlike(one: LinkState, other: LinkState): boolean {
  return (
    one.phase === other.phase &&
    one.lostAt === other.lostAt &&
    one.attempts === other.attempts &&
    one.absence === other.absence
  );
}
