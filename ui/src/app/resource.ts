/** A part of the device's state: read once, then kept up to date by events, and read again after each reconnect. */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { Client } from '../../../client/client.ts';
import type { TopicName } from '../../../client/contract.ts';
import type { Connection } from './connection.ts';

/** How often a state is read if each answer is overtaken by an event; with events that frequent, the next one tells. */
const READ_AT_MOST = 3;

type Link = Pick<Connection, 'client' | 'on' | 'onOpen'>;

export interface ResourceOptions<T> {
  /** Reads the whole state. */
  load: (client: Client) => Promise<T>;
  /** Follows the topic that carries the whole state, if there is one: `(set) => connection.on('display_state', set)`. */
  follow?: (set: (value: T) => void) => () => void;
  /** Topics after whose events the state is read again. */
  refreshOn?: readonly TopicName[];
}

export class Resource<T> {
  /** Undefined until it was read. The last state stays when the connection is lost. */
  readonly value: ReadonlySignal<T | undefined>;
  /** Why the last reading failed; undefined if it has not. */
  readonly error: ReadonlySignal<unknown>;
  readonly #link: Link;
  readonly #options: ResourceOptions<T>;
  readonly #value = signal<T | undefined>(undefined);
  readonly #error = signal<unknown>(undefined);
  /** Of several readings at a time only the last one counts. */
  #readings = 0;
  #events = 0;
  #users = 0;
  #stops: (() => void)[] = [];

  constructor(link: Link, options: ResourceOptions<T>) {
    this.value = this.#value;
    this.error = this.#error;
    this.#link = link;
    this.#options = options;
  }

  /** Keeps the state up to date until the returned function is called; several users share one subscription. */
  use(): () => void {
    this.#users += 1;
    if (this.#users === 1) this.#stops = this.#begin();
    let isUsed = true;
    return () => {
      if (!isUsed) return;
      isUsed = false;
      this.#users -= 1;
      if (this.#users > 0) return;
      for (const stop of this.#stops.splice(0)) stop();
    };
  }

  /** Reads the state now. Never rejects: `error` has the reason. */
  async refresh(): Promise<void> {
    this.#readings += 1;
    const reading = this.#readings;
    for (let left = READ_AT_MOST; left > 0; left -= 1) {
      const events = this.#events;
      const isLatest = (): boolean => reading === this.#readings && events === this.#events;
      try {
        const value = await this.#options.load(this.#link.client);
        if (isLatest()) this.#set(value);
      } catch (error) {
        if (isLatest()) this.#error.value = error;
        return;
      }
      // An event that came meanwhile may be older than the answer or newer: only another answer tells.
      if (reading !== this.#readings || events === this.#events) return;
    }
  }

  #begin(): (() => void)[] {
    const { follow, refreshOn = [] } = this.#options;
    const refresh = (): void => void this.refresh();
    return [
      ...(follow ? [follow((value) => this.#receive(value))] : []),
      ...refreshOn.map((topic) => this.#link.on(topic, refresh)),
      this.#link.onOpen(refresh),
    ];
  }

  #receive(value: T): void {
    this.#events += 1;
    this.#set(value);
  }

  #set(value: T): void {
    this.#value.value = value;
    this.#error.value = undefined;
  }
}
