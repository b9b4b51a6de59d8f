import { Backoff } from '../../base/backoff.ts';
import type { Logger } from '../../base/logger.ts';
import { sleep } from '../../base/timeout.ts';
import { type BusCall, BusConnection, type IncomingMessage } from './connection.ts';
import { type ExportedObject, ExportedObjects } from './export.ts';
import { BusError, shaped, text } from './values.ts';

export type { BusCall, IncomingMessage } from './connection.ts';

const SYSTEM_BUS = 'unix:path=/run/dbus/system_bus_socket';
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 30_000;
/** The bus is restarted in less time. */
const PROBLEM_AFTER_MS = 10_000;
/** Name and interface of the bus daemon. */
const DAEMON = 'org.freedesktop.DBus';
const DAEMON_OBJECT = { destination: DAEMON, path: '/org/freedesktop/DBus', interface: DAEMON };
const parseOwner = shaped(text);

/** Which signals to receive. */
export interface SignalMatch {
  /** Well-known name of the service that sends them. Signals of any other process are ignored. */
  sender: string;
  path?: string;
  /** This path and all below it, instead of `path`. */
  pathNamespace?: string;
  interface: string;
  member: string;
}

/** A service that is followed: from its first use until the bus is stopped. */
interface Service {
  /** Unique name; null while the service does not run, undefined until the bus has reported it. */
  owner: string | null | undefined;
  readonly watchers: Set<(owner: string | undefined) => void>;
  /** The rules by which the bus selects signals: one service may send many that nobody here wants. */
  readonly rules: Set<string>;
  readonly subscriptions: Set<(signal: IncomingMessage) => void>;
}

/**
 * The system bus. It connects when first used. From then on it reconnects with growing delays and restores everything;
 * calls fail in between. Every call has a timeout.
 */
export class SystemBus {
  readonly #log: Logger;
  readonly #address: string;
  readonly #services = new Map<string, Service>();
  readonly #exports = new ExportedObjects();
  readonly #stopping = new AbortController();
  /** The last attempt to connect; undefined before the first use. */
  #attempt: Promise<BusConnection> | undefined;
  /** Undefined while there is none. */
  #connection: BusConnection | undefined;
  /** When the connection was lost or the first attempt began, in ms of `performance.now()`. */
  #unconnectedSince = 0;

  /** @param address D-Bus address; by default DBUS_SYSTEM_BUS_ADDRESS or the usual address of the system bus */
  constructor({ log, address }: { log: Logger; address?: string }) {
    this.#log = log;
    this.#address = address ?? process.env.DBUS_SYSTEM_BUS_ADDRESS ?? SYSTEM_BUS;
  }

  /**
   * Calls a method and returns the reply's arguments, without variants and not validated (`shaped`). Whoever awaits
   * them goes on before any later signal is delivered.
   * @throws BusError when there is no bus, the answer is an error or does not come in time, or too many calls wait
   */
  async call(call: BusCall): Promise<readonly unknown[]> {
    void this.#keepConnected();
    const connection = await this.#attempt;
    if (!connection) throw new BusError('vitrine.Disconnected', 'the agent is stopping');
    return connection.call(call);
  }

  /**
   * Receives signals until the returned function is called, also after the service or the bus has restarted.
   * Use `watch` to learn when signals may have been missed.
   */
  subscribe(match: SignalMatch, listener: (signal: IncomingMessage) => void): () => void {
    const { subscriptions, rules } = this.#follow(match.sender);
    const rule = `type='signal',sender='${match.sender}',interface='${match.interface}',member='${match.member}'`;
    if (!rules.has(rule)) {
      rules.add(rule);
      this.#connection?.call(addMatch(rule)).catch(this.#notFollowed(match.sender));
    }
    const subscription = (signal: IncomingMessage) => {
      if (matches(match, signal)) listener(signal);
    };
    subscriptions.add(subscription);
    return () => subscriptions.delete(subscription);
  }

  /**
   * Calls `listener` with a service's unique name whenever it has started or the connection was restored, and with
   * undefined when it is not running, until the returned function is called. Owners register with the service again
   * on every call with a name.
   */
  watch(name: string, listener: (owner: string | undefined) => void): () => void {
    const { watchers, owner } = this.#follow(name);
    const watcher = (current: string | undefined) => listener(current);
    watchers.add(watcher);
    if (owner !== undefined) watcher(owner ?? undefined);
    return () => watchers.delete(watcher);
  }

  /** Lets a service call an object of ours until the returned function is called. */
  export(object: ExportedObject): () => void {
    this.#follow(object.caller);
    return this.#exports.add(object);
  }

  /** A sentence if the bus has been used and was out of reach for a while. */
  problems(): string[] {
    const lost =
      this.#attempt && !this.#connection && performance.now() - this.#unconnectedSince > PROBLEM_AFTER_MS;
    return lost
      ? [
          'The D-Bus system bus does not answer: radios, updates and the clock cannot be reached. A reboot repairs it.',
        ]
      : [];
  }

  /** Closes the connection; no call, signal or exported method works afterwards. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#services.clear();
    this.#attempt?.then((connection) => connection.close()).catch(() => undefined);
    await this.#connection?.close();
  }

  /** Connects on the first call, and again whenever the connection is lost. */
  async #keepConnected(): Promise<void> {
    if (this.#attempt) return;
    const { signal: stopping } = this.#stopping;
    const backoff = new Backoff(FIRST_RETRY_MS, LAST_RETRY_MS);
    const events = {
      signal: (signal: IncomingMessage) => this.#deliver(signal),
      call: (call: IncomingMessage) =>
        this.#exports.run(call, (sender, service) => this.#services.get(service)?.owner === sender),
    };
    this.#unconnectedSince = performance.now();
    while (!stopping.aborted) {
      this.#attempt = BusConnection.open(this.#address, events, this.#log);
      try {
        this.#connection = await this.#attempt;
      } catch {
        await sleep(backoff.next(), stopping);
        continue;
      }
      backoff.reset();
      for (const [name, service] of this.#services) void this.#ask(this.#connection, name, service);
      await this.#connection.ended;
      this.#connection = undefined;
      this.#unconnectedSince = performance.now();
      for (const service of this.#services.values()) {
        if (service.owner) this.#setOwner(service, null);
        service.owner = undefined;
      }
    }
  }

  #follow(name: string): Service {
    const known = this.#services.get(name);
    if (known) return known;
    const service: Service = {
      owner: undefined,
      watchers: new Set(),
      rules: new Set(),
      subscriptions: new Set(),
    };
    this.#services.set(name, service);
    if (this.#connection) void this.#ask(this.#connection, name, service);
    void this.#keepConnected();
    return service;
  }

  /**
   * Asks for a service's owner and its signals. First for changes of the owner, so that none is missed; for the signals
   * last, so that their owner is known.
   */
  async #ask(connection: BusConnection, name: string, service: Service): Promise<void> {
    const ownerChanges = `type='signal',sender='${DAEMON}',member='NameOwnerChanged',arg0='${name}'`;
    const getOwner = { ...DAEMON_OBJECT, member: 'GetNameOwner', args: [['s', name]] as const };
    try {
      const [, owner] = await Promise.all([
        connection.call(addMatch(ownerChanges)),
        connection.call(getOwner).then(parseOwner, noOwner),
        ...[...service.rules].map((rule) => connection.call(addMatch(rule))),
      ]);
      // A NameOwnerChanged that came before the reply is as new as the reply.
      if (service.owner === undefined) this.#setOwner(service, owner[0]);
    } catch (error) {
      this.#notFollowed(name)(error);
    }
  }

  readonly #notFollowed = (name: string) => (error: unknown) => {
    if (error instanceof BusError && error.errorName === 'vitrine.Disconnected') return;
    this.#log.warn({ err: error, name }, 'a D-Bus service cannot be followed');
  };

  #setOwner(service: Service, owner: string | null): void {
    service.owner = owner;
    this.#callAll(service.watchers, owner ?? undefined);
  }

  #deliver(signal: IncomingMessage): void {
    const { sender, member, args } = signal;
    if (sender === DAEMON && member === 'NameOwnerChanged') {
      const [name, , owner] = args;
      const service = this.#services.get(String(name));
      if (service) this.#setOwner(service, typeof owner === 'string' && owner !== '' ? owner : null);
    }
    for (const { owner, subscriptions } of [...this.#services.values()]) {
      if (owner === sender) this.#callAll(subscriptions, signal);
    }
  }

  /** An error in a listener must not end the connection. */
  #callAll<T>(listeners: ReadonlySet<(value: T) => void>, value: T): void {
    for (const listener of [...listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.#log.error({ err: error }, 'a D-Bus listener failed');
      }
    }
  }
}

function addMatch(rule: string): BusCall {
  return { ...DAEMON_OBJECT, member: 'AddMatch', args: [['s', rule]] };
}

/** The reply for a service that does not run. */
function noOwner(error: unknown): [null] {
  if (error instanceof BusError && error.errorName === `${DAEMON}.Error.NameHasNoOwner`) return [null];
  throw error;
}

function matches(match: SignalMatch, signal: IncomingMessage): boolean {
  const { path, pathNamespace = '/' } = match;
  if (signal.interface !== match.interface || signal.member !== match.member) return false;
  if (path !== undefined) return signal.path === path;
  return `${signal.path}/`.startsWith(pathNamespace === '/' ? '/' : `${pathNamespace}/`);
}
