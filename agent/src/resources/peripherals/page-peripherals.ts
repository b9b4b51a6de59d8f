import type { Records } from '../../base/limited-log.ts';
import { errorMessage } from '../../base/system-error.ts';
import { Outbox } from '../page/outbox.ts';
import { messageSize } from '../page/ports.ts';
import type { Answer, CallName, PageEvent } from './page-protocol.ts';
import { readRequest } from './page-requests.ts';
import { PageSession, type Rules } from './page-session.ts';
import { PageTags, type PageTagsOptions } from './page-tags.ts';
import type { DeviceChannelEvent, IoEvent, Kind, PeripheralBrowser, PeripheralIo } from './ports.ts';

const KINDS = ['hid', 'serial', 'usb'] as const;
/** Size of the requests that the page may have made and not got the answers of (`messageSize`). */
const WINDOW = 64;
/** Credits are given in batches, so that not every request costs a command. */
const BATCH = 16;
/** Calls that take as long as the peripheral likes. */
const ENDLESS: ReadonlySet<CallName> = new Set([
  'usb.transfer_in',
  'usb.transfer_out',
  'serial.write',
  'serial.drain',
  'nfc.write',
]);
/**
 * Size of the endless requests whose credits are given back at once, so that a page can still close what it waits for. A
 * program takes no more than 16 transfers of 512 KiB at a time: these do not use up the window behind it.
 */
const MAX_WAITING = 128;
/** What may wait for a page that does not read: more than all its open peripherals have in their windows. */
const OUTBOX_LIMITS = { messages: 4096, characters: 8 * 1024 * 1024 };
/** A program without an open peripheral ends after this time, in ms: a page that is loaded again opens them at once. */
const IDLE_MS = 30_000;

export interface PagePeripheralsOptions {
  browser: Pick<PeripheralBrowser, 'on' | 'send' | 'credit'>;
  io: Readonly<Record<Kind, PeripheralIo>>;
  rules: () => Rules;
  /** Reads what is plugged in; `refresh` is called when the rules have it. Rejects if it cannot be read. */
  reread: () => Promise<void>;
  /** Whether pages of this origin get the channel at all. */
  isServed: (origin: string) => boolean;
  nfc: PageTagsOptions['nfc'];
  /** Whether pages of this origin may use NFC. */
  mayUseTags: (origin: string) => boolean;
  /** A peripheral was opened or closed. */
  changed: () => void;
  log: Records;
  /** For tests, in ms. */
  idleMs?: number;
}

interface Connected {
  channel: number;
  session: PageSession;
  outbox: Outbox;
  /** Size of the endless requests that are not done and whose credits were given back. */
  waiting: number;
  /** Size of the requests whose credits are due. */
  due: number;
}

/** The displayed page's channel for peripherals: one document at a time. */
export class PagePeripherals {
  readonly #options: PagePeripheralsOptions;
  readonly #stopListening: (() => void)[];
  readonly #idle = new Map<Kind, NodeJS.Timeout>();
  #current: Connected | undefined;
  #lastHandle = 0;

  constructor(options: PagePeripheralsOptions) {
    this.#options = options;
    const { browser, io } = options;
    this.#stopListening = [
      browser.on(['device_channel', 'device_message'], (event) => this.#takeEvent(event)),
      ...KINDS.map((kind) => io[kind].listen((event) => this.#takeIo(kind, event))),
    ];
  }

  /** Origin of the page that has a peripheral open, by the peripheral's id. */
  get opened(): ReadonlyMap<string, string> {
    const session = this.#current?.session;
    return new Map(session?.opened.map(({ id }) => [id, session.origin]));
  }

  /** The rules have changed, or something was plugged in or unplugged. */
  refresh(): void {
    this.#current?.session.refresh();
  }

  async stop(): Promise<void> {
    for (const stop of this.#stopListening) stop();
    this.#end();
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
    await this.stopPrograms();
  }

  /** Ends the programs, also those that an agent before this one has left. */
  async stopPrograms(): Promise<void> {
    await Promise.all(KINDS.map((kind) => this.#options.io[kind].stop()));
  }

  #takeEvent(event: DeviceChannelEvent): void {
    if (event.event === 'device_message') {
      const current = this.#current;
      if (current && event.channel === current.channel) void this.#takeRequest(current, event.data);
    } else {
      this.#end();
      if (event.open) this.#begin(event.channel, event.origin);
    }
  }

  #begin(channel: number, origin: string): void {
    const { browser, rules, reread, io, isServed, nfc, mayUseTags } = this.#options;
    if (!isServed(origin)) return;
    const outbox = new Outbox({
      send: (to, data) => browser.send(to, data),
      isOpen: (to) => to === this.#current?.channel,
      limits: OUTBOX_LIMITS,
    });
    const emit = async (event: PageEvent) => void (await this.#send(outbox, channel, event));
    const session = new PageSession({
      origin,
      rules,
      reread,
      io,
      nextHandle: () => (this.#lastHandle += 1),
      tags: new PageTags({ nfc, mayUse: () => mayUseTags(origin), emit }),
      emit,
      changed: () => this.#changed(),
    });
    this.#current = { channel, session, outbox, waiting: 0, due: 0 };
    browser.credit(channel, WINDOW);
  }

  #end(): void {
    const current = this.#current;
    this.#current = undefined;
    current?.session.end();
  }

  /** Requests are begun in their order. Each one, but an endless one, uses the page's credits until it has the answer. */
  async #takeRequest(current: Connected, data: string): Promise<void> {
    const { channel, session, outbox } = current;
    const read = readRequest(data);
    const size = messageSize(data);
    const isEndless = read !== undefined && 'request' in read && ENDLESS.has(read.request.call);
    const isEarly = isEndless && current.waiting + size <= MAX_WAITING;
    if (isEarly) {
      current.waiting += size;
      this.#giveBack(current, size);
    }
    if (read) {
      const answer = 'request' in read ? await session.answer(read.request) : malformed(read.malformed);
      await this.#answer(outbox, channel, answer);
    }
    if (isEarly) current.waiting -= size;
    else this.#giveBack(current, size);
  }

  #giveBack(current: Connected, size: number): void {
    current.due += size;
    if (current !== this.#current || current.due < BATCH) return;
    this.#options.browser.credit(current.channel, current.due);
    current.due = 0;
  }

  /** A page gets an error for an answer that is too large, or for which there is no room: it would wait for ever. */
  async #answer(outbox: Outbox, channel: number, answer: Answer): Promise<void> {
    if (await this.#send(outbox, channel, answer)) return;
    const error = { name: 'OperationError', message: 'The answer is too large.' };
    if ('result' in answer) await this.#send(outbox, channel, { id: answer.id, error });
  }

  /** Does not reject: what a page does not take is lost. @returns whether it has taken it */
  async #send(outbox: Outbox, channel: number, message: Answer | PageEvent): Promise<boolean> {
    try {
      await outbox.send(channel, JSON.stringify(message));
      return true;
    } catch (error) {
      const reason = errorMessage(error);
      this.#options.log.debug({ reason }, 'a page did not take a message about peripherals');
      return false;
    }
  }

  #takeIo(kind: Kind, event: IoEvent): void {
    this.#current?.session.take(kind, event);
  }

  #changed(): void {
    const opened = this.#current?.session.opened ?? [];
    for (const kind of KINDS)
      this.#stopIdle(
        kind,
        opened.some((each) => each.kind === kind),
      );
    this.#options.changed();
  }

  /** Lets a program end that nothing needs. */
  #stopIdle(kind: Kind, isUsed: boolean): void {
    const timer = this.#idle.get(kind);
    if (isUsed) {
      clearTimeout(timer);
      this.#idle.delete(kind);
    } else if (!timer) {
      const { io, idleMs = IDLE_MS } = this.#options;
      const stop = () => {
        this.#idle.delete(kind);
        void io[kind].stop();
      };
      this.#idle.set(kind, setTimeout(stop, idleMs).unref());
    }
  }
}

function malformed(id: number): Answer {
  return { id, error: { name: 'TypeError', message: 'The request is malformed.' } };
}
