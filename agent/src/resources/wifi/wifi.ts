import type { Static } from 'typebox';
import type { Logger } from '../../base/logger.ts';
import { Driver } from '../../base/machine.ts';
import { errorMessage } from '../../base/system-error.ts';
import { withTimeout } from '../../base/timeout.ts';
import { ApiError } from '../../contract/errors.ts';
import type { EventBus } from '../../events/bus.ts';
import { frequencyChannel } from './countries.ts';
import type { FailureCode, SeenNetwork, Setup, WifiRadio } from './ports.ts';
import { type ScannedNetwork, type WifiStatus as Status, wifiChanged } from './schema.ts';
import { type AccessPointSettings, accessPointOf, type Choice, type Settings, setupOf } from './setup.ts';
import {
  failureOf,
  initialState,
  isEstablished,
  type TimerName,
  type WifiEffect,
  type WifiEvent,
  type WifiState,
  wifiMachine,
} from './wifi-machine.ts';

export type WifiStatus = Static<typeof Status>;

/** Longest time for a setup of the radio, in ms. */
const SET_UP_MS = 12_000;
/** Longest time of a request, in ms, also while a setup before it is under way. */
const ANSWER_MS = 19_500;
/** How long a changed configuration waits until the radio has it, in ms; the configuration waits 10 s. */
const APPLY_MS = 9000;

const REASONS: Record<FailureCode, string> = {
  wrong_passphrase: 'The passphrase of the network is wrong.',
  refused: 'The access point refuses this device.',
  not_found: 'No configured network is in range.',
  no_address: 'The network gave no address (DHCP).',
  rfkill: 'The radio is switched off by a hardware switch or rfkill.',
  channel_not_allowed: 'The radio does not allow an access point on this channel in this country.',
  radio_failed: 'The radio or its driver failed.',
};

export interface WifiOptions {
  radio: WifiRadio;
  settings: () => Settings;
  /** Addresses of an interface. */
  addresses: (interfaceName: string) => readonly string[];
  bus: EventBus;
  log: Logger;
  /** The access point's name or passphrase, or whether there is one, may have changed. */
  onAccessPoint: () => void;
  /** The radio has taken a configuration that it had not taken in time. */
  recovered: () => void;
}

/** Wi-Fi: keeps the radio as configured, answers requests, and publishes every change. */
export class Wifi {
  readonly #options: WifiOptions;
  readonly #driver: Driver<WifiState, WifiEvent, WifiEffect>;
  readonly #timers = new Map<TimerName, NodeJS.Timeout>();
  readonly #requests = new Map<number, (failure: FailureCode | 'replaced' | 'off' | undefined) => void>();
  /** Wait until the radio has what is configured. */
  readonly #waiting = new Set<() => void>();
  #lastRequest = 0;
  /** Calls of the radio that are under way. */
  #running = 0;
  #setupError: Error | undefined;
  /** The stored configuration could not be applied. */
  #isBehind = false;
  #published = '';
  #shownAccessPoint = '';
  #unlisten: (() => void) | undefined;

  constructor(options: WifiOptions) {
    this.#options = options;
    this.#driver = new Driver({
      machine: wifiMachine,
      initial: initialState({ ...options.settings(), enabled: false }),
      perform: (effect) => this.#perform(effect),
      changed: () => this.#changed(),
    });
  }

  start(): void {
    this.#unlisten = this.#options.radio.listen((event) => this.#driver.dispatch(event));
    this.networkChanged();
    this.settingsChanged();
    // An agent that was killed may have left the service running: it is stopped as after a stop that failed.
    if (!this.#options.settings().enabled) this.#driver.dispatch({ type: 'elapsed', timer: 'retry' });
  }

  async stop(): Promise<void> {
    this.#unlisten?.();
    this.#driver.stop();
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  /**
   * Takes over a changed configuration, and waits until the radio has it.
   * @throws Error when the radio refuses it, or does not take it in time
   */
  async apply(): Promise<void> {
    this.#setupError = undefined;
    this.settingsChanged();
    if (this.#options.radio.interfaceName === undefined) return;
    this.#isBehind = true;
    const settled = Promise.withResolvers<void>();
    const check = () => {
      if (this.#setupError || this.#isTaken()) settled.resolve();
    };
    this.#waiting.add(check);
    try {
      check();
      await withTimeout(
        settled.promise,
        APPLY_MS,
        () => new Error('the radio did not take the settings in time'),
      );
    } finally {
      this.#waiting.delete(check);
    }
    if (this.#setupError) throw this.#setupError;
    this.#isBehind = false;
  }

  /** Takes over a changed configuration of `wifi` or `device`, and does not wait. */
  settingsChanged(): void {
    this.#driver.dispatch({ type: 'settings', settings: this.#options.settings() });
  }

  /** The network interfaces or their addresses may have changed. */
  networkChanged(): void {
    this.#options.radio.interfacesChanged();
    this.#readAddress();
  }

  /** The state now, with the current signal. */
  async get(): Promise<WifiStatus> {
    const status = await this.#status();
    if (!status.connection) return status;
    const signal = await this.#options.radio.signal().catch(() => undefined);
    const signalDbm = signal ?? status.connection.signal_dbm;
    return { ...status, connection: { ...status.connection, signal_dbm: signalDbm } };
  }

  /** @throws ApiError `conflict` while an access point is active, `unavailable` */
  async scan(): Promise<Static<typeof ScannedNetwork>[]> {
    if (this.#isAccessPoint) {
      throw new ApiError('conflict', 'An access point is active: the radio cannot scan.');
    }
    await this.#refuseWhileBlocked();
    let seen: SeenNetwork[];
    try {
      seen = await this.#options.radio.scan();
    } catch (error) {
      throw new ApiError('unavailable', `The radio did not scan: ${errorMessage(error)}.`);
    }
    await this.#publish(true);
    return seen.map(({ signalDbm, frequencyMhz, ...rest }) => {
      return { ...rest, signal_dbm: signalDbm, frequency_mhz: frequencyMhz };
    });
  }

  /** Joins a configured network until the next boot. @throws ApiError `not_found`, `conflict`, `unavailable` */
  async connect(ssid: string): Promise<WifiStatus> {
    if (!this.#options.settings().networks.some((network) => network.ssid === ssid)) {
      throw new ApiError('not_found', `No configured network is named ${JSON.stringify(ssid)}.`);
    }
    if (this.#isAccessPoint) {
      throw new ApiError('conflict', 'An access point is active. Stop it first (POST /wifi/ap).');
    }
    await this.#request({ mode: 'station', only: ssid }, 'The network is not in range.');
    return this.get();
  }

  /**
   * Starts an access point until the next boot.
   * @param ap fields that take the place of the configured ones; together they keep the rules of the configuration
   * @throws ApiError `conflict`, `unavailable`
   */
  async startAccessPoint(ap: Partial<AccessPointSettings>): Promise<WifiStatus> {
    await this.#request({ mode: 'ap', ap });
    return this.get();
  }

  /** Returns to the configured networks until the next boot. Does not wait: none of them may be in range. */
  async stopAccessPoint(): Promise<WifiStatus> {
    const { mode } = this.#options.settings();
    const choice: Choice | undefined = mode === 'ap' ? { mode: 'station', only: undefined } : undefined;
    this.#driver.dispatch({ type: 'choose', choice });
    return this.get();
  }

  get #isAccessPoint(): boolean {
    return setupOf(this.#options.settings(), this.#driver.state.choice)?.mode === 'ap';
  }

  /** The access point that is active, for people who want to join it. */
  get accessPoint(): { ssid: string; psk: string } | undefined {
    const { given, link } = this.#driver.state;
    return given?.mode === 'ap' && link.phase === 'serving'
      ? { ssid: given.ssid, psk: given.psk }
      : undefined;
  }

  /** The settings of an access point with these fields. */
  accessPointWith(ap: Partial<AccessPointSettings>): AccessPointSettings {
    return accessPointOf(this.#options.settings(), { mode: 'ap', ap });
  }

  /** A sentence for health if the radio does not work. */
  problems(): string[] {
    const { failure, service, failedSetups } = this.#driver.state;
    const isBroken = service !== 'stopped' && failure === 'radio_failed' && failedSetups > 1;
    return isBroken ? ['The Wi-Fi radio or its driver failed. It is tried again.'] : [];
  }

  async #refuseWhileBlocked(): Promise<void> {
    if (await this.#options.radio.isBlocked()) throw new ApiError('unavailable', REASONS.rfkill);
  }

  async #request(choice: Choice, notFound = REASONS.not_found): Promise<void> {
    await this.#refuseWhileBlocked();
    this.#lastRequest += 1;
    const id = this.#lastRequest;
    const { promise, resolve } = Promise.withResolvers<FailureCode | 'replaced' | 'off' | undefined>();
    this.#requests.set(id, resolve);
    // The request may be based on settings that the radio has not got yet.
    this.settingsChanged();
    this.#driver.dispatch({ type: 'choose', id, choice });
    const late = () => {
      this.#driver.dispatch({ type: 'abandon', id });
      return new ApiError('unavailable', REASONS.radio_failed, { reason: 'radio_failed' });
    };
    const failure = await withTimeout(promise, ANSWER_MS, late);
    if (failure === undefined) return;
    if (failure === 'replaced') throw new ApiError('conflict', 'Another request has replaced this one.');
    if (failure === 'off') throw new ApiError('unavailable', 'Wi-Fi was switched off.');
    const reason = failure === 'not_found' ? notFound : REASONS[failure];
    throw new ApiError('unavailable', reason, { reason: failure });
  }

  #perform(effect: WifiEffect): Promise<void> | undefined {
    const { radio } = this.#options;
    switch (effect.do) {
      case 'start':
        return this.#tried(() => radio.start(), { type: 'start_failed' });
      case 'stop':
        return this.#tried(() => radio.stop(), { type: 'stop_failed' });
      case 'set_up':
        return this.#setUp(effect.setup);
      case 'read_address':
        this.#readAddress();
        return undefined;
      case 'answer':
        this.#requests.get(effect.id)?.(effect.failure);
        this.#requests.delete(effect.id);
        return undefined;
      case 'disarm':
        clearTimeout(this.#timers.get(effect.timer));
        return undefined;
      case 'arm': {
        const { timer, ms } = effect;
        clearTimeout(this.#timers.get(timer));
        const elapsed = () => this.#driver.dispatch({ type: 'elapsed', timer });
        this.#timers.set(timer, setTimeout(elapsed, ms).unref());
        return undefined;
      }
    }
  }

  async #setUp(setup: Setup): Promise<void> {
    const work = () => withTimeout(this.#options.radio.setUp(setup), SET_UP_MS);
    await this.#tried(work, { type: 'setup_failed', code: 'radio_failed' });
  }

  async #tried(work: () => Promise<void>, failed: WifiEvent): Promise<void> {
    this.#running += 1;
    try {
      await work();
      this.#setupError = undefined;
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the Wi-Fi radio failed');
      this.#setupError = error instanceof Error ? error : new Error(errorMessage(error));
      this.#driver.dispatch(failed);
    } finally {
      this.#running -= 1;
    }
  }

  /** Whether service and radio are as they should be. */
  #isTaken(): boolean {
    if (this.#running > 0) return false;
    const { settings, choice, service, given } = this.#driver.state;
    // Events may still wait.
    if (JSON.stringify(settings) !== JSON.stringify(this.#options.settings())) return false;
    const target = setupOf(settings, choice);
    if (!target) return service === 'stopped';
    return JSON.stringify(target) === JSON.stringify(given);
  }

  #readAddress(): void {
    this.#driver.dispatch({ type: 'address', has: this.#addresses().some(isReachable) });
  }

  #addresses(): readonly string[] {
    const { interfaceName } = this.#options.radio;
    return interfaceName === undefined ? [] : this.#options.addresses(interfaceName);
  }

  #changed(): void {
    for (const check of this.#waiting) check();
    if (this.#isBehind && this.#waiting.size === 0 && !this.#setupError && this.#isTaken()) {
      this.#isBehind = false;
      this.#options.recovered();
    }
    const shown = JSON.stringify(this.accessPoint) ?? '';
    if (shown !== this.#shownAccessPoint) {
      this.#shownAccessPoint = shown;
      this.#options.onAccessPoint();
    }
    void this.#publish(false);
  }

  /** Publishes the state if it has changed, or in any case. Not while the endpoints answer 503. */
  async #publish(always: boolean): Promise<void> {
    const status = await this.#status();
    // The configuration may have changed meanwhile.
    if (!this.#options.settings().enabled || this.#options.radio.interfaceName === undefined) {
      this.#published = '';
      return;
    }
    // The signal changes all the time.
    const text = JSON.stringify(status, (key, value: unknown) => (key === 'signal_dbm' ? undefined : value));
    if (text === this.#published && !always) return;
    this.#published = text;
    this.#options.bus.emit(wifiChanged, status);
  }

  async #status(): Promise<WifiStatus> {
    const { state } = this.#driver;
    const isBlocked = await this.#options.radio.isBlocked();
    const { choice, link, given, stations } = state;
    const { enabled, country, mode } = this.#options.settings();
    const failure = isBlocked ? 'rfkill' : failureOf(state);
    // The address may be a moment older than its event.
    const code = failure === 'no_address' && this.#addresses().some(isReachable) ? undefined : failure;
    return {
      enabled,
      mode: choice?.mode ?? mode,
      rfkill_blocked: isBlocked,
      country,
      connection:
        link.phase === 'joined'
          ? {
              ssid: link.ssid,
              bssid: link.bssid,
              signal_dbm: link.signalDbm,
              frequency_mhz: link.frequencyMhz,
              addresses: [...this.#addresses()],
            }
          : null,
      access_point:
        link.phase === 'serving' && given?.mode === 'ap'
          ? {
              ssid: given.ssid,
              channel: frequencyChannel(link.frequencyMhz),
              frequency_mhz: link.frequencyMhz,
              stations,
            }
          : null,
      error: code && !isEstablished(state) ? { code, message: REASONS[code] } : null,
    };
  }
}

/** Whether others on the network can reach the address: not a link-local one. */
function isReachable(address: string): boolean {
  return !/^(?:fe[89ab]|169\.254\.)/i.test(address);
}
