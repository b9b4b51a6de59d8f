/** A Bluetooth radio that does at once what it is told, for tests of what the resource makes of it. */
import { ApiError } from '../agent/src/contract/errors.ts';
import type {
  AdapterSetting,
  AdapterState,
  BluetoothRadio,
  DaemonState,
  PairingAgent,
  RemoteDevice,
} from '../agent/src/resources/bluetooth/ports.ts';

export const ADAPTER = '/org/bluez/hci0';

export function fakeDevice(number: number, more: Partial<RemoteDevice> = {}): RemoteDevice {
  const digits = number.toString(16).toUpperCase().padStart(4, '0');
  return {
    id: `${ADAPTER}/dev_${digits}`,
    address: `AA:BB:CC:DD:${digits.slice(0, 2)}:${digits.slice(2)}`,
    ...{ name: `Device ${number}`, paired: false, connected: false, trusted: false },
    ...{ rssi: -50, icon: null, profiles: [], ...more },
  };
}

export class FakeRadio implements BluetoothRadio {
  readonly devices = new Map<string, RemoteDevice>();
  readonly calls: string[] = [];
  /** Calls that are refused, with the sentence. */
  readonly refused = new Map<string, string>();
  /** What happens while a device is being paired. */
  whilePairing: (device: string) => Promise<void> = async () => undefined;
  present = true;
  adapter: AdapterState | undefined = {
    ...{ id: ADAPTER, address: '00:11:22:33:44:55', alias: 'BlueZ', powered: false, blocked: false },
    ...{ discovering: false, discoverable: false, discoverableTimeout: 180, pairable: true },
  };
  agent: PairingAgent | undefined;
  #isUp = false;
  #changed = () => {};

  get state(): DaemonState {
    return { isUp: this.#isUp, adapter: this.#isUp ? this.adapter : undefined, othersPowered: [] };
  }

  isPresent = async () => this.present;

  watch(changed: () => void, agent: PairingAgent): () => void {
    this.#changed = changed;
    this.agent = agent;
    return () => undefined;
  }

  changed(): void {
    this.#changed();
  }

  /** The daemon ends, or runs again. */
  setUp(isUp: boolean): void {
    this.#isUp = isUp;
    this.#changed();
  }

  change(id: string, change: Partial<RemoteDevice>): void {
    const device = this.devices.get(id);
    if (device) this.devices.set(id, { ...device, ...change });
    this.#changed();
  }

  async startDaemon(): Promise<void> {
    this.#call('start');
    this.setUp(true);
  }

  async stopDaemon(): Promise<void> {
    this.#call('stop');
    this.setUp(false);
  }

  async registerAgent(): Promise<void> {
    this.#call('register');
  }

  async set(_adapter: string, { name, value }: AdapterSetting): Promise<void> {
    this.#call(`${name} ${value}`);
    if (this.adapter) this.adapter = { ...this.adapter, [name]: value };
    this.#changed();
  }

  async setDiscovering(_adapter: string, active: boolean): Promise<void> {
    this.#call(`discover ${active}`);
    if (this.adapter) this.adapter = { ...this.adapter, discovering: active };
    this.#changed();
  }

  async pair(device: string): Promise<void> {
    this.#call('pair');
    await this.whilePairing(device);
    this.change(device, { paired: true, connected: true });
  }

  async trust(device: string): Promise<void> {
    this.#call('trust');
    this.change(device, { trusted: true });
  }

  async connect(): Promise<void> {
    this.#call('connect');
  }

  async disconnect(device: string): Promise<void> {
    this.#call(`disconnect ${device}`);
    this.change(device, { connected: false });
  }

  async remove(_adapter: string, device: string): Promise<void> {
    this.#call('remove');
    this.devices.delete(device);
    this.#changed();
  }

  #call(name: string): void {
    this.calls.push(name);
    const sentence = this.refused.get(name);
    if (sentence !== undefined) throw new ApiError('unavailable', sentence);
  }
}
