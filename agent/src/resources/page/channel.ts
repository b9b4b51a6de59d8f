import { ApiError } from '../../contract/errors.ts';
import type { EventBus } from '../../events/bus.ts';
import { type FailureErrors, pageError } from './failures.ts';
import { Outbox } from './outbox.ts';
import { messageSize, type PageBrowser, type PageEvent } from './ports.ts';
import { pageChannel, pageChannelClosed, pageMessage } from './schema.ts';

/** Size of the page's messages that are on their way to the hosts. The page keeps further ones. */
const WINDOW = 64;
/** Messages that wait for the page behind those that the browser has, and their JSON in characters. */
const OUTBOX_LIMITS = { messages: 256, characters: 8 * 1024 * 1024 };

const BUSY = ['too_many_requests', 'The page has not taken the messages before this one.'] as const;
const ERRORS: FailureErrors = {
  channel_closed: [pageChannelClosed],
  disconnected: [pageChannelClosed],
  too_large: ['payload_too_large', 'A message has at most 1 MiB of JSON.'],
  busy: BUSY,
  timeout: ['unavailable', 'The page does not take messages: it hangs.'],
};

/** Queued for the hosts: a channel state or a page message. */
type HostEvent = { open: boolean } | { message: string; size: number };

/**
 * The channel between hosts and the displayed page. The page's messages reach every subscribed host that reads: the next
 * one is sent when all hosts have been sent the one before, and the page may only send as many as can wait here.
 */
export class PageChannel {
  readonly #bus: EventBus;
  readonly #browser: PageBrowser;
  readonly #stopListening: () => void;
  #isTargetThere = () => false;
  /** Number of the channel that the displayed page has opened; 0 while there is none. */
  #channel = 0;
  /** What hosts were told last. */
  #announced = false;
  /** Size of what the page may still send without a further credit; below 0 after a large message. */
  #credits = 0;
  readonly #queue: HostEvent[] = [];
  #isDelivering = false;
  readonly #outbox: Outbox;

  constructor(bus: EventBus, browser: PageBrowser) {
    this.#bus = bus;
    this.#browser = browser;
    this.#outbox = new Outbox({
      send: (channel, data) => browser.send(channel, data),
      isOpen: (channel) => this.isOpen && channel === this.#channel,
      limits: OUTBOX_LIMITS,
    });
    this.#stopListening = browser.on(['channel', 'message'], (event) => this.#take(event));
  }

  stop(): void {
    this.#stopListening();
  }

  get isOpen(): boolean {
    return this.#channel !== 0 && this.#isTargetThere();
  }

  /**
   * @param isTargetThere whether the page on the screen belongs to the last target. Before that, the channel is closed
   *   for hosts: no message reaches the page that is to be replaced, and none comes from it.
   */
  setTarget(isTargetThere: () => boolean): void {
    this.#isTargetThere = isTargetThere;
  }

  /** Whether the target is there may have changed. */
  targetChanged(): void {
    this.#update();
  }

  /**
   * Sends JSON to the page; resolves when the page's listeners have run. Messages arrive in order.
   * @throws ApiError `page_channel_closed`, `payload_too_large` above 1 MiB, `too_many_requests`, `unavailable` when the
   * page hangs
   */
  async send(message: unknown): Promise<void> {
    if (!this.isOpen) throw new ApiError(pageChannelClosed);
    await this.#outbox
      .send(this.#channel, JSON.stringify(message))
      .catch((error: unknown) => Promise.reject(pageError(ERRORS, error)));
  }

  #take(event: PageEvent): void {
    if (event.event === 'message') {
      const size = messageSize(event.data);
      this.#credits -= size;
      if (!this.isOpen) return;
      this.#queue.push({ message: event.data, size });
      void this.#deliver();
    } else {
      this.#channel = event.open ? event.channel : 0;
      this.#credits = 0;
      this.#update();
    }
  }

  #update(): void {
    const { isOpen } = this;
    if (isOpen === this.#announced) return;
    this.#announced = isOpen;
    this.#addState(isOpen);
    void this.#deliver();
  }

  /** Collapses repeated open/close states, so toggling cannot grow the queue. */
  #addState(open: boolean): void {
    const last = this.#queue.at(-1);
    const before = this.#queue.at(-2);
    const isRepeated = last && 'open' in last && before && 'open' in before && before.open === open;
    if (isRepeated) this.#queue.pop();
    else this.#queue.push({ open });
  }

  async #deliver(): Promise<void> {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    this.#giveCredits();
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      if ('open' in next) this.#bus.emit(pageChannel, next);
      else this.#bus.emitJson(pageMessage, next.message);
      this.#giveCredits();
      await this.#bus.drained(pageMessage);
    }
    this.#isDelivering = false;
  }

  #giveCredits(): void {
    if (!this.isOpen) return;
    const waiting = this.#queue.reduce((sum, each) => sum + ('size' in each ? each.size : 0), 0);
    const credits = WINDOW - waiting - this.#credits;
    // In batches, so that not every message of the page costs a command.
    if (credits < WINDOW / 2) return;
    this.#credits += credits;
    this.#browser.credit(this.#channel, credits);
  }
}
