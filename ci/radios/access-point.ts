import { waitFor } from '../../testing/wait.ts';
import { COMMAND_MS, type FarRadio, FOLDER, IW } from './far-radio.ts';

const UP_MS = 60_000;
/** Addresses that the access point gives, as the last number. */
const FIRST_LEASE = 50;
const LAST_LEASE = 60;

export interface AccessPointOptions {
  ssid: string;
  security: 'open' | 'wpa2' | 'wpa3' | 'mixed';
  /** Required unless the network is open. */
  passphrase?: string;
  /** 1 to 13: 2.4 GHz; others: 5 GHz, which needs a country that allows it. Default 1. */
  channel?: number;
  /** Sets the kernel's country, which is also that of the device's radio. */
  country?: string;
  hidden?: boolean;
  /** Whether stations get an address. Default: true. */
  dhcp?: boolean;
  /** The only address that it gives, instead of some of its network. */
  lease?: string;
  /** More lines of udhcpd.conf, for example `opt dns 192.168.61.1`. */
  dhcpOptions?: readonly string[];
  /** 0 to 20; stations measure 50 dB less. Default 20. */
  powerDbm?: number;
}

/** A station of an access point. */
export interface Station {
  mac: string;
  /** It knew the passphrase. */
  authorized: boolean;
}

/** Security of hostapd.conf; hexadecimal passphrases and the like are not needed here. */
function securityLines({ ssid, security, passphrase = '' }: AccessPointOptions): string[] {
  if (security === 'open') return [];
  if (!passphrase) throw new Error(`the network ${ssid} needs a passphrase`);
  const management = { wpa2: 'WPA-PSK', wpa3: 'SAE', mixed: 'WPA-PSK SAE' }[security];
  return [
    'wpa=2',
    'rsn_pairwise=CCMP',
    `wpa_key_mgmt=${management}`,
    // Protected management frames: WPA3 requires them.
    `ieee80211w=${{ wpa2: 0, wpa3: 2, mixed: 1 }[security]}`,
    `${security === 'wpa3' ? 'sae_password' : 'wpa_passphrase'}=${passphrase}`,
  ];
}

/** An access point at the other end: hostapd, and a DHCP server. */
export class AccessPoint {
  readonly radio: FarRadio;
  readonly options: AccessPointOptions;

  constructor(radio: FarRadio, options: AccessPointOptions) {
    this.radio = radio;
    this.options = options;
  }

  /** The IPv4 address of the access point. */
  get address(): string {
    return this.radio.address;
  }

  /** Starts it, again after {@link stop}, and waits until it is on the air. */
  async start(): Promise<void> {
    const { radio, options } = this;
    const { ssid, channel = 1, country, hidden = false, dhcp = true, dhcpOptions = [], powerDbm } = options;
    const {
      lease: first = `${radio.network}.${FIRST_LEASE}`,
      lease: last = `${radio.network}.${LAST_LEASE}`,
    } = options;
    const lines = [
      ...[`interface=${radio.interface}`, 'driver=nl80211', `ssid=${ssid}`],
      ...[`hw_mode=${channel <= 14 ? 'g' : 'a'}`, `channel=${channel}`],
      `ignore_broadcast_ssid=${hidden ? 1 : 0}`,
      ...(country === undefined ? [] : [`country_code=${country}`]),
      ...securityLines(options),
    ];
    const leases = [
      ...[`start ${first}`, `end ${last}`],
      ...[`interface ${radio.interface}`, `lease_file ${radio.file('leases')}`, 'opt subnet 255.255.255.0'],
      ...dhcpOptions,
    ];
    await radio.shell.ok(
      `set -e
      ${radio.stopping('hostapd', 'dhcp')}
      ${radio.writing('hostapd.conf', lines)}
      ${radio.writing('dhcp.conf', leases)}
      : >${radio.file('leases')}
      ip -n ${radio.netns} addr replace ${radio.address}/24 dev ${radio.interface}
      ${radio.starting('hostapd', `${FOLDER}/hostapd ${radio.file('hostapd.conf')}`)}
      ${dhcp ? radio.starting('dhcp', `busybox udhcpd -f ${radio.file('dhcp.conf')}`) : ''}`,
      COMMAND_MS,
    );
    const isUp = async () => {
      const info = await radio.ok(`${IW} dev ${radio.interface} info`);
      return /type AP/.test(info) && /channel/.test(info);
    };
    await waitFor(isUp, { timeoutMs: UP_MS, what: `the access point ${ssid}`, intervalMs: 300 }).catch(
      async (error: unknown) => {
        throw new Error(`${String(error)}\n${await radio.log('hostapd')}`);
      },
    );
    if (powerDbm !== undefined) {
      await radio.ok(`${IW} dev ${radio.interface} set txpower fixed ${powerDbm * 100}`);
    }
  }

  /** Switches it off in an orderly way: it says goodbye to its stations. */
  async stop(): Promise<void> {
    await this.radio.shell.ok(this.radio.stopping('hostapd', 'dhcp'), COMMAND_MS);
  }

  /** Ends DHCP only: stations still join. */
  async stopDhcp(): Promise<void> {
    await this.radio.shell.ok(this.radio.stopping('dhcp'), COMMAND_MS);
  }

  async stations(): Promise<Station[]> {
    const dump = await this.radio.ok(`${IW} dev ${this.radio.interface} station dump`);
    return dump
      .split(/^Station /m)
      .slice(1)
      .map((text) => ({ mac: text.slice(0, 17), authorized: /authorized:\s*yes/.test(text) }));
  }
}
