import { PeerError } from '../../base/peer-calls.ts';

/** Messages that the browser takes at a time (browser/PROTOCOL.md). */
const MAX_SENT = 16;

interface Outgoing {
  channel: number;
  /** JSON. */
  data: string;
  settle: PromiseWithResolvers<void>;
}

export interface OutboxOptions {
  /** Sends a message to the page; resolves when its listeners have run. Rejects with a PeerError. */
  send: (channel: number, data: string) => Promise<void>;
  /** Whether this channel is still the open one. */
  isOpen: (channel: number) => boolean;
  /** Messages that may wait behind those that the browser has, and their JSON in characters. */
  limits: { messages: number; characters: number };
}

/** Messages for a page, in order. Those that the browser does not take yet wait here. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #waiting: Outgoing[] = [];
  #characters = 0;
  #sent = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Size of the messages that wait, in characters. */
  get characters(): number {
    return this.#characters;
  }

  /**
   * Sends JSON to the page; resolves when the page's listeners have run. A message that is alone may have any size.
   * @throws PeerError `busy` when too many wait, `channel_closed`, and what the browser rejects it with
   */
  async send(channel: number, data: string): Promise<void> {
    const { messages, characters } = this.#options.limits;
    const isFull = this.#waiting.length > 0 && this.#characters + data.length > characters;
    if (this.#waiting.length >= messages || isFull) {
      throw new PeerError('busy', 'the page has not taken the messages before this one');
    }
    const settle = Promise.withResolvers<void>();
    this.#waiting.push({ channel, data, settle });
    this.#characters += data.length;
    this.#sendWaiting();
    await settle.promise;
  }

  #sendWaiting(): void {
    while (this.#sent < MAX_SENT) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#characters -= next.data.length;
      this.#sent += 1;
      this.#pass(next)
        .then(next.settle.resolve, next.settle.reject)
        .finally(() => {
          this.#sent -= 1;
          this.#sendWaiting();
        });
    }
  }

  async #pass({ channel, data }: Outgoing): Promise<void> {
    if (!this.#options.isOpen(channel)) throw new PeerError('channel_closed', 'the page closed its channel');
    await this.#options.send(channel, data);
  }
}
