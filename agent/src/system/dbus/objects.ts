import { Backoff } from '../../base/backoff.ts';
import { KindEvents } from '../../base/kind-events.ts';
import { limitedLog, type Records } from '../../base/limited-log.ts';
import type { Logger } from '../../base/logger.ts';
import { sleep } from '../../base/timeout.ts';
import type { IncomingMessage, SystemBus } from './bus.ts';
import { anything, listOf, recordOf, shaped, text } from './values.ts';

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 30_000;
/** When there are so many objects, a new one takes the place of a dispensable one, or is ignored. */
export const MAX_OBJECTS = 2000;

/** Property values by name, without variants and not validated. */
export type Properties = Readonly<Record<string, unknown>>;
/** The interfaces of an object, by name. */
export type Interfaces = ReadonlyMap<string, Properties>;

export type ObjectEvent =
  /** The objects were read: the service has started, or the connection was restored. */
  | { event: 'loaded' }
  /** The service has stopped or the connection is lost; there are no objects. */
  | { event: 'lost' }
  | { event: 'added' | 'removed'; path: string; interfaces: readonly string[] }
  /** `properties` are the names of changed and removed properties. */
  | { event: 'changed'; path: string; interface: string; properties: readonly string[] };

const values = recordOf(anything);
const interfaceValues = recordOf(values);
const parseObjects = shaped(recordOf(interfaceValues));
const parseAdded = shaped(text, interfaceValues);
const parseRemoved = shaped(text, listOf(text));
const parseChanged = shaped(text, values, listOf(text));

export interface ManagedObjectsOptions {
  bus: SystemBus;
  log: Logger;
  /** Well-known name, for example `org.bluez`. */
  service: string;
  /** Path of the object manager, `/` by default. */
  path?: string;
  /** Only objects with one of these interfaces are kept, with these only; by default all. */
  interfaces?: readonly string[];
  /** How much an object is worth when there are too many; undefined: it is never dropped. By default none is. */
  worth?: (interfaces: Interfaces) => number | undefined;
}

/**
 * A live copy of the objects of a service that implements org.freedesktop.DBus.ObjectManager. It is read again whenever
 * the service or the bus has restarted.
 */
export class ManagedObjects {
  readonly #bus: SystemBus;
  readonly #log: Records;
  /** The object manager. */
  readonly #manager: { destination: string; path: string; interface: string };
  readonly #interfaces: readonly string[] | undefined;
  readonly #worth: (interfaces: Interfaces) => number | undefined;
  readonly #objects = new Map<string, Map<string, Properties>>();
  readonly #events = new KindEvents<ObjectEvent>();
  readonly #stops: (() => void)[];
  /** Ends the reading of an earlier owner's objects. */
  #reading = new AbortController();
  #loaded = false;

  constructor({ bus, log, service, path = '/', interfaces, worth }: ManagedObjectsOptions) {
    this.#bus = bus;
    this.#log = limitedLog(log);
    this.#interfaces = interfaces;
    this.#worth = worth ?? (() => undefined);
    this.#manager = { destination: service, path, interface: 'org.freedesktop.DBus.ObjectManager' };
    const manager = { sender: service, path, interface: this.#manager.interface };
    const properties = {
      ...{ sender: service, pathNamespace: path },
      ...{ interface: 'org.freedesktop.DBus.Properties', member: 'PropertiesChanged' },
    };
    this.#stops = [
      bus.subscribe({ ...manager, member: 'InterfacesAdded' }, (signal) => this.#added(signal)),
      bus.subscribe({ ...manager, member: 'InterfacesRemoved' }, (signal) => this.#removed(signal)),
      bus.subscribe(properties, (signal) => this.#changed(signal)),
      bus.watch(service, (owner) => this.#ownerChanged(owner)),
      () => this.#reading.abort(),
    ];
  }

  /** The objects by path; empty until they are loaded. */
  get objects(): ReadonlyMap<string, Interfaces> {
    return this.#objects;
  }

  /** Whether the service runs and its objects have been read. */
  get loaded(): boolean {
    return this.#loaded;
  }

  /** Calls `listener` with every event of these kinds, after `objects` has changed, until the returned function is called. */
  readonly on = this.#events.on;

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  #ownerChanged(owner: string | undefined): void {
    this.#reading.abort();
    this.#objects.clear();
    if (this.#loaded) {
      this.#loaded = false;
      this.#events.emit({ event: 'lost' });
    }
    if (owner === undefined) return;
    this.#reading = new AbortController();
    void this.#read(this.#reading.signal);
  }

  /** Signals that come before the reply are part of it, later ones change it. */
  async #read(stopped: AbortSignal): Promise<void> {
    const backoff = new Backoff(FIRST_RETRY_MS, LAST_RETRY_MS);
    while (!stopped.aborted) {
      try {
        const reply = await this.#bus.call({ ...this.#manager, member: 'GetManagedObjects' });
        if (stopped.aborted) return;
        const [objects] = parseObjects(reply);
        for (const [path, interfaces] of Object.entries(objects)) this.#add(path, interfaces);
        this.#loaded = true;
        return this.#events.emit({ event: 'loaded' });
      } catch (error) {
        if (stopped.aborted) return;
        const { destination: service } = this.#manager;
        this.#log.warn({ err: error, service }, 'the D-Bus objects of a service were not read');
        await sleep(backoff.next(), stopped);
      }
    }
  }

  #add(path: string, interfaces: Record<string, Properties>): boolean {
    const known = this.#objects.get(path) ?? [];
    const wanted = Object.entries(interfaces).filter(([name]) => this.#interfaces?.includes(name) ?? true);
    if (wanted.length === 0 && this.#interfaces) return false;
    if (!this.#objects.has(path) && this.#objects.size >= MAX_OBJECTS && !this.#dropOne()) {
      this.#log.warn({ path, service: this.#manager.destination }, 'too many D-Bus objects');
      return false;
    }
    this.#objects.set(path, new Map([...known, ...wanted]));
    return true;
  }

  /** Makes room. @returns whether there was a dispensable object */
  #dropOne(): boolean {
    let least: { path: string; worth: number } | undefined;
    for (const [path, interfaces] of this.#objects) {
      const worth = this.#worth(interfaces);
      if (worth !== undefined && worth < (least?.worth ?? Number.POSITIVE_INFINITY)) least = { path, worth };
    }
    if (!least) return false;
    const interfaces = [...(this.#objects.get(least.path)?.keys() ?? [])];
    this.#objects.delete(least.path);
    if (this.#loaded) this.#events.emit({ event: 'removed', path: least.path, interfaces });
    return true;
  }

  #added({ args }: IncomingMessage): void {
    if (!this.#loaded) return;
    const [path, interfaces] = parseAdded(args);
    if (!this.#add(path, interfaces)) return;
    this.#events.emit({ event: 'added', path, interfaces: Object.keys(interfaces) });
  }

  #removed({ args }: IncomingMessage): void {
    const [path, interfaces] = parseRemoved(args);
    const known = this.#objects.get(path);
    if (!known) return;
    for (const name of interfaces) known.delete(name);
    if (known.size === 0) this.#objects.delete(path);
    this.#events.emit({ event: 'removed', path, interfaces });
  }

  #changed({ path, args }: IncomingMessage): void {
    const [name, changed, removed] = parseChanged(args);
    const before = this.#objects.get(path)?.get(name);
    if (!before) return;
    const kept = Object.entries(before).filter(([property]) => !removed.includes(property));
    this.#objects.get(path)?.set(name, { ...Object.fromEntries(kept), ...changed });
    const properties = [...Object.keys(changed), ...removed];
    this.#events.emit({ event: 'changed', path, interface: name, properties });
  }
}
