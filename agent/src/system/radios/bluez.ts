import type { Logger } from '../../base/logger.ts';
import { withTimeout } from '../../base/timeout.ts';
import { ApiError } from '../../contract/errors.ts';
import type {
  AdapterSetting,
  AdapterState,
  BluetoothRadio,
  DaemonState,
  PairingAgent,
  RemoteDevice,
} from '../../resources/bluetooth/ports.ts';
import type { BusCall, SystemBus } from '../dbus/bus.ts';
import { ManagedObjects, type ObjectEvent, type Properties } from '../dbus/objects.ts';
import type { BusValue } from '../dbus/values.ts';
import type { Systemd } from '../systemd.ts';
import { AGENT_PATH, bluezAgent, CAPABILITY } from './bluez-agent.ts';
import { bluezError, isBluezError, RADIO_BLOCKED } from './bluez-errors.ts';
import { adapterNumber, adapterOf, BLOCKED, deviceOf, signalOfStranger } from './bluez-objects.ts';
import { hasBluetoothAdapter } from './presence.ts';

const BLUEZ = 'org.bluez';
const ADAPTER = `${BLUEZ}.Adapter1`;
const DEVICE = `${BLUEZ}.Device1`;
const UNIT = 'bluetooth.service';
/** Switching an adapter on takes some seconds if it loads firmware. In ms. */
const CALL_MS = 6000;
/** A property has its new value shortly after the call, in ms. */
const PROPERTY_MS = 1500;
const PAIR_MS = 30_000;
/** After that BlueZ asks the device what it offers. */
const SERVICES_MS = 20_000;
const CONNECT_MS = 10_000;
/** The properties that `deviceOf` reads: devices advertise others all the time. */
const SHOWN = ['Address', 'Name', 'Paired', 'Connected', 'Trusted', 'RSSI', 'Icon', 'UUIDs'];

const NO_STATE: DaemonState = { isUp: false, adapter: undefined, othersPowered: [] };

export interface BluezOptions {
  bus: SystemBus;
  systemd: Pick<Systemd, 'start' | 'stop'>;
  log: Logger;
  /** Prefix of the system's paths, for tests. */
  root?: string;
}

/** The Bluetooth radio with BlueZ. */
export class BluezRadio implements BluetoothRadio {
  readonly #options: BluezOptions;
  readonly #devices = new Map<string, RemoteDevice>();
  #objects: ManagedObjects | undefined;
  #state = NO_STATE;

  constructor(options: BluezOptions) {
    this.#options = options;
  }

  get state(): DaemonState {
    return this.#state;
  }

  get devices(): ReadonlyMap<string, RemoteDevice> {
    return this.#devices;
  }

  isPresent(): Promise<boolean> {
    return hasBluetoothAdapter(this.#options.root);
  }

  async startDaemon(): Promise<void> {
    await this.#unit('start', 'The Bluetooth service does not start.');
  }

  async stopDaemon(): Promise<void> {
    await this.#unit('stop', 'The Bluetooth service does not stop.');
  }

  watch(changed: () => void, agent: PairingAgent): () => void {
    const { bus, log } = this.#options;
    const objects = new ManagedObjects({
      ...{ bus, log, service: BLUEZ, interfaces: [ADAPTER, DEVICE] },
      worth: (interfaces) => signalOfStranger(interfaces.get(DEVICE)),
    });
    this.#objects = objects;
    const update = (event: ObjectEvent) => {
      if (this.#take(event, objects)) changed();
    };
    const stops = [
      objects.on(['loaded', 'lost', 'added', 'removed', 'changed'], update),
      bus.export(bluezAgent(BLUEZ, agent)),
      () => objects.stop(),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  async registerAgent(): Promise<void> {
    const manager = { path: '/org/bluez', interface: `${BLUEZ}.AgentManager1` };
    const path: BusValue = ['o', AGENT_PATH];
    const register = { ...manager, member: 'RegisterAgent', args: [path, ['s', CAPABILITY]] as const };
    await this.#call(register).catch(unless('AlreadyExists'));
    await this.#call({ ...manager, member: 'RequestDefaultAgent', args: [path] }).catch(unless());
  }

  async set(adapter: string, setting: AdapterSetting): Promise<void> {
    await this.#set(adapter, ADAPTER, ...propertyOf(setting)).catch((error: unknown) => {
      // The kernel's answer does not say that.
      const isBlocked =
        setting.name === 'powered' && this.#property(adapter, ADAPTER, 'PowerState') === BLOCKED;
      throw isBlocked ? new ApiError('unavailable', RADIO_BLOCKED) : error;
    });
  }

  async setDiscovering(adapter: string, active: boolean): Promise<void> {
    const member = active ? 'StartDiscovery' : 'StopDiscovery';
    // The error means that it is so already.
    const known = active ? 'InProgress' : 'Failed';
    await this.#call({ path: adapter, interface: ADAPTER, member }).catch(unless(known));
    // Another program on the bus may discover as well.
    await this.#until(() => this.#property(adapter, ADAPTER, 'Discovering') === active).catch(
      () => undefined,
    );
  }

  async pair(device: string): Promise<void> {
    const object = { path: device, interface: DEVICE };
    const done = new AbortController();
    // BlueZ answers when it also knows the device's services.
    const answered = this.#call({ ...object, member: 'Pair', timeoutMs: PAIR_MS + SERVICES_MS }).finally(() =>
      done.abort(),
    );
    const late = () =>
      new ApiError('unavailable', `The device did not finish pairing in ${PAIR_MS / 1000} s.`);
    const bonded = this.#until(() => this.#property(device, DEVICE, 'Bonded') === true, {
      ...{ ms: PAIR_MS, late, signal: done.signal },
    });
    try {
      await Promise.all([bonded, answered]);
      await this.#until(() => this.#devices.get(device)?.paired === true);
    } catch (error) {
      if (isBluezError(error, 'AlreadyExists')) return;
      await this.#call({ ...object, member: 'CancelPairing' }).catch(() => undefined);
      await answered.catch(() => undefined);
      throw bluezError(error);
    }
  }

  async trust(device: string): Promise<void> {
    await this.#set(device, DEVICE, 'Trusted', ['b', true]);
  }

  async connect(device: string): Promise<void> {
    const call = { path: device, interface: DEVICE, member: 'Connect', timeoutMs: CONNECT_MS };
    await this.#call(call).catch(unless());
  }

  async disconnect(device: string): Promise<void> {
    await this.#call({ path: device, interface: DEVICE, member: 'Disconnect' }).catch(unless('NotConnected'));
  }

  async remove(adapter: string, device: string): Promise<void> {
    const args: BusValue[] = [['o', device]];
    await this.#call({ path: adapter, interface: ADAPTER, member: 'RemoveDevice', args }).catch(unless());
    await this.#until(() => !this.#devices.has(device));
  }

  async #unit(verb: 'start' | 'stop', failed: string): Promise<void> {
    const { systemd, log } = this.#options;
    try {
      await systemd[verb](UNIT);
    } catch (error) {
      log.warn({ err: error }, failed);
      throw new ApiError('unavailable', failed);
    }
  }

  /** Takes an event over. @returns whether anything that is shown may have changed */
  #take(event: ObjectEvent, { objects, loaded }: ManagedObjects): boolean {
    if (event.event === 'loaded' || event.event === 'lost') {
      this.#takeAdapters(objects, loaded);
      return true;
    }
    if (adapterNumber(event.path) !== undefined) {
      this.#takeAdapters(objects, loaded);
      return true;
    }
    const isOurs = this.#state.adapter && event.path.startsWith(`${this.#state.adapter.id}/`);
    if (!isOurs || (event.event === 'changed' && !event.properties.some((name) => SHOWN.includes(name))))
      return false;
    this.#takeDevice(event.path, objects.get(event.path)?.get(DEVICE));
    return true;
  }

  /** Uses the first adapter; its devices are read again if it is another one. */
  #takeAdapters(objects: ManagedObjects['objects'], isUp: boolean): void {
    const adapters = [...objects]
      .flatMap(([path, interfaces]) => {
        const number = adapterNumber(path);
        const properties = interfaces.get(ADAPTER);
        const state = number !== undefined && properties && adapterOf(path, properties);
        return state ? [{ number, state }] : [];
      })
      .toSorted((a, b) => a.number - b.number)
      .map(({ state }) => state);
    const [adapter, ...others] = adapters;
    const before: AdapterState | undefined = this.#state.adapter;
    const othersPowered = others.filter(({ powered }) => powered).map(({ id }) => id);
    this.#state = { isUp, adapter, othersPowered };
    if (adapter?.id === before?.id) return;
    this.#devices.clear();
    if (!adapter) return;
    for (const [path, interfaces] of objects) {
      if (path.startsWith(`${adapter.id}/`)) this.#takeDevice(path, interfaces.get(DEVICE));
    }
  }

  #takeDevice(path: string, properties: Properties | undefined): void {
    const device = properties && deviceOf(path, properties);
    if (device) this.#devices.set(path, device);
    else this.#devices.delete(path);
  }

  async #set(path: string, iface: string, property: string, value: BusValue): Promise<void> {
    const args: BusValue[] = [
      ['s', iface],
      ['s', property],
      ['v', value],
    ];
    const properties = 'org.freedesktop.DBus.Properties';
    await this.#call({ path, interface: properties, member: 'Set', args }).catch(unless());
    const [, wanted] = value;
    await this.#until(() => this.#property(path, iface, property) === wanted);
  }

  #property(path: string, iface: string, name: string): unknown {
    return this.#objects?.objects.get(path)?.get(iface)?.[name];
  }

  /** Waits until the objects meet a condition, or `signal` aborts. @throws ApiError */
  async #until(
    condition: () => boolean,
    {
      ms = PROPERTY_MS,
      late = notTaken,
      signal,
    }: { ms?: number; late?: () => Error; signal?: AbortSignal } = {},
  ): Promise<void> {
    const met = Promise.withResolvers<void>();
    signal?.addEventListener('abort', () => met.resolve(), { once: true });
    const check = () => {
      if (condition()) met.resolve();
    };
    const stop = this.#objects?.on(['loaded', 'lost', 'added', 'removed', 'changed'], check);
    check();
    await withTimeout(met.promise, ms, late).finally(() => stop?.());
  }

  async #call(call: Omit<BusCall, 'destination'>): Promise<void> {
    await this.#options.bus.call({ timeoutMs: CALL_MS, ...call, destination: BLUEZ });
  }
}

function propertyOf({ name, value }: AdapterSetting): [property: string, value: BusValue] {
  switch (name) {
    case 'alias':
      return ['Alias', ['s', value]];
    case 'discoverableTimeout':
      return ['DiscoverableTimeout', ['u', value]];
    case 'powered':
      return ['Powered', ['b', value]];
    case 'discoverable':
      return ['Discoverable', ['b', value]];
    case 'pairable':
      return ['Pairable', ['b', value]];
  }
}

function notTaken(): ApiError {
  return new ApiError('unavailable', 'The Bluetooth service does not do what it has accepted.');
}

/** For `catch`: accepts BlueZ's errors of these names, and throws others as the API's. */
function unless(...names: readonly string[]): (error: unknown) => void {
  return (error) => {
    if (!isBluezError(error, ...names)) throw bluezError(error);
  };
}
