import { limitedLog } from '../../base/limited-log.ts';
import type { Logger } from '../../base/logger.ts';
import { Driver } from '../../base/machine.ts';
import { errorMessage } from '../../base/system-error.ts';
import { withTimeout } from '../../base/timeout.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Payload } from '../../contract/topics.ts';
import {
  type AdapterMachineEffect,
  type AdapterMachineEvent,
  type AdapterMachineState,
  adapterMachine,
  INITIAL_STATE,
  isSettled,
  type Settings,
  type Step,
} from './adapter-machine.ts';
import { listedDevices, shownAdapter, shownDevice } from './devices.ts';
import { Pairing } from './pairing.ts';
import type { AdapterState, BluetoothRadio, RemoteDevice } from './ports.ts';
import type {
  BluetoothAdapter,
  BluetoothDevice,
  bluetoothChanged,
  Pairing as ShownPairing,
} from './schema.ts';
import { Snapshots } from './snapshots.ts';

/** Discovery ends after this time, in ms: it takes the radio's time from connections. */
const SCAN_MS = 120_000;
/** How long a change may take until the daemon has it, in ms; the configuration waits for 10 s. */
const SETTLE_MS = 8000;
/** More devices are paired or removed at a time by no user. */
const MAX_WAITERS = 64;

/**
 * Gets the pairing that is to be displayed, or null.
 * @param isTyped its number must be typed on the device; else the device shows it, too
 */
type PairingListener = (pairing: ShownPairing | null, isTyped: boolean) => void;

export interface BluetoothOptions {
  radio: BluetoothRadio;
  settings: () => Settings;
  /** Whether the endpoints are open. */
  isOpen: () => Promise<boolean>;
  /** Gets a `bluetooth_changed` event as JSON text. */
  emit: (json: string) => void;
  /** The stored configuration is in effect after it could not be applied. */
  recovered: () => void;
  log: Logger;
}

type Waiter = PromiseWithResolvers<void>;

/** The Bluetooth radio as configured, and what the endpoints do with it. */
export class Bluetooth {
  readonly #options: BluetoothOptions;
  readonly #driver: Driver<Readonly<AdapterMachineState>, AdapterMachineEvent, AdapterMachineEffect>;
  readonly #pairing: Pairing;
  readonly #snapshots: Snapshots;
  readonly #waiters = new Set<Waiter>();
  readonly #pairingListeners = new Set<PairingListener>();
  #timer: NodeJS.Timeout | undefined;
  #scanTimer: NodeJS.Timeout | undefined;
  #unwatch: (() => void) | undefined;
  /** An adapter was there since Bluetooth was enabled. */
  #hadAdapter = false;
  /** The stored configuration could not be applied. */
  #isBehind = false;

  constructor(options: BluetoothOptions) {
    this.#options = options;
    const { radio, log, isOpen, emit } = options;
    this.#driver = new Driver<Readonly<AdapterMachineState>, AdapterMachineEvent, AdapterMachineEffect>({
      machine: adapterMachine,
      initial: INITIAL_STATE,
      perform: (effect) => this.#perform(effect),
      changed: () => this.#stateChanged(),
    });
    this.#pairing = new Pairing({
      radio,
      log: limitedLog(log),
      adapter: () => this.#driver.state.adapter?.id,
      discoverable: () => options.settings().enabled && options.settings().discoverable,
      open: (device) => this.#reach({ event: 'pairing', device }),
      released: () => this.#driver.dispatch({ event: 'agent_released' }),
      changed: () => this.#pairingChanged(),
    });
    this.#snapshots = new Snapshots({ snapshot: () => this.#snapshot(), isOpen, emit });
  }

  /** Begins to follow the daemon, and brings it to the configured state. */
  start(): void {
    const { radio, settings, log } = this.#options;
    this.#unwatch = radio.watch(() => this.#daemonChanged(), this.#pairing);
    // A failure is in `problems`, and is tried again.
    this.#reach({ event: 'configured', settings: settings() }).catch((error: unknown) =>
      log.warn({ reason: errorMessage(error) }, 'Bluetooth is not as configured'),
    );
  }

  /** The daemon goes on: input devices work while the agent restarts. */
  stop(): void {
    this.#driver.stop();
    this.#unwatch?.();
    this.#pairing.stop();
    this.#snapshots.stop();
    clearTimeout(this.#timer);
    clearTimeout(this.#scanTimer);
  }

  /** Applies the configuration. @throws ApiError `unavailable` when the daemon does not have it in time */
  async apply(): Promise<void> {
    this.#isBehind = true;
    await this.#reach({ event: 'configured', settings: this.#options.settings() });
    this.#isBehind = false;
  }

  /** Calls `listener` whenever the displayed pairing changes, until the returned function is called. */
  onPairing(listener: PairingListener): () => void {
    this.#pairingListeners.add(listener);
    return () => this.#pairingListeners.delete(listener);
  }

  problems(): string[] {
    const { settings, failure, adapter, hasRadio } = this.#driver.state;
    if (!settings.enabled) return [];
    if (failure !== undefined) return [`Bluetooth is enabled and does not work as configured: ${failure}`];
    const isGone = this.#hadAdapter && !adapter && hasRadio === false;
    return isGone ? ['Bluetooth is enabled, and its adapter is gone.'] : [];
  }

  /** @throws ApiError `unavailable` while the daemon has no adapter */
  get(): BluetoothAdapter {
    return shownAdapter(this.#adapter(), this.#pairing.shown);
  }

  /** Adapter and devices, as `bluetooth_changed` has them. @throws ApiError `unavailable` while the daemon has no adapter */
  state(): Payload<typeof bluetoothChanged> {
    const devices = listedDevices([...this.#options.radio.devices.values()]);
    return { adapter: this.get(), devices };
  }

  async power(powered: boolean): Promise<BluetoothAdapter> {
    this.#adapter();
    await this.#reach({ event: 'power', powered });
    return this.get();
  }

  async scan(active: boolean): Promise<BluetoothAdapter> {
    this.#requirePower();
    clearTimeout(this.#scanTimer);
    if (active) this.#scanTimer = setTimeout(() => this.#endScan(), SCAN_MS).unref();
    await this.#reach({ event: 'scan', active });
    return this.get();
  }

  devices(): BluetoothDevice[] {
    this.#requirePower();
    return listedDevices([...this.#options.radio.devices.values()]);
  }

  /** @throws ApiError `conflict`, `not_found`, `unavailable` */
  async pair(address: string): Promise<BluetoothDevice> {
    this.#requirePower();
    const id = await this.#pairing.pair(this.#known(address));
    // It may have another address now, or, if it was known by that one, another id.
    const paired = this.#options.radio.devices.get(id) ?? this.#find(address);
    if (!paired) throw new ApiError('unavailable', 'The device was removed while it was paired.');
    return shownDevice(paired);
  }

  /** @throws ApiError `conflict`, `not_found`, `unavailable` */
  async remove(address: string): Promise<BluetoothDevice[]> {
    const adapter = this.#requirePower();
    await this.#options.radio.remove(adapter.id, this.#known(address).id);
    return this.devices();
  }

  #find(address: string): RemoteDevice | undefined {
    return [...this.#options.radio.devices.values()].find((device) => device.address === address);
  }

  #known(address: string): RemoteDevice {
    const known = this.#find(address);
    if (!known)
      throw new ApiError('not_found', `No device with the address ${address} is known or was found.`);
    return known;
  }

  #adapter(): AdapterState {
    const { adapter, failure } = this.#driver.state;
    if (!adapter) throw new ApiError('unavailable', failure ?? 'The Bluetooth adapter is starting.');
    return adapter;
  }

  #requirePower(): AdapterState {
    const adapter = this.#adapter();
    if (!adapter.powered) throw new ApiError('conflict', 'The Bluetooth adapter is powered off.');
    return adapter;
  }

  #endScan(): void {
    this.#reach({ event: 'scan', active: false }).catch((error: unknown) =>
      this.#options.log.warn({ reason: errorMessage(error) }, 'discovery did not end'),
    );
  }

  /** Takes an event, and waits for the state that follows from it. @throws ApiError `unavailable` */
  async #reach(event: AdapterMachineEvent): Promise<void> {
    if (this.#waiters.size >= MAX_WAITERS) throw new ApiError('too_many_requests');
    const waiter: Waiter = Promise.withResolvers();
    this.#waiters.add(waiter);
    try {
      this.#driver.dispatch(event);
      if (isSettled(this.#driver.state)) return;
      const late = () => new ApiError('unavailable', 'The Bluetooth service does not answer in time.');
      await withTimeout(waiter.promise, SETTLE_MS, late);
    } finally {
      // Nobody may be waiting for it any more.
      waiter.promise.catch(() => undefined);
      this.#waiters.delete(waiter);
    }
  }

  #daemonChanged(): void {
    this.#driver.dispatch({ event: 'daemon', state: this.#options.radio.state });
    this.#pairing.devicesChanged();
    this.#snapshots.touched();
  }

  #stateChanged(): void {
    const { state } = this.#driver;
    this.#hadAdapter = state.settings.enabled && (this.#hadAdapter || state.adapter !== undefined);
    if (isSettled(state)) {
      for (const waiter of this.#waiters) waiter.resolve();
      if (this.#isBehind && this.#waiters.size === 0) {
        this.#isBehind = false;
        this.#options.recovered();
      }
    }
    this.#snapshots.touched();
  }

  #pairingChanged(): void {
    for (const listener of this.#pairingListeners) listener(this.#pairing.shown, this.#pairing.isTyped);
    this.#snapshots.touched();
  }

  #snapshot(): string | undefined {
    const { settings, adapter } = this.#driver.state;
    return settings.enabled && adapter ? JSON.stringify(this.state()) : undefined;
  }

  #perform(effect: AdapterMachineEffect): void {
    switch (effect.do) {
      case 'run':
        void this.#run(effect.step);
        return;
      case 'look':
        void this.#look();
        return;
      case 'set_timer':
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#driver.dispatch({ event: 'timer' }), effect.ms).unref();
        return;
      case 'cancel_timer':
        clearTimeout(this.#timer);
        return;
      case 'report':
        this.#options.log.warn({ reason: effect.message }, 'Bluetooth is not as configured');
        for (const waiter of this.#waiters) waiter.reject(new ApiError('unavailable', effect.message));
        return;
    }
  }

  async #look(): Promise<void> {
    const hasRadio = await this.#options.radio.isPresent();
    this.#driver.dispatch({ event: 'looked', hasRadio });
  }

  async #run(step: Step): Promise<void> {
    try {
      await this.#carryOut(step);
      this.#driver.dispatch({ event: 'done' });
    } catch (error) {
      this.#driver.dispatch({ event: 'done', error: errorMessage(error) });
    }
  }

  #carryOut(step: Step): Promise<void> {
    const { radio } = this.#options;
    switch (step.step) {
      case 'start_daemon':
        return radio.startDaemon();
      case 'stop_daemon':
        return radio.stopDaemon();
      case 'register_agent':
        return radio.registerAgent();
      case 'set':
        return radio.set(step.adapter, step.setting);
      case 'discover':
        return radio.setDiscovering(step.adapter, step.active);
    }
  }
}
