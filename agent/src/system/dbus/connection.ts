import { Socket } from 'node:net';
import type { Message, MessageBus } from 'dbus-next';
import type { Logger } from '../../base/logger.ts';
import { withTimeout } from '../../base/timeout.ts';
import { BusError, type BusValue, encode, library, plain } from './values.ts';

const CONNECT_TIMEOUT_MS = 15_000;
const CALL_TIMEOUT_MS = 20_000;
const CLOSE_TIMEOUT_MS = 1000;
/** Calls to one service that wait for a reply; a service that never replies must not block the others. */
export const MAX_PENDING_CALLS = 64;
/** Bytes that may wait for the bus daemon to read them. */
const MAX_UNSENT_BYTES = 1024 * 1024;
const NO_REPLY_EXPECTED = 1;

export interface BusCall {
  destination: string;
  path: string;
  interface: string;
  member: string;
  args?: readonly BusValue[];
  /** In ms, 20 s by default. */
  timeoutMs?: number;
}

/** A received signal or method call. Its arguments are without variants and not validated (`shaped`). */
export interface IncomingMessage {
  /** Unique name of the sender, set by the bus daemon. */
  sender: string;
  path: string;
  interface: string;
  member: string;
  args: readonly unknown[];
}

export interface ConnectionEvents {
  /** Must not throw. */
  signal(signal: IncomingMessage): void;
  /** Gives the reply's arguments. A BusError becomes the error reply; any other error is logged. */
  call(call: IncomingMessage): Promise<readonly BusValue[]>;
}

interface PendingCall extends PromiseWithResolvers<readonly unknown[]> {
  destination: string;
}

/** One connection to a message bus. It does not reconnect. */
export class BusConnection {
  readonly #events: ConnectionEvents;
  readonly #log: Logger;
  readonly #bus: MessageBus;
  readonly #socket: Socket;
  /** By serial number. */
  readonly #pending = new Map<number, PendingCall>();
  #error: BusError | undefined;
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;

  private constructor(address: string, events: ConnectionEvents, log: Logger) {
    this.#events = events;
    this.#log = log;
    // With `path` the library would prefer the optional package usocket, whose sockets are not Node's.
    const bus = library().sessionBus({ busAddress: address.replace(/^unix:path=/, 'unix:socket=') });
    const socket = socketOf(bus);
    this.#bus = bus;
    this.#socket = socket;
    // The library reports errors of the socket and of messages, but not the end of the connection.
    let reason = 'the bus closed the connection';
    bus.on('error', (error: unknown) => {
      if (error instanceof Error) reason = error.message;
      socket.destroy();
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    socket.once('close', () => {
      this.#error ??= new BusError('vitrine.Disconnected', reason);
      for (const pending of this.#pending.values()) pending.reject(this.#error);
      resolve();
    });
    // Only one message in each turn of the event loop: whoever awaits a reply goes on before the next message.
    bus.on('message', (message) => setImmediate(() => this.#receive(message)));
    bus.addMethodHandler(() => true);
  }

  /** @throws BusError when there is no bus or it does not answer within 15 s */
  static async open(address: string, events: ConnectionEvents, log: Logger): Promise<BusConnection> {
    const connection = new BusConnection(address, events, log);
    const connected = Promise.withResolvers<void>();
    connection.#bus.once('connect', connected.resolve);
    void connection.ended.then(() => connected.reject(connection.#error));
    try {
      await withTimeout(connected.promise, CONNECT_TIMEOUT_MS, () =>
        timeoutError('the system bus', CONNECT_TIMEOUT_MS),
      );
      return connection;
    } catch (error) {
      connection.#socket.destroy();
      throw error;
    }
  }

  /**
   * Calls a method and returns the reply's arguments. Whoever awaits them goes on before any later message is handled.
   * @throws BusError when the reply is an error, does not come in time, the connection ends, or too many calls wait
   */
  async call({ timeoutMs = CALL_TIMEOUT_MS, args = [], ...header }: BusCall): Promise<readonly unknown[]> {
    const { destination, interface: iface, member } = header;
    const waiting = [...this.#pending.values()].filter((call) => call.destination === destination);
    if (waiting.length >= MAX_PENDING_CALLS) {
      throw new BusError('vitrine.Busy', `too many unanswered calls to ${destination}`);
    }
    const message = new (library().Message)({ ...header, ...encodeAll(args) });
    const serial = this.#bus.newSerial();
    message.serial = serial;
    this.#send(message);
    const pending: PendingCall = { destination, ...Promise.withResolvers() };
    this.#pending.set(serial, pending);
    try {
      return await withTimeout(pending.promise, timeoutMs, () =>
        timeoutError(`${iface}.${member}`, timeoutMs),
      );
    } finally {
      this.#pending.delete(serial);
    }
  }

  /** Sends what is still unsent and closes, within a second. */
  async close(): Promise<void> {
    this.#error ??= new BusError('vitrine.Disconnected', 'the connection was closed');
    this.#bus.disconnect();
    await withTimeout(this.ended, CLOSE_TIMEOUT_MS).catch(() => this.#socket.destroy());
  }

  #send(message: Message): void {
    if (this.#error) throw this.#error;
    if (this.#socket.writableLength > MAX_UNSENT_BYTES) {
      throw new BusError('vitrine.Busy', 'the bus does not read what it is sent');
    }
    this.#bus.send(message);
  }

  #receive(message: Message): void {
    const { MessageType } = library();
    const { type, sender, path, interface: iface, member, errorName } = message;
    const args = message.body.map(plain);
    const incoming = { sender, path, interface: iface, member, args };
    const pending = this.#pending.get(Number(message.replySerial));
    if (type === MessageType.SIGNAL) this.#events.signal(incoming);
    else if (type === MessageType.METHOD_RETURN) pending?.resolve(args);
    else if (type === MessageType.ERROR) {
      pending?.reject(new BusError(errorName, typeof args[0] === 'string' ? args[0] : errorName));
    } else {
      this.#answer(message, incoming).catch((error: unknown) =>
        this.#log.warn({ err: error, member }, 'a D-Bus reply was not sent'),
      );
    }
  }

  async #answer(call: Message, incoming: IncomingMessage): Promise<void> {
    const { Message, MessageType } = library();
    let reply: Message;
    try {
      const { signature, body } = encodeAll(await this.#events.call(incoming));
      reply = Message.newMethodReturn(call, signature, body);
    } catch (error) {
      const isReply = error instanceof BusError;
      if (!isReply) this.#log.error({ err: error, member: call.member }, 'a D-Bus method failed');
      reply = Message.newMethodReturn(call, 's', [isReply ? error.message : 'The method failed.']);
      reply.type = MessageType.ERROR;
      reply.errorName = isReply ? error.errorName : 'org.freedesktop.DBus.Error.Failed';
    }
    if ((call.flags & NO_REPLY_EXPECTED) === 0) this.#send(reply);
  }
}

function encodeAll(args: readonly BusValue[]): { signature: string; body: unknown[] } {
  return { signature: args.map(([type]) => type).join(''), body: args.map(encode) };
}

function timeoutError(what: string, ms: number): BusError {
  return new BusError('vitrine.Timeout', `${what}: no answer in ${ms} ms`);
}

/** The library keeps its socket private, although it reports neither its end nor how much is unsent. */
function socketOf(bus: MessageBus): Socket {
  const { stream }: { stream?: unknown } = Object(Reflect.get(bus, '_connection'));
  if (!(stream instanceof Socket)) throw new Error('dbus-next does not use a socket of Node');
  return stream;
}
