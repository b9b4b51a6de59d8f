import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import type { Message, MessageBus } from 'dbus-next';
import type { Logger } from '../base/logger.ts';
import { withTimeout } from '../base/timeout.ts';
import { BusError, type BusValue, encode, plain } from './dbus-values.ts';

// Loaded when the bus is first needed: loading the package takes longer than starting the agent.
const require = createRequire(import.meta.url);
let loaded: typeof import('dbus-next') | undefined;
function library(): typeof import('dbus-next') {
  loaded ??= require('dbus-next') as typeof import('dbus-next');
  return loaded;
}

/** Name and interface of the bus daemon. */
export const DAEMON = 'org.freedesktop.DBus';

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
  signal(signal: IncomingMessage): void;
  /** Gives the reply's arguments. A BusError becomes the error reply; any other error is logged. */
  call(call: IncomingMessage): Promise<readonly BusValue[]>;
  /** Called once when the connection has ended, unless it failed to open. */
  end(): void;
}

interface PendingCall {
  destination: string;
  /** Both run while the message is handled, so before any later message is. */
  resolve(args: readonly unknown[]): void;
  reject(error: BusError): void;
}

/** One connection to a message bus. It does not reconnect. */
export class BusConnection {
  readonly #events: ConnectionEvents;
  readonly #log: Logger;
  readonly #bus: MessageBus;
  readonly #socket: Socket;
  readonly #pending = new Map<number, PendingCall>();
  #ended: BusError | undefined;

  private constructor(address: string, events: ConnectionEvents, log: Logger) {
    this.#events = events;
    this.#log = log;
    const { bus, socket } = openSocket(address);
    this.#bus = bus;
    this.#socket = socket;
    // The library reports errors of the socket and of messages, but not the end of the connection.
    let reason = 'the bus closed the connection';
    bus.on('error', (error: unknown) => {
      if (error instanceof Error) reason = error.message;
      socket.destroy();
    });
    socket.once('close', () => this.#end(new BusError('vitrine.Disconnected', reason)));
    bus.on('message', (message) => this.#receive(message));
    bus.addMethodHandler((message: Message) => {
      void this.#answer(message);
      return true;
    });
  }

  /** @throws BusError when there is no bus or it does not answer within 15 s */
  static async open(address: string, events: ConnectionEvents, log: Logger): Promise<BusConnection> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let open = false;
    const connection = new BusConnection(
      address,
      { ...events, end: () => (open ? events.end() : reject(connection.#ended)) },
      log,
    );
    connection.#bus.once('connect', resolve);
    try {
      await withTimeout(promise, CONNECT_TIMEOUT_MS, () =>
        timeoutError('the system bus', CONNECT_TIMEOUT_MS),
      );
    } catch (error) {
      connection.#socket.destroy();
      throw error;
    }
    // The connection may have ended since the library reported it.
    if (connection.#ended) throw connection.#ended;
    open = true;
    return connection;
  }

  /**
   * Calls a method.
   * @param parse checks the reply's arguments. It runs before any later message is handled.
   * @throws BusError when the reply is an error, does not come in time, the connection ends, or too many calls wait;
   *   and what `parse` throws
   */
  async call<T>(call: BusCall, parse: (args: readonly unknown[]) => T): Promise<T> {
    const { timeoutMs = CALL_TIMEOUT_MS, args = [], ...header } = call;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (this.#ended) throw this.#ended;
    const waiting = [...this.#pending.values()].filter(({ destination }) => destination === call.destination);
    // The daemon answers at once; each of its calls comes from a subscription.
    if (waiting.length >= MAX_PENDING_CALLS && call.destination !== DAEMON) {
      throw new BusError('vitrine.Busy', `too many unanswered calls to ${call.destination}`);
    }
    const message = new (library().Message)({ ...header, ...this.#encode(args) });
    const serial = this.#bus.newSerial();
    message.serial = serial;
    this.#pending.set(serial, {
      destination: call.destination,
      resolve: (values) => {
        try {
          resolve(parse(values));
        } catch (error) {
          reject(error);
        }
      },
      reject,
    });
    try {
      this.#send(message);
      return await withTimeout(promise, timeoutMs, () =>
        timeoutError(`${call.interface}.${call.member}`, timeoutMs),
      );
    } finally {
      this.#pending.delete(serial);
    }
  }

  /** Sends what is still unsent and closes, within a second. */
  async close(): Promise<void> {
    this.#ended ??= new BusError('vitrine.Disconnected', 'the connection was closed');
    const closed = once(this.#socket, 'close');
    this.#bus.disconnect();
    await withTimeout(closed, CLOSE_TIMEOUT_MS).catch(() => this.#socket.destroy());
  }

  #encode(args: readonly BusValue[]): { signature: string; body: unknown[] } {
    const { Variant } = library();
    return {
      signature: args.map(([type]) => type).join(''),
      body: args.map((typed) => encode(typed, Variant)),
    };
  }

  #send(message: Message): void {
    if (this.#socket.writableLength > MAX_UNSENT_BYTES) {
      throw new BusError('vitrine.Busy', 'the bus does not read what it is sent');
    }
    this.#bus.send(message);
  }

  #receive(message: Message): void {
    const { MessageType } = library();
    if (message.type === MessageType.SIGNAL) this.#events.signal(this.#incoming(message));
    const pending = this.#pending.get(Number(message.replySerial));
    if (message.type === MessageType.METHOD_RETURN) pending?.resolve(this.#incoming(message).args);
    if (message.type === MessageType.ERROR) {
      const [text] = this.#incoming(message).args;
      pending?.reject(new BusError(message.errorName, typeof text === 'string' ? text : message.errorName));
    }
  }

  async #answer(call: Message): Promise<void> {
    const { Message, MessageType } = library();
    let reply: Message;
    try {
      const { signature, body } = this.#encode(await this.#events.call(this.#incoming(call)));
      reply = Message.newMethodReturn(call, signature, body);
    } catch (error) {
      if (!(error instanceof BusError))
        this.#log.error({ err: error, member: call.member }, 'a D-Bus method failed');
      const text = error instanceof BusError ? error.message : 'The method failed.';
      reply = Message.newMethodReturn(call, 's', [text]);
      reply.type = MessageType.ERROR;
      reply.errorName = error instanceof BusError ? error.errorName : 'org.freedesktop.DBus.Error.Failed';
    }
    if ((call.flags & NO_REPLY_EXPECTED) !== 0) return;
    try {
      this.#send(reply);
    } catch (error) {
      this.#log.warn({ err: error, member: call.member }, 'a D-Bus reply was not sent');
    }
  }

  #incoming({ sender, path, interface: iface, member, body }: Message): IncomingMessage {
    const { Variant } = library();
    return { sender, path, interface: iface, member, args: body.map((value) => plain(value, Variant)) };
  }

  #end(error: BusError): void {
    this.#ended ??= error;
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#events.end();
  }
}

function timeoutError(what: string, ms: number): BusError {
  return new BusError('vitrine.Timeout', `${what}: no answer in ${ms} ms`);
}

/**
 * Starts to connect. The library creates the socket itself and passes on only its errors, so the socket is taken from
 * Node's diagnostics channel, which publishes it while the library creates it.
 */
function openSocket(address: string): { bus: MessageBus; socket: Socket } {
  const sockets: Socket[] = [];
  const created = (message: unknown) => {
    const { socket }: { socket?: unknown } = Object(message);
    if (socket instanceof Socket) sockets.push(socket);
  };
  subscribe('net.client.socket', created);
  try {
    // With `path` the library would prefer the optional package usocket, whose sockets are not Node's.
    const busAddress = address.replace(/^unix:path=/, 'unix:socket=');
    const bus = library().sessionBus({ busAddress });
    const [socket] = sockets;
    if (!socket) throw new Error(`no socket for the bus address ${address}`);
    return { bus, socket };
  } finally {
    unsubscribe('net.client.socket', created);
  }
}
