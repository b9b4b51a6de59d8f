/** The group `wifi` of the configuration, and changes of it. Pure. */
import { groupIn, isGroup, textIn } from '../../app/config-values.ts';

export interface StoredNetwork {
  readonly ssid: string;
  /** Empty for an open network. */
  readonly psk: string;
  /** The network in range with the highest is joined. */
  readonly priority: number;
}

export type Band = '2.4' | '5';

export interface AccessPointSettings {
  /** Null: the name of the device. */
  readonly ssid: string | null;
  readonly psk: string | null;
  readonly band: Band;
}

export interface WifiSettings {
  readonly enabled: boolean;
  /** What the radio does after a start of the device. */
  readonly mode: 'station' | 'ap';
  readonly country: string | null;
  readonly networks: readonly StoredNetwork[];
  readonly ap: AccessPointSettings;
}

/** Longest name of a network, in bytes of UTF-8. */
const SSID_BYTES = 32;
const PASSPHRASE = /^[ -~]{8,63}$/;

/** @param config the whole configuration */
export function wifiSettingsIn(config: unknown): WifiSettings {
  const wifi = groupIn(config, 'wifi');
  const ap = groupIn(wifi, 'ap');
  return {
    enabled: wifi.enabled === true,
    mode: wifi.mode === 'ap' ? 'ap' : 'station',
    country: textIn(wifi, 'country'),
    networks: Array.isArray(wifi.networks) ? wifi.networks.flatMap(networkIn) : [],
    ap: { ssid: textIn(ap, 'ssid'), psk: textIn(ap, 'psk'), band: ap.band === '5' ? '5' : '2.4' },
  };
}

function networkIn(value: unknown): StoredNetwork[] {
  if (!isGroup(value) || typeof value.ssid !== 'string') return [];
  const priority = typeof value.priority === 'number' ? value.priority : 0;
  return [{ ssid: value.ssid, psk: textIn(value, 'psk') ?? '', priority }];
}

/** The networks with one added, or its passphrase replaced. */
export function withNetwork(
  networks: readonly StoredNetwork[],
  { ssid, psk }: Pick<StoredNetwork, 'ssid' | 'psk'>,
): StoredNetwork[] {
  const before = networks.find((one) => one.ssid === ssid);
  if (!before) return [...networks, { ssid, psk, priority: 0 }];
  return networks.map((one) => (one === before ? { ...one, psk } : one));
}

/** The networks with that of one name as it was before; removed if it was not there. */
export function withNetworkAsBefore(
  networks: readonly StoredNetwork[],
  before: readonly StoredNetwork[],
  ssid: string,
): StoredNetwork[] {
  const old = before.find((one) => one.ssid === ssid);
  return networks.flatMap((one) => (one.ssid === ssid ? (old ? [old] : []) : [one]));
}

/** The networks in the order in which they are joined. */
export function byPriority(networks: readonly StoredNetwork[]): StoredNetwork[] {
  return networks.toSorted((a, b) => b.priority - a.priority);
}

/** The networks with one in front of all others. */
export function withPreferred(networks: readonly StoredNetwork[], ssid: string): StoredNetwork[] {
  const [first, others] = [networks.filter((one) => one.ssid === ssid), byPriority(networks)];
  const order = [...first, ...others.filter((one) => one.ssid !== ssid)];
  return networks.map((one) => ({
    ...one,
    priority: order.length - 1 - order.findIndex(({ ssid: name }) => name === one.ssid),
  }));
}

/** The networks as a sample shows them: with one more, and with a word in place of each passphrase. */
export function withoutSecrets(networks: readonly StoredNetwork[], ssid: string): StoredNetwork[] {
  const all = withNetwork(networks, { ssid, psk: 'any' });
  return all.map((one) => ({ ...one, psk: one.psk && 'PASSPHRASE' }));
}

/** Why a network cannot have this name; undefined if it can. */
export function ssidProblem(ssid: string): 'empty' | 'long' | undefined {
  if (ssid === '') return 'empty';
  return new TextEncoder().encode(ssid).length > SSID_BYTES ? 'long' : undefined;
}

/** Whether WPA2 takes this passphrase. */
export function isPassphrase(text: string): boolean {
  return PASSPHRASE.test(text);
}

/** Letters and digits that are not mistaken for each other. */
const CLEAR = 'abcdefghjkmnpqrstuvwxyz23456789';
const SUGGESTED_LENGTH = 16;

/** A passphrase that nobody can guess: 79 bits. */
export function suggestedPassphrase(): string {
  let text = '';
  while (text.length < SUGGESTED_LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(SUGGESTED_LENGTH))) {
      // Others would make some letters more frequent.
      const letter = byte < 8 * CLEAR.length ? CLEAR[byte % CLEAR.length] : undefined;
      if (letter !== undefined && text.length < SUGGESTED_LENGTH) text += letter;
    }
  }
  return text;
}
