/**
 * The Wi-Fi radio through wpa_supplicant's D-Bus API (https://w1.fi/wpa_supplicant/devel/dbus.html), as a station and as
 * an access point. Addresses are systemd-networkd's (overlay/usr/lib/systemd/network).
 */
import { Backoff } from '../../base/backoff.ts';
import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/mutex.ts';
import { sleep } from '../../base/timeout.ts';
import type { RadioEvent, SeenNetwork, Setup, WifiRadio } from '../../resources/wifi/ports.ts';
import type { SystemBus } from '../dbus/bus.ts';
import { BusError, type BusValue, shaped, text } from '../dbus/values.ts';
import type { Systemd } from '../systemd.ts';
import { SupplicantInterface } from './supplicant-interface.ts';
import { isRadioBlocked, type WirelessInterface, wirelessInterface } from './wireless-interface.ts';

export const SUPPLICANT = 'fi.w1.wpa_supplicant1';
const UNIT = 'wpa_supplicant.service';
const ROOT = { destination: SUPPLICANT, path: '/fi/w1/wpa_supplicant1', interface: SUPPLICANT };
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 10_000;
const FAILURES_TO_RESTART = 3;

const parsePath = shaped(text);

export interface SupplicantOptions {
  dbus: SystemBus;
  systemd: Systemd;
  /** Lets stations of the access point on this interface ask for an address; undefined: no stations. */
  allowStations: (interfaceName: string | undefined) => Promise<void>;
  log: Logger;
}

export class Supplicant implements WifiRadio {
  readonly #dbus: SystemBus;
  readonly #systemd: Systemd;
  readonly #allowStations: SupplicantOptions['allowStations'];
  readonly #log: Logger;
  readonly #listeners = new Set<(event: RadioEvent) => void>();
  /** Attaching and detaching, one after the other. */
  readonly #turns = new Mutex();
  /** Whether the service is to run. */
  #isWanted = false;
  #owner: string | undefined;
  #attached: { device: WirelessInterface; link: SupplicantInterface } | undefined;
  #unwatch: (() => void) | undefined;
  #retries = new AbortController();
  /** In a row. */
  #failedSetups = 0;

  constructor({ dbus, systemd, allowStations, log }: SupplicantOptions) {
    this.#dbus = dbus;
    this.#systemd = systemd;
    this.#allowStations = allowStations;
    this.#log = log;
  }

  get interfaceName(): string | undefined {
    return wirelessInterface()?.name;
  }

  async isBlocked(): Promise<boolean> {
    const name = this.interfaceName;
    return name !== undefined && isRadioBlocked(name);
  }

  listen(listener: (event: RadioEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async start(): Promise<void> {
    this.#isWanted = true;
    if (!wirelessInterface()) return; // `interfacesChanged` starts it
    await this.#systemd.start(UNIT);
    if (!this.#isWanted) return;
    this.#unwatch ??= this.#dbus.watch(SUPPLICANT, (owner) => {
      this.#owner = owner;
      void this.#update();
    });
  }

  async stop(): Promise<void> {
    this.#isWanted = false;
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#owner = undefined;
    await this.#update();
    try {
      await this.#systemd.stop(UNIT);
    } finally {
      await this.#allowStations(undefined);
    }
  }

  interfacesChanged(): void {
    if (!this.#isWanted) return;
    if (this.#unwatch) void this.#update();
    else if (wirelessInterface()) {
      this.start().catch((error: unknown) => {
        this.#log.warn({ err: error }, 'the Wi-Fi service did not start');
        this.#emit({ type: 'start_failed' });
      });
    }
  }

  async setUp(setup: Setup): Promise<void> {
    const link = this.#link();
    await this.#allowStations(setup.mode === 'ap' ? this.interfaceName : undefined);
    try {
      await link.setUp(setup);
      this.#failedSetups = 0;
    } catch (error) {
      this.#failedSetups += 1;
      // It may hang.
      if (this.#isWanted && this.#failedSetups % FAILURES_TO_RESTART === 0) {
        this.#log.warn('the Wi-Fi service is restarted');
        await this.#systemd.restart(UNIT);
      }
      throw error;
    }
  }

  async scan(): Promise<SeenNetwork[]> {
    return await this.#link().scan();
  }

  async signal(): Promise<number | undefined> {
    return await this.#attached?.link.signal();
  }

  #link(): SupplicantInterface {
    if (!this.#attached) throw new Error('the radio is not ready');
    return this.#attached.link;
  }

  /** Attaches to the present interface of the present service, and detaches from earlier ones. */
  async #update(): Promise<void> {
    this.#retries.abort();
    this.#retries = new AbortController();
    const { signal } = this.#retries;
    const backoff = new Backoff(FIRST_RETRY_MS, LAST_RETRY_MS);
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        await this.#turns.run(() => this.#attach());
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#log.warn({ err: error }, 'the Wi-Fi service did not take the interface');
        // A service that was started before the kernel's Wi-Fi modules were loaded again finds no radio any more.
        if (failures % FAILURES_TO_RESTART === 0) await this.#systemd.restart(UNIT).catch(() => undefined);
        await sleep(backoff.next(), signal);
      }
    }
  }

  async #attach(): Promise<void> {
    const device = this.#owner === undefined ? undefined : wirelessInterface();
    const owner = this.#owner;
    if (this.#attached) {
      const { link } = this.#attached;
      if (this.#attached.device.index === device?.index && link.owner === owner) return;
      this.#attached = undefined;
      link.close();
      this.#emit({ type: 'lost' });
      // Only of an interface that is gone: a service that is gone has none.
      if (owner === link.owner)
        await this.#call('RemoveInterface', [['o', link.path]]).catch(() => undefined);
    }
    if (!device || owner === undefined) return;
    const path = await this.#interfacePath(device.name);
    const link = new SupplicantInterface({
      dbus: this.#dbus,
      path,
      owner,
      emit: (event) => this.#emit(event),
    });
    try {
      await link.open();
    } catch (error) {
      link.close();
      throw error;
    }
    this.#attached = { device, link };
    this.#emit({ type: 'ready' });
  }

  /** Lets the service manage the interface. */
  async #interfacePath(name: string): Promise<string> {
    const options: Record<string, BusValue> = { Ifname: ['s', name], Driver: ['s', 'nl80211'] };
    try {
      return parsePath(await this.#call('CreateInterface', [['a{sv}', options]]))[0];
    } catch (error) {
      if (!(error instanceof BusError && error.errorName === `${SUPPLICANT}.InterfaceExists`)) throw error;
      return parsePath(await this.#call('GetInterface', [['s', name]]))[0];
    }
  }

  #call(member: string, args: readonly BusValue[]): Promise<readonly unknown[]> {
    return this.#dbus.call({ ...ROOT, member, args });
  }

  #emit(event: RadioEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}
