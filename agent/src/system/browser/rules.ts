/**
 * Every rule of the protocol that a browser has to keep (browser/PROTOCOL.md). Its user runs what pages bring, so the
 * browser's end is hostile: what it may not send ends its connection, and what it may send costs.
 */

import { ProtocolViolation } from '../../base/json-line-peer.ts';
import type { PeerCalls } from '../../base/peer-calls.ts';
import { messageSize } from '../../resources/page/ports.ts';
import type { Valid } from '../../validation/validator.ts';
import { Answer, Blocked, Channel, Console, Event, Message, Named, Resource } from './messages.ts';
import { PartsReader } from './parts.ts';

/** Longest text that comes in parts: a screenshot of a 4K screen full of noise, in base64. */
const MAX_PICTURE_LENGTH = 48 * 1024 * 1024;
/** The same while no screenshot is being made: a script's result. */
const MAX_TEXT_LENGTH = 4 * 1024 * 1024;
/** Longest message of a page, in bytes. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Requests of pages that the agent has not answered: the browser sends 32, and some are answered meanwhile. */
const MAX_RESOURCES = 64;
/** Kinds of unknown messages that are logged. */
const MAX_LOGGED_KINDS = 20;
/** What anything but an event costs, compared with an event: parts and messages of the page come by the thousand. */
const CHEAP = 0.01;

export type ChannelKind = Valid<typeof Channel>['kind'];

interface OpenChannel {
  channel: number;
  /** Size of the messages that the page may send; below 0 after a large one. */
  credits: number;
}

export interface PeerHandlers {
  answer(answer: Valid<typeof Answer>): void;
  event(event: Valid<typeof Event>): void;
  channel(channel: Valid<typeof Channel>): void;
  message(message: Valid<typeof Message>, kind: ChannelKind): void;
  resource(request: Valid<typeof Resource>): void;
  console(message: Valid<typeof Console>): void;
  /** Something that is ignored; the fields are short. */
  ignored(fields: object, reason: string): void;
}

/** What the agent has asked of the browser. */
export type IssuedCalls = Pick<PeerCalls<unknown>, 'lastId' | 'isWaiting' | 'isExpected'>;

/** Reads the messages of one browser that has said hello, in order. */
export class ProtocolRules {
  readonly #calls: IssuedCalls;
  readonly #handlers: PeerHandlers;
  readonly #parts: PartsReader;
  readonly #loggedKinds = new Set<string>();
  /** Those that are open. Each has a number and credits of its own. */
  readonly #channels = new Map<ChannelKind, OpenChannel>();
  /** Highest number of a channel of any kind. */
  #lastChannel = 0;
  #resources = 0;

  constructor(calls: IssuedCalls, handlers: PeerHandlers) {
    this.#calls = calls;
    this.#handlers = handlers;
    this.#parts = new PartsReader(() =>
      calls.isExpected('screenshot') ? MAX_PICTURE_LENGTH : MAX_TEXT_LENGTH,
    );
  }

  /** The agent sends credits. */
  credited(channel: number, size: number): void {
    const open = this.#find(channel)?.[1];
    if (open) open.credits += size;
  }

  /** The agent has answered what a page fetched, or cannot any more. */
  answered(): void {
    this.#resources -= 1;
  }

  /**
   * Takes a message, and calls its handler.
   * @returns what it costs: 1 for an event, less for anything else
   * @throws ProtocolViolation
   */
  take(received: object): number {
    const message = this.#parts.take(received);
    if (message === undefined) return CHEAP;
    if ('id' in message) return this.#takeAnswer(message);
    if (!Named.fits(message)) throw new ProtocolViolation('a message is neither an event nor an answer');
    return this.#takeEvent(message);
  }

  #takeAnswer(message: object): number {
    if (!Answer.fits(message)) throw new ProtocolViolation('an answer is malformed');
    if (message.id > this.#calls.lastId) throw new ProtocolViolation('an answer is to no command');
    // It came too late, or answers what the browser could not read.
    if (this.#calls.isWaiting(message.id)) this.#handlers.answer(message);
    return CHEAP;
  }

  #takeEvent(message: Valid<typeof Named>): number {
    switch (message.event) {
      case 'load':
      case 'load_failed':
      case 'moved':
      case 'painted':
      case 'page_gone':
      case 'pac_failed':
        if (!Event.fits(message)) break;
        this.#handlers.event(message);
        return 1;
      case 'channel':
        if (!Channel.fits(message)) break;
        return this.#takeChannel(message);
      case 'message':
        if (!Message.fits(message)) break;
        return this.#takeMessage(message);
      case 'resource':
        if (!Resource.fits(message)) break;
        return this.#takeResource(message);
      case 'console':
        if (!Console.fits(message)) break;
        this.#handlers.console(message);
        return 1;
      case 'blocked':
        if (!Blocked.fits(message)) break;
        this.#handlers.ignored(
          { what: message.what, detail: message.detail.slice(0, 200) },
          'refused a page',
        );
        return CHEAP;
      case 'hello':
        throw new ProtocolViolation('a second hello');
      default:
        this.#logUnknown(message.event.slice(0, 50));
        return CHEAP;
    }
    throw new ProtocolViolation(`an event ${message.event} is malformed`);
  }

  #takeChannel(message: Valid<typeof Channel>): number {
    const { kind, channel, open } = message;
    if (open && channel <= this.#lastChannel) throw new ProtocolViolation('a channel was opened before');
    if (!open && channel !== this.#channels.get(kind)?.channel) return CHEAP;
    if (open) this.#channels.set(kind, { channel, credits: 0 });
    else this.#channels.delete(kind);
    this.#lastChannel = Math.max(this.#lastChannel, channel);
    this.#handlers.channel(message);
    return 1;
  }

  #takeMessage(message: Valid<typeof Message>): number {
    if (Buffer.byteLength(message.data) > MAX_MESSAGE_BYTES) {
      throw new ProtocolViolation('a message of the page is too long');
    }
    const found = this.#find(message.channel);
    if (!found) return CHEAP;
    const [kind, open] = found;
    if (open.credits <= 0) throw new ProtocolViolation('a message of the page came without credits');
    open.credits -= messageSize(message.data);
    this.#handlers.message(message, kind);
    return CHEAP;
  }

  #find(channel: number): [ChannelKind, OpenChannel] | undefined {
    return [...this.#channels].find(([, open]) => open.channel === channel);
  }

  #takeResource(message: Valid<typeof Resource>): number {
    if (this.#resources >= MAX_RESOURCES) throw new ProtocolViolation('too many resources are fetched');
    this.#resources += 1;
    this.#handlers.resource(message);
    return 1;
  }

  #logUnknown(event: string): void {
    if (this.#loggedKinds.size >= MAX_LOGGED_KINDS || this.#loggedKinds.has(event)) return;
    this.#loggedKinds.add(event);
    this.#handlers.ignored({ event }, 'ignored an unknown event of the browser');
  }
}
