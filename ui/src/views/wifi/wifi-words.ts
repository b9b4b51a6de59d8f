/** What a radio reports, in words and groups. Pure. */
import type { ResponseOf } from '../../../../client/contract.ts';

export type WifiStatus = ResponseOf<'GET', '/wifi'>;
export type ScannedNetwork = ResponseOf<'POST', '/wifi/scan'>[number];
export type Security = ScannedNetwork['security'];

/** How strong a signal is: 4 is the best. Video needs 3, a page that changes rarely 2. */
export type Bars = 1 | 2 | 3 | 4;

export function barsOf(signalDbm: number): Bars {
  if (signalDbm >= -55) return 4;
  if (signalDbm >= -67) return 3;
  return signalDbm >= -75 ? 2 : 1;
}

/** The band of a frequency in MHz, as people call it, in GHz. */
export function bandOf(frequencyMhz: number): '2.4' | '5' | '6' {
  if (frequencyMhz < 3000) return '2.4';
  return frequencyMhz < 5925 ? '5' : '6';
}

/** Whether the device can join a network with this security. */
export function isSupported(security: Security): boolean {
  return security !== 'wep' && security !== 'enterprise';
}

/** One network, of which there may be several access points. */
export interface FoundNetwork {
  readonly ssid: string;
  readonly security: Security;
  /** Of the strongest access point. */
  readonly signalDbm: number;
  /** In GHz. */
  readonly bands: readonly string[];
}

/** The networks by their names, the strongest first, and how many access points hide their names. */
export function groupNetworks(scanned: readonly ScannedNetwork[]): {
  networks: FoundNetwork[];
  hidden: number;
} {
  const found = new Map<string, FoundNetwork>();
  const named = scanned.filter(({ ssid }) => ssid !== '');
  for (const { ssid, security, signal_dbm, frequency_mhz } of named) {
    // Somebody may give an open network the name of a protected one.
    const key = `${security} ${ssid}`;
    const before = found.get(key);
    const bands = new Set([...(before?.bands ?? []), bandOf(frequency_mhz)]);
    const signalDbm = Math.max(signal_dbm, before?.signalDbm ?? signal_dbm);
    found.set(key, { ssid, security, signalDbm, bands: [...bands].sort() });
  }
  const networks = [...found.values()].sort((a, b) => b.signalDbm - a.signalDbm);
  return { networks, hidden: scanned.length - named.length };
}

export type FailureCode = NonNullable<WifiStatus['error']>['code'];

const FAILURES: Readonly<Record<FailureCode, true>> = {
  wrong_passphrase: true,
  refused: true,
  not_found: true,
  no_address: true,
  rfkill: true,
  channel_not_allowed: true,
  radio_failed: true,
};

/** Whether the device gives this as the reason of a failure. */
export function isFailureCode(value: unknown): value is FailureCode {
  return typeof value === 'string' && Object.hasOwn(FAILURES, value);
}

/** Whether this page's connection goes over the Wi-Fi network that the device has joined. */
export function carriesPage({ connection }: Pick<WifiStatus, 'connection'>, hostname: string): boolean {
  return connection?.addresses.includes(hostname.replace(/^\[|\]$/g, '')) === true;
}
