import { Backoff } from '../base/backoff.ts';
import { KindEvents } from '../base/kind-events.ts';
import type { Logger } from '../base/logger.ts';
import { sleep } from '../base/timeout.ts';
import type { IncomingMessage, SystemBus } from './dbus.ts';
import { anything, listOf, recordOf, shaped, text } from './dbus-values.ts';

const OBJECT_MANAGER = 'org.freedesktop.DBus.ObjectManager';
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 30_000;
/** Objects beyond this number are ignored. */
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
}

/**
 * A live copy of the objects of a service that implements org.freedesktop.DBus.ObjectManager. It is read again whenever
 * the service or the bus has restarted.
 */
export class ManagedObjects {
  readonly #options: ManagedObjectsOptions;
  readonly #path: string;
  readonly #objects = new Map<string, Map<string, Properties>>();
  readonly #events = new KindEvents<ObjectEvent>();
  readonly #stops: (() => void)[];
  /** Ends the reading of an earlier owner's objects. */
  #reading: AbortController | undefined;
  #loaded = false;

  constructor(options: ManagedObjectsOptions) {
    this.#options = options;
    const { bus, service, path = '/' } = options;
    this.#path = path;
    const manager = { sender: service, path, interface: OBJECT_MANAGER };
    const properties = {
      ...{ sender: service, pathNamespace: path },
      ...{ interface: 'org.freedesktop.DBus.Properties', member: 'PropertiesChanged' },
    };
    this.#stops = [
      bus.subscribe({ ...manager, member: 'InterfacesAdded' }, (signal) => this.#added(signal)),
      bus.subscribe({ ...manager, member: 'InterfacesRemoved' }, (signal) => this.#removed(signal)),
      bus.subscribe(properties, (signal) => this.#changed(signal)),
      bus.watch(service, (owner) => this.#ownerChanged(owner)),
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
    this.#reading?.abort();
  }

  #ownerChanged(owner: string | undefined): void {
    this.#reading?.abort();
    this.#objects.clear();
    if (this.#loaded) {
      this.#loaded = false;
      this.#events.emit({ event: 'lost' });
    }
    if (owner === undefined) return;
    this.#reading = new AbortController();
    void this.#read(this.#reading.signal);
  }

  async #read(stopped: AbortSignal): Promise<void> {
    const { bus, service, log } = this.#options;
    const backoff = new Backoff(FIRST_RETRY_MS, LAST_RETRY_MS);
    const call = {
      ...{ destination: service, path: this.#path },
      ...{ interface: OBJECT_MANAGER, member: 'GetManagedObjects' },
    };
    while (!stopped.aborted) {
      try {
        await bus.call(call, (args) => {
          const [objects] = parseObjects(args);
          if (!stopped.aborted) this.#load(objects);
        });
        return;
      } catch (error) {
        if (stopped.aborted) return;
        const delay = backoff.next();
        log.warn({ err: error, service, delay }, 'the D-Bus objects of a service were not read');
        await sleep(delay, stopped);
      }
    }
  }

  /** Signals that came before the reply are part of it, later ones change it. */
  #load(objects: Record<string, Record<string, Properties>>): void {
    for (const [path, interfaces] of Object.entries(objects)) this.#add(path, interfaces);
    this.#loaded = true;
    this.#events.emit({ event: 'loaded' });
  }

  #add(path: string, interfaces: Record<string, Properties>): boolean {
    const known = this.#objects.get(path);
    if (!known && this.#objects.size >= MAX_OBJECTS) {
      this.#options.log.warn({ path, service: this.#options.service }, 'too many D-Bus objects');
      return false;
    }
    this.#objects.set(path, new Map([...(known ?? []), ...Object.entries(interfaces)]));
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
    const [name, values, invalidated] = parseChanged(args);
    const interfaces = this.#objects.get(path);
    const before = interfaces?.get(name);
    if (!interfaces || !before) return;
    const kept = Object.entries(before).filter(([property]) => !invalidated.includes(property));
    interfaces.set(name, Object.fromEntries([...kept, ...Object.entries(values)]));
    const properties = [...Object.keys(values), ...invalidated];
    this.#events.emit({ event: 'changed', path, interface: name, properties });
  }
}
