/** One interface that wpa_supplicant manages: `fi.w1.wpa_supplicant1.Interface`. */
import { Mutex } from '../../base/mutex.ts';
import { withTimeout } from '../../base/timeout.ts';
import { channelFrequency, leastBusyChannel } from '../../resources/wifi/countries.ts';
import type {
  AccessPointSetup,
  FailureCode,
  Link,
  RadioEvent,
  SeenNetwork,
  Setup,
  StationNetwork,
  StationSetup,
} from '../../resources/wifi/ports.ts';
import type { IncomingMessage, SystemBus } from '../dbus/bus.ts';
import type { Properties } from '../dbus/objects.ts';
import { anything, type BusValue, integer, listOf, recordOf, shaped, text } from '../dbus/values.ts';
import { type Bss, parseBss } from './bss.ts';

const SERVICE = 'fi.w1.wpa_supplicant1';
const INTERFACE = `${SERVICE}.Interface`;
const PROPERTIES = 'org.freedesktop.DBus.Properties';
/** Each call takes milliseconds. A service that hangs is restarted by {@link Supplicant}. */
const CALL_MS = 5000;
/** A scan takes 2 to 5 s, and longer while a network is joined, whose channel is returned to in between. */
const SCAN_MS = 25_000;
/** Networks of a scan that are read; wpa_supplicant keeps at most 200. */
const MAX_NETWORKS = 200;
/** Properties of networks that are read at a time. */
const READS = 8;
/** Networks heard in this time are considered when a channel is chosen, in seconds. */
const RECENT_S = 120;
const QUIET_SCAN_MS = 8000;
/**
 * Longest time until an access point runs, in ms: it takes less than a second. There is no signal for one that does not
 * start, which is so if the frequency is not allowed for it.
 */
const ACCESS_POINT_MS = 8000;
/** Looks for a better access point of the network: every 30 s below -65 dBm, else once an hour. */
const ROAMING = 'simple:30:-65:3600';

const parsePath = shaped(text);
const parseProperties = shaped(recordOf(anything));

export interface SupplicantInterfaceOptions {
  dbus: SystemBus;
  /** Of the interface's object. */
  path: string;
  /** Unique name of the service that made it. */
  owner: string;
  emit: (event: RadioEvent) => void;
}

export class SupplicantInterface {
  readonly path: string;
  readonly owner: string;
  readonly #dbus: SystemBus;
  readonly #emit: (event: RadioEvent) => void;
  readonly #stops: (() => void)[] = [];
  /** Setups, one after the other. */
  readonly #turns = new Mutex();
  /** The properties of the interface that are followed. */
  #properties: Properties = {};
  #setup: Setup | undefined;
  /** The setup that the service has completely; undefined while it is changed, and after a failure. */
  #complete: Setup | undefined;
  /** Network objects of the station, by what they were made from. */
  readonly #networks = new Map<string, string>();
  #scan: Promise<SeenNetwork[]> | undefined;
  /** When the last scan began, in ms of `performance.now()`. */
  #scanStart = 0;
  /** When the last setup began, likewise. */
  #setupStart = 0;
  #scanEnded: PromiseWithResolvers<boolean> | undefined;
  #accessPointTimer: NodeJS.Timeout | undefined;
  /** Of the access point, in MHz; 0 until the service has been told to start it. */
  #servingMhz = 0;
  #isReading = false;
  #isStale = false;
  #isClosed = false;

  constructor({ dbus, path, owner, emit }: SupplicantInterfaceOptions) {
    this.path = path;
    this.owner = owner;
    this.#dbus = dbus;
    this.#emit = emit;
  }

  /** Follows the interface, and removes what an earlier process has set up. */
  async open(): Promise<void> {
    const from = { sender: SERVICE, path: this.path, interface: INTERFACE };
    const follow = (member: string, listener: (signal: IncomingMessage) => void) =>
      this.#stops.push(this.#dbus.subscribe({ ...from, member }, listener));
    // The signal of this name in the interface's own namespace comes for the interface only, the one of
    // org.freedesktop.DBus.Properties also for each network after each scan.
    follow('PropertiesChanged', ({ args }) => this.#changed(parseProperties(args)[0]));
    follow('ScanDone', ({ args }) => this.#scanDone(args[0] === true));
    follow('PskMismatch', () => this.#failed('wrong_passphrase'));
    follow('SaePasswordMismatch', () => this.#failed('wrong_passphrase'));
    this.#properties = await this.#getAll(this.path, INTERFACE);
    await this.#call('RemoveAllNetworks');
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#accessPointTimer);
    this.#scanEnded?.resolve(false);
    for (const stop of this.#stops) stop();
  }

  async setUp(setup: Setup): Promise<void> {
    await this.#turns.run(async () => {
      clearTimeout(this.#accessPointTimer);
      this.#setupStart = performance.now();
      const before = this.#complete;
      this.#complete = undefined;
      this.#setup = setup;
      this.#servingMhz = 0;
      await this.#set(this.path, INTERFACE, 'Country', ['s', setup.country]);
      if (setup.mode === 'ap') await this.#startAccessPoint(setup);
      else await this.#setUpStation(setup, before?.mode === 'station' ? before : undefined);
      this.#complete = setup;
    });
    await this.#read();
  }

  /** Calls at the same time share one scan. */
  scan(): Promise<SeenNetwork[]> {
    const late = () => new Error('the scan did not end in time');
    this.#scan ??= withTimeout(this.#scanNow(), SCAN_MS, late).finally(() => {
      this.#scan = undefined;
    });
    return this.#scan;
  }

  /** In dBm; undefined while not joined. */
  async signal(): Promise<number | undefined> {
    const [{ rssi }] = parseProperties(await this.#call('SignalPoll'));
    return integer(rssi) && rssi < 0 ? Math.max(rssi, -127) : undefined;
  }

  async #setUpStation(setup: StationSetup, before: StationSetup | undefined): Promise<void> {
    if (!before) await this.#removeAll();
    const wanted = new Map(setup.networks.map((network) => [JSON.stringify(network), network]));
    for (const [key, path] of [...this.#networks]) {
      if (wanted.has(key)) continue;
      this.#networks.delete(key);
      await this.#call('RemoveNetwork', [['o', path]]);
    }
    let isNew = false;
    for (const [key, network] of wanted) {
      if (this.#networks.has(key)) continue;
      isNew = true;
      this.#networks.set(key, await this.#addNetwork(stationProperties(network)));
    }
    const only = [...wanted].find(([, { ssid }]) => ssid === setup.only)?.[0];
    if (only !== undefined) {
      await this.#call('SelectNetwork', [['o', this.#networks.get(only) ?? '/']]);
      return;
    }
    for (const path of this.#networks.values())
      await this.#set(path, `${SERVICE}.Network`, 'Enabled', ['b', true]);
    // One that is in range may be better than the joined one; the results of a scan decide.
    if (isNew && before) await this.#requestScan().catch(() => undefined);
  }

  async #startAccessPoint(setup: AccessPointSetup): Promise<void> {
    const channel = setup.channel || (await this.#quietChannel(setup));
    await this.#removeAll();
    const frequency = channelFrequency(setup.band, channel);
    const network = await this.#addNetwork({
      ssid: ['ay', Buffer.from(setup.ssid)],
      psk: ['s', setup.psk],
      mode: ['i', 2],
      frequency: ['i', frequency],
      key_mgmt: ['s', 'WPA-PSK'],
      proto: ['s', 'RSN'],
      pairwise: ['s', 'CCMP'],
      group: ['s', 'CCMP'],
      wps_disabled: ['i', 1],
    });
    await this.#call('SelectNetwork', [['o', network]]);
    this.#servingMhz = frequency;
    const failed = () => this.#failed('channel_not_allowed');
    this.#accessPointTimer = setTimeout(failed, ACCESS_POINT_MS).unref();
  }

  /** By what was heard lately, else by a scan; without a result, the first channel. */
  async #quietChannel({ band, country }: AccessPointSetup): Promise<number> {
    const known = await this.#seen(RECENT_S);
    const seen = known.length > 0 ? known : await withTimeout(this.scan(), QUIET_SCAN_MS).catch(() => []);
    return leastBusyChannel(band, country, seen);
  }

  async #removeAll(): Promise<void> {
    await this.#call('RemoveAllNetworks');
    this.#networks.clear();
  }

  async #addNetwork(properties: Record<string, BusValue>): Promise<string> {
    return parsePath(await this.#call('AddNetwork', [['a{sv}', properties]]))[0];
  }

  async #scanNow(): Promise<SeenNetwork[]> {
    let ended = this.#nextScanEnd();
    // Refused while the supplicant scans by itself. That scan may have begun before a network was there, and the next one,
    // whoever requests it, does not.
    const isRefused = await this.#requestScan().then(
      () => false,
      () => true,
    );
    if (isRefused && (await ended)) {
      ended = this.#nextScanEnd();
      await this.#requestScan().catch(() => undefined);
    }
    const isComplete = await ended;
    if (this.#isClosed) throw new Error('the radio is gone');
    if (!isComplete) throw new Error('the driver has ended the scan');
    const networks = await this.#seen(this.#secondsSinceScan());
    return networks.map(({ age: _age, ...network }) => network).sort((a, b) => b.signalDbm - a.signalDbm);
  }

  /** Resolves when a scan ends: to whether it is complete. */
  #nextScanEnd(): Promise<boolean> {
    this.#scanEnded ??= Promise.withResolvers();
    return this.#scanEnded.promise;
  }

  /** A network that was heard longer ago was not found by the last scan. The ages are whole seconds. */
  #secondsSinceScan(): number {
    return Math.ceil((performance.now() - this.#scanStart) / 1000) + 1;
  }

  async #requestScan(): Promise<void> {
    await this.#call('Scan', [['a{sv}', { Type: ['s', 'active'] }]]);
  }

  /** The networks that were heard in the last seconds. */
  async #seen(seconds: number): Promise<Bss[]> {
    const { BSSs } = await this.#getAll(this.path, INTERFACE);
    const paths = listOf(text)(BSSs) ? BSSs.slice(0, MAX_NETWORKS) : [];
    const found: Bss[] = [];
    for (let at = 0; at < paths.length && !this.#isClosed; at += READS) {
      const some = paths.slice(at, at + READS).map((path) => this.#bss(path));
      found.push(...(await Promise.all(some)).filter((bss) => bss !== undefined));
    }
    return found.filter(({ age }) => age <= seconds);
  }

  async #bss(path: string): Promise<Bss | undefined> {
    // It may be gone meanwhile.
    const properties = await this.#getAll(path, `${SERVICE}.BSS`).catch(() => ({}));
    return parseBss(properties);
  }

  #scanDone(isComplete: boolean): void {
    this.#scanEnded?.resolve(isComplete);
    this.#scanEnded = undefined;
    if (!isComplete) return;
    const { State } = this.#properties;
    if (this.#setup?.mode === 'station' && this.#setup.networks.length > 0 && State !== 'completed') {
      void this.#reportSearch(this.#setup).catch(() => undefined);
    }
  }

  async #reportSearch({ networks, only }: StationSetup): Promise<void> {
    const wanted = only === undefined ? networks.map(({ ssid }) => ssid) : [only];
    // A scan from before the setup may have missed a network that has come since; another scan follows it.
    const isStale = this.#scanStart < this.#setupStart;
    const seen = await this.#seen(this.#secondsSinceScan());
    const inRange = seen.some(({ ssid }) => wanted.includes(ssid));
    if (!this.#isClosed && (inRange || !isStale)) this.#emit({ type: 'searched', inRange });
  }

  #changed(changed: Properties): void {
    this.#properties = { ...this.#properties, ...changed };
    const { State, CurrentBSS, AuthStatusCode, AssocStatusCode } = changed;
    if (changed.Scanning === true) this.#scanStart = performance.now();
    if (AuthStatusCode === CHALLENGE_FAILURE) this.#failed('wrong_passphrase');
    else if (isRefusal(AuthStatusCode) || isRefusal(AssocStatusCode)) this.#failed('refused');
    if (State !== undefined || CurrentBSS !== undefined) void this.#read().catch(() => undefined);
    const { Stations } = changed;
    if (listOf(text)(Stations)) this.#emit({ type: 'stations', count: Stations.length });
  }

  #failed(code: FailureCode): void {
    if (!this.#isClosed) this.#emit({ type: 'failed', code });
  }

  /** Reports what the radio does now. Changes that come while it is read are read again. */
  async #read(): Promise<void> {
    this.#isStale = true;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#isStale && !this.#isClosed) {
        this.#isStale = false;
        const link = await this.#currentLink();
        if (!this.#isClosed && !this.#isStale) this.#emit({ type: 'link', link });
      }
    } finally {
      this.#isReading = false;
    }
  }

  async #currentLink(): Promise<Link> {
    const { State, CurrentBSS } = this.#properties;
    switch (State) {
      case 'interface_disabled':
        return { phase: 'blocked' };
      case 'scanning':
        return { phase: 'searching' };
      case 'authenticating':
      case 'associating':
      case 'associated':
      case '4way_handshake':
      case 'group_handshake':
        return { phase: 'joining' };
      case 'completed': {
        if (this.#setup?.mode === 'ap') {
          // Before that, it is the network of the station.
          if (this.#servingMhz === 0) return { phase: 'idle' };
          clearTimeout(this.#accessPointTimer);
          return { phase: 'serving', frequencyMhz: this.#servingMhz };
        }
        const bss = text(CurrentBSS) ? await this.#bss(CurrentBSS) : undefined;
        return bss ? { phase: 'joined', ...joined(bss) } : { phase: 'joining' };
      }
      default:
        return { phase: 'idle' };
    }
  }

  async #getAll(path: string, name: string): Promise<Properties> {
    return parseProperties(await this.#callOn(path, PROPERTIES, 'GetAll', [['s', name]]))[0];
  }

  async #set(path: string, name: string, property: string, value: BusValue): Promise<void> {
    await this.#callOn(path, PROPERTIES, 'Set', [
      ['s', name],
      ['s', property],
      ['v', value],
    ]);
  }

  #call(member: string, args: readonly BusValue[] = []): Promise<readonly unknown[]> {
    return this.#callOn(this.path, INTERFACE, member, args);
  }

  /** To the process that made the interface: by the service's name, the bus would start a service that was stopped. */
  #callOn(
    path: string,
    name: string,
    member: string,
    args: readonly BusValue[],
  ): Promise<readonly unknown[]> {
    const { owner: destination } = this;
    return this.#dbus.call({ destination, path, interface: name, member, args, timeoutMs: CALL_MS });
  }
}

function joined({ ssid, bssid, frequencyMhz, signalDbm }: Bss) {
  return { ssid, bssid, frequencyMhz, signalDbm };
}

/** Status code of an SAE authentication with another passphrase. */
const CHALLENGE_FAILURE = 15;

/** A status code of IEEE 802.11 (table 9-80); 0 is success. 76 and 126 ask for another SAE exchange. */
function isRefusal(code: unknown): boolean {
  return integer(code) && ![0, 76, 126].includes(code);
}

/** A network block of wpa_supplicant.conf(5). Hidden networks are found too (`scan_ssid`). */
function stationProperties({ ssid, psk, priority }: StationNetwork): Record<string, BusValue> {
  const keys: Record<string, BusValue> = psk
    ? // WPA3 where the radio and the network can, else WPA2; with protected management frames if possible.
      { key_mgmt: ['s', 'SAE WPA-PSK WPA-PSK-SHA256'], psk: ['s', psk], ieee80211w: ['i', 1] }
    : { key_mgmt: ['s', 'NONE'] };
  return {
    ...{ ssid: ['ay', Buffer.from(ssid)], priority: ['i', priority], scan_ssid: ['i', 1] },
    ...{ bgscan: ['s', ROAMING], ...keys },
  };
}
