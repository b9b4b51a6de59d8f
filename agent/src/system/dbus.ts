import { Backoff } from '../base/backoff.ts';
import type { Logger } from '../base/logger.ts';
import { sleep } from '../base/timeout.ts';
import { type BusCall, BusConnection, DAEMON, type IncomingMessage } from './dbus-connection.ts';
import { type ExportedObject, ExportedObjects } from './dbus-export.ts';
import { BusError, shaped, text } from './dbus-values.ts';

export type { BusCall, IncomingMessage } from './dbus-connection.ts';

const SYSTEM_BUS = 'unix:path=/run/dbus/system_bus_socket';
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 30_000;
const DAEMON_OBJECT = { destination: DAEMON, path: '/org/freedesktop/DBus', interface: DAEMON };

/** Which signals to receive. */
export interface SignalMatch {
  /** Well-known name of the service that sends them. Signals of any other process are ignored. */
  sender: string;
  path?: string;
  /** This path and all below it, instead of `path`. */
  pathNamespace?: string;
  interface: string;
  member: string;
  /** First argument, a string. */
  arg0?: string;
}

interface Subscription {
  match: SignalMatch;
  listener: (signal: IncomingMessage) => void;
}

/** What is known about the owner of a well-known name. */
interface Service {
  /** Unique name; undefined while the service does not run, or there is no connection. */
  owner: string | undefined;
  /** Whether the bus has reported the owner on this connection. */
  known: boolean;
  /** Subscriptions, exports and watchers that need it. */
  users: number;
  listeners: Set<(owner: string | undefined) => void>;
}

/**
 * The system bus. It connects when first needed. While there are subscriptions, watched services or exported objects
 * it reconnects with growing delays and restores them. Every call has a timeout.
 */
export class SystemBus {
  readonly #log: Logger;
  readonly #address: string;
  readonly #subscriptions = new Set<Subscription>();
  readonly #services = new Map<string, Service>();
  readonly #exports = new ExportedObjects();
  readonly #backoff = new Backoff(FIRST_RETRY_MS, LAST_RETRY_MS);
  readonly #stopping = new AbortController();
  #opening: Promise<BusConnection> | undefined;
  #connection: BusConnection | undefined;
  #keepingConnected = false;

  /** @param address D-Bus address; by default DBUS_SYSTEM_BUS_ADDRESS or the usual address of the system bus */
  constructor({ log, address }: { log: Logger; address?: string }) {
    this.#log = log;
    this.#address = address ?? process.env.DBUS_SYSTEM_BUS_ADDRESS ?? SYSTEM_BUS;
  }

  /**
   * Calls a method and returns the reply's arguments, without variants.
   * @throws BusError when there is no bus, the answer is an error or does not come in time, or too many calls wait
   */
  call(call: BusCall): Promise<readonly unknown[]>;
  /** @param parse checks the arguments, see `shaped`. It runs before any later signal is delivered. */
  call<T>(call: BusCall, parse: (args: readonly unknown[]) => T): Promise<T>;
  async call(call: BusCall, parse = (args: readonly unknown[]): unknown => args): Promise<unknown> {
    return (await this.#connect()).call(call, parse);
  }

  /**
   * Receives signals until the returned function is called, also after the service or the bus has restarted.
   * Use `watch` to learn when signals may have been missed.
   */
  subscribe(match: SignalMatch, listener: (signal: IncomingMessage) => void): () => void {
    const subscription: Subscription = { match, listener };
    const release = this.#use(match.sender);
    this.#subscriptions.add(subscription);
    this.#changeMatch('AddMatch', match);
    return () => {
      if (!this.#subscriptions.delete(subscription)) return;
      this.#changeMatch('RemoveMatch', match);
      release();
    };
  }

  /**
   * Calls `listener` with a service's unique name whenever it has started or the connection was restored, and with
   * undefined when it is not running, until the returned function is called. Owners register with the service again
   * on every call with a name.
   */
  watch(service: string, listener: (owner: string | undefined) => void): () => void {
    const release = this.#use(service);
    const found = this.#services.get(service);
    const notify = (owner: string | undefined) => listener(owner);
    found?.listeners.add(notify);
    if (found?.known) notify(found.owner);
    return () => {
      found?.listeners.delete(notify);
      release();
    };
  }

  /** Lets a service call an object of ours until the returned function is called. */
  export(object: ExportedObject): () => void {
    const release = this.#use(object.caller);
    const remove = this.#exports.add(object);
    return () => {
      remove();
      release();
    };
  }

  /** Closes the connection; no call, signal or exported method works afterwards. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#subscriptions.clear();
    this.#services.clear();
    this.#opening?.then((connection) => connection.close()).catch(() => undefined);
    await this.#connection?.close();
  }

  #connect(): Promise<BusConnection> {
    if (this.#stopping.signal.aborted) {
      return Promise.reject(new BusError('vitrine.Disconnected', 'the agent is stopping'));
    }
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error instanceof BusError ? error : new BusError('vitrine.Disconnected', String(error));
    });
    return this.#opening;
  }

  async #open(): Promise<BusConnection> {
    const events = {
      signal: (signal: IncomingMessage) => this.#deliver(signal),
      call: (call: IncomingMessage) =>
        this.#exports.run(call, (sender, service) => this.#services.get(service)?.owner === sender),
      end: () => this.#ended(),
    };
    const connection = await BusConnection.open(this.#address, events, this.#log);
    this.#connection = connection;
    this.#backoff.reset();
    for (const name of this.#services.keys()) this.#askOwner(name);
    for (const { match } of this.#subscriptions) this.#changeMatch('AddMatch', match);
    return connection;
  }

  #ended(): void {
    this.#opening = undefined;
    this.#connection = undefined;
    for (const service of this.#services.values()) {
      if (service.owner !== undefined) this.#setOwner(service, undefined);
      service.known = false;
    }
    void this.#keepConnected();
  }

  async #keepConnected(): Promise<void> {
    if (this.#keepingConnected) return;
    this.#keepingConnected = true;
    const { signal } = this.#stopping;
    while (!signal.aborted && !this.#connection && this.#services.size > 0) {
      try {
        await this.#connect();
      } catch (error) {
        const delay = this.#backoff.next();
        this.#log.debug({ err: error, delay }, 'no connection to the system bus');
        await sleep(delay, signal);
      }
    }
    this.#keepingConnected = false;
  }

  /** Follows the owner of a well-known name until the returned function is called. */
  #use(name: string): () => void {
    const service = this.#services.get(name) ?? {
      owner: undefined,
      known: false,
      users: 0,
      listeners: new Set(),
    };
    service.users += 1;
    if (service.users === 1) {
      this.#services.set(name, service);
      this.#askOwner(name);
    }
    void this.#keepConnected();
    let released = false;
    return () => {
      if (released) return;
      released = true;
      service.users -= 1;
      if (service.users > 0) return;
      this.#services.delete(name);
      this.#changeMatch('RemoveMatch', ownerChanged(name));
    };
  }

  /** The bus handles these in order: the owner is known before the first signal of a later subscription arrives. */
  #askOwner(name: string): void {
    if (!this.#connection) return;
    this.#changeMatch('AddMatch', ownerChanged(name));
    // A NameOwnerChanged that came before the reply is as new as the reply.
    const setUnlessKnown = (owner: string | undefined) => {
      const service = this.#services.get(name);
      if (service && !service.known) this.#setOwner(service, owner);
    };
    const call: BusCall = { ...DAEMON_OBJECT, member: 'GetNameOwner', args: [['s', name]] };
    const parse = shaped(text);
    this.#connection
      .call(call, (args) => setUnlessKnown(parse(args)[0]))
      .catch((error: unknown) => {
        if (error instanceof BusError && error.errorName === `${DAEMON}.Error.NameHasNoOwner`) {
          setUnlessKnown(undefined);
        } else this.#logFailure(error, { name }, 'the owner of a D-Bus name is not known');
      });
  }

  #setOwner(service: Service, owner: string | undefined): void {
    service.owner = owner;
    service.known = true;
    for (const listener of [...service.listeners]) this.#guard(() => listener(owner));
  }

  #changeMatch(member: 'AddMatch' | 'RemoveMatch', match: SignalMatch): void {
    const rule = ruleOf(match);
    this.#connection
      ?.call({ ...DAEMON_OBJECT, member, args: [['s', rule]] }, () => undefined)
      .catch((error: unknown) => this.#logFailure(error, { rule }, `${member} failed`));
  }

  #deliver(signal: IncomingMessage): void {
    if (signal.sender === DAEMON && signal.member === 'NameOwnerChanged') {
      const [name, , owner] = signal.args;
      const service = this.#services.get(String(name));
      if (service) this.#setOwner(service, typeof owner === 'string' && owner !== '' ? owner : undefined);
    }
    for (const { match, listener } of [...this.#subscriptions]) {
      if (signal.sender !== this.#services.get(match.sender)?.owner) continue;
      if (matches(match, signal)) this.#guard(() => listener(signal));
    }
  }

  /** An error in a listener must not end the connection. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#log.error({ err: error }, 'a D-Bus listener failed');
    }
  }

  /** A connection that ended takes its matches with it. */
  #logFailure(error: unknown, details: object, message: string): void {
    if (error instanceof BusError && error.errorName === 'vitrine.Disconnected') return;
    this.#log.warn({ err: error, ...details }, message);
  }
}

function ownerChanged(name: string): SignalMatch {
  const { path, interface: iface } = DAEMON_OBJECT;
  return { sender: DAEMON, path, interface: iface, member: 'NameOwnerChanged', arg0: name };
}

function ruleOf({ sender, path, pathNamespace, interface: iface, member, arg0 }: SignalMatch): string {
  const keys = { sender, path, path_namespace: pathNamespace, interface: iface, member, arg0 };
  const given = Object.entries(keys).filter(([, value]) => value !== undefined);
  return ["type='signal'", ...given.map(([key, value]) => `${key}='${value}'`)].join();
}

function matches(
  { path, pathNamespace, interface: iface, member, arg0 }: SignalMatch,
  signal: IncomingMessage,
) {
  if (signal.interface !== iface || signal.member !== member) return false;
  if (path !== undefined && signal.path !== path) return false;
  if (pathNamespace !== undefined && !isBelow(signal.path, pathNamespace)) return false;
  return arg0 === undefined || signal.args[0] === arg0;
}

/** Whether a path is `namespace` or below it. */
function isBelow(path: string, namespace: string): boolean {
  return namespace === '/' || path === namespace || path.startsWith(`${namespace}/`);
}
