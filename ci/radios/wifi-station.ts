import { waitFor } from '../../testing/wait.ts';
import { COMMAND_MS, type FarRadio, FOLDER } from './far-radio.ts';

const JOIN_MS = 90_000;

/** Who to join, and with what. */
export interface Credentials {
  ssid: string;
  /** null: an open network. */
  passphrase: string | null;
}

/** How an attempt to join has ended. */
export type JoinResult = 'joined' | 'wrong passphrase' | 'not found';

/** The network settings that a station got by DHCP. */
export interface Lease {
  address: string;
  server: string;
  /** undefined: the server named none. */
  router: string | undefined;
  dns: string | undefined;
}

/** A second device that joins an access point: another wpa_supplicant, and a DHCP client. */
export class WifiStation {
  readonly radio: FarRadio;

  constructor(radio: FarRadio) {
    this.radio = radio;
  }

  /** Joins a network, or tells why that fails. Waits at most `timeoutMs` for the network. */
  async join({ ssid, passphrase }: Credentials, timeoutMs = JOIN_MS): Promise<JoinResult> {
    const { radio } = this;
    const secure = ['key_mgmt=WPA-PSK SAE', 'ieee80211w=1', `psk="${passphrase}"`];
    const lines = [
      `ctrl_interface=${this.#control}`,
      ...[
        'network={',
        `ssid="${ssid}"`,
        'scan_ssid=1',
        ...(passphrase === null ? ['key_mgmt=NONE'] : secure),
        '}',
      ],
    ];
    const supplicant = `wpa_supplicant -D nl80211 -i ${radio.interface} -c ${radio.file('station.conf')}`;
    await radio.shell.ok(
      `set -e
      ${radio.stopping('station')}
      ${radio.writing('station.conf', lines)}
      ip -n ${radio.netns} link set ${radio.interface} up
      ${radio.starting('station', supplicant)}`,
      COMMAND_MS,
    );
    const result = async (): Promise<JoinResult | undefined> => {
      if (await this.isJoined()) return 'joined';
      return /WRONG_KEY/.test(await this.#log()) ? 'wrong passphrase' : undefined;
    };
    return await waitFor(result, { timeoutMs, what: `the network ${ssid}`, intervalMs: 300 }).catch(
      () => 'not found',
    );
  }

  async isJoined(): Promise<boolean> {
    const status = await this.radio.shell.run(
      `ip netns exec ${this.radio.netns} wpa_cli -p ${this.#control} -i ${this.radio.interface} status`,
    );
    return /^wpa_state=COMPLETED$/m.test(status.output);
  }

  /** Asks for an address; undefined if nobody answers. It is used until {@link leave}. */
  async lease(): Promise<Lease | undefined> {
    const { radio } = this;
    const client = `busybox udhcpc -n -q -t 6 -T 3 -i ${radio.interface} -s ${FOLDER}/use-lease`;
    const { code, output } = await radio.shell.run(
      `ip netns exec ${radio.netns} env LEASE=${radio.file('lease')} ${client} && cat ${radio.file('lease')}`,
      COMMAND_MS,
    );
    if (code !== 0) return undefined;
    const value = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(output)?.[1];
    const [address, server] = [value('ip'), value('serverid')];
    if (address === undefined || server === undefined) throw new Error(`udhcpc has said: ${output}`);
    return { address, server, router: value('router'), dns: value('dns') };
  }

  /** Sends everything for other networks to `gateway`, as a hostile station does whatever DHCP says. */
  async routeBy(gateway: string): Promise<void> {
    await this.radio.shell.ok(
      `ip -n ${this.radio.netns} route replace default via ${gateway} dev ${this.radio.interface} onlink`,
    );
  }

  /** Leaves the network and forgets its address. */
  async leave(): Promise<void> {
    const { radio } = this;
    await radio.shell.ok(
      `${radio.stopping('station')}; ip -n ${radio.netns} addr flush dev ${radio.interface}`,
      COMMAND_MS,
    );
  }

  get #control(): string {
    return this.radio.file('control');
  }

  /** Since the last start. */
  async #log(): Promise<string> {
    const unit = this.radio.unit('station');
    return await this.radio.shell.ok(
      `journalctl -b -o cat --no-pager -n 60 _SYSTEMD_INVOCATION_ID=$(systemctl show -P InvocationID ${unit})`,
    );
  }
}
