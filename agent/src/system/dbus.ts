import { createRequire } from 'node:module';
import type { Logger } from '../base/logger.ts';

// Loaded when the bus is first needed: the package takes longer to load than the agent to start.
const require = createRequire(import.meta.url);

type Library = typeof import('dbus-next');
type Connection = import('dbus-next').MessageBus;
type Message = import('dbus-next').Message;

const SYSTEM_BUS = 'unix:path=/run/dbus/system_bus_socket';
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 30_000;
const CONNECT_TIMEOUT_MS = 15_000;
const CALL_TIMEOUT_MS = 20_000;

export interface BusCall {
  destination: string;
  path: string;
  interface: string;
  member: string;
  signature?: string;
  body?: unknown[];
  /** 20 s by default, in ms. */
  timeoutMs?: number;
}

export interface BusSignal {
  sender: string;
  path: string;
  interface: string;
  member: string;
  /** Only signals whose first argument is this text. */
  arg0?: string;
}

interface Subscription {
  signal: BusSignal;
  listener: (body: unknown[]) => void;
}

/** A connection with its end: the package leaves calls open for ever when the bus goes away. */
interface Link {
  connection: Connection;
  ending: Ending;
}

/** A method call that failed. */
export class BusError extends Error {
  /** The D-Bus error's name; `vitrine.Disconnected` and `vitrine.Timeout` are ours. */
  readonly errorName: string;

  constructor(errorName: string, message: string) {
    super(message);
    this.name = 'BusError';
    this.errorName = errorName;
  }
}

/**
 * One supervised connection to the system bus. It connects when first needed; while there are subscriptions
 * it reconnects with growing delays and subscribes again. Every call has a timeout.
 */
export class SystemBus {
  readonly #log: Logger;
  readonly #address: string;
  readonly #subscriptions = new Set<Subscription>();
  #library: Library | undefined;
  #link: Promise<Link> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = FIRST_RETRY_MS;
  #stopped = false;

  /** @param address D-Bus address; by default DBUS_SYSTEM_BUS_ADDRESS or the system bus's usual place */
  constructor({ log, address }: { log: Logger; address?: string }) {
    this.#log = log;
    this.#address = address ?? process.env.DBUS_SYSTEM_BUS_ADDRESS ?? SYSTEM_BUS;
  }

  /**
   * Calls a method and gives the reply's arguments.
   * @throws BusError when there is no bus, no answer in time, or the answer is an error
   */
  async call(call: BusCall): Promise<unknown[]> {
    const { connection, ending } = await this.#connected();
    const { timeoutMs = CALL_TIMEOUT_MS, signature = '', body = [], ...header } = call;
    const message = new (this.#load().Message)({ ...header, signature, body });
    try {
      const what = `${call.interface}.${call.member}`;
      const reply = await ending.before(connection.call(message), timeoutMs, what);
      return reply?.body ?? [];
    } catch (error) {
      throw busError(error);
    }
  }

  /**
   * Reads a property; the value is out of its variant.
   * @throws BusError as `call`
   */
  async property(destination: string, path: string, iface: string, name: string): Promise<unknown> {
    const [value] = await this.call({
      destination,
      path,
      interface: 'org.freedesktop.DBus.Properties',
      member: 'Get',
      signature: 'ss',
      body: [iface, name],
    });
    return plain(value);
  }

  /** Hears a signal until the returned function is called, also after the bus was restarted. */
  subscribe(signal: BusSignal, listener: (body: unknown[]) => void): () => void {
    const subscription: Subscription = { signal, listener };
    this.#subscriptions.add(subscription);
    // A connection under way may be a call's, which does not try again.
    if (this.#link)
      this.#link.then((link) => this.#match(link, signal, 'AddMatch')).catch(() => this.#keepConnected());
    else this.#keepConnected();
    return () => {
      if (!this.#subscriptions.delete(subscription)) return;
      this.#link?.then((link) => this.#match(link, signal, 'RemoveMatch')).catch(() => undefined);
    };
  }

  /** Closes the connection; nothing is called or heard afterwards. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#retry);
    this.#subscriptions.clear();
    this.#link?.then(({ connection }) => connection.disconnect()).catch(() => undefined);
  }

  #load(): Library {
    this.#library ??= require('dbus-next') as Library;
    return this.#library;
  }

  #connected(): Promise<Link> {
    if (this.#stopped) return Promise.reject(new BusError('vitrine.Disconnected', 'the agent is stopping'));
    this.#link ??= this.#connect().catch((error: unknown) => {
      this.#link = undefined;
      throw busError(error);
    });
    return this.#link;
  }

  async #connect(): Promise<Link> {
    const connection = this.#load().sessionBus({ busAddress: this.#address });
    const ending = new Ending();
    // The package passes on errors of its socket but not the socket's end.
    const { _connection: inner }: { _connection?: NodeJS.EventEmitter } = Object(connection);
    let up = false;
    const end = (error?: Error) => {
      ending.come(new BusError('vitrine.Disconnected', error?.message ?? 'the bus went away'));
      if (!up) return;
      up = false;
      this.#link = undefined;
      this.#keepConnected();
    };
    connection.on('error', end);
    inner?.on('end', () => end());
    connection.on('message', (message: Message) => this.#deliver(message));
    const ready = new Promise<void>((resolve) => connection.once('connect', resolve));
    try {
      await ending.before(ready, CONNECT_TIMEOUT_MS, 'connecting to the system bus');
    } catch (error) {
      connection.disconnect();
      throw error;
    }
    up = true;
    this.#retryMs = FIRST_RETRY_MS;
    const link = { connection, ending };
    for (const { signal } of this.#subscriptions) this.#match(link, signal, 'AddMatch');
    return link;
  }

  /** Asks the bus to send, or no longer to send, a signal; what it answers changes nothing. */
  #match({ connection }: Link, signal: BusSignal, member: 'AddMatch' | 'RemoveMatch'): void {
    const { sender, path, interface: iface, member: name, arg0 } = signal;
    const only = arg0 === undefined ? '' : `,arg0='${arg0}'`;
    const rule = `type='signal',sender='${sender}',path='${path}',interface='${iface}',member='${name}'${only}`;
    const message = new (this.#load().Message)({
      ...{ destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus' },
      ...{ interface: 'org.freedesktop.DBus', member, signature: 's', body: [rule] },
    });
    connection.call(message).catch((err: unknown) => this.#log.warn({ err, rule }, `${member} failed`));
  }

  #deliver(message: Message): void {
    if (message.type !== this.#load().MessageType.SIGNAL) return;
    for (const { signal, listener } of [...this.#subscriptions]) {
      const { path, interface: iface, member, arg0 } = signal;
      if (message.path !== path || message.interface !== iface || message.member !== member) continue;
      if (arg0 === undefined || message.body[0] === arg0) listener(message.body);
    }
  }

  #keepConnected(): void {
    if (this.#stopped || this.#subscriptions.size === 0) return;
    this.#connected().catch((error: unknown) => {
      this.#log.debug({ err: error, retryMs: this.#retryMs }, 'there is no system bus');
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.#keepConnected(), this.#retryMs);
      this.#retry.unref();
      this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS);
    });
  }
}

/**
 * The end of a connection, which fails what waits for an answer. Not a promise to race with: every race would leave
 * something behind at it for as long as the connection lasts.
 */
class Ending {
  readonly #waiting = new Set<(error: BusError) => void>();
  #error: BusError | undefined;

  come(error: BusError): void {
    this.#error ??= error;
    for (const fail of this.#waiting) fail(error);
  }

  /** Settles as `work` does; @throws BusError when the connection ends before, or after `ms` */
  async before<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(new BusError('vitrine.Timeout', `${what}: no answer in ${ms} ms`)),
      ms,
    );
    this.#waiting.add(reject);
    if (this.#error) reject(this.#error);
    try {
      return await Promise.race([work, promise]);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(reject);
    }
  }
}

function busError(error: unknown): BusError {
  if (error instanceof BusError) return error;
  const { type, text, message }: { type?: unknown; text?: unknown; message?: unknown } = Object(error);
  return new BusError(
    typeof type === 'string' ? type : 'vitrine.Disconnected',
    String(text ?? message ?? error),
  );
}

/** A D-Bus value without the variants around it and inside it. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
  if ('signature' in value && 'value' in value) return plain(value.value);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}
