/** What the radio is to do, from the configuration and from what a host has chosen. Pure. */
import type { Setup, StationNetwork } from './ports.ts';

export interface AccessPointSettings {
  ssid: string | null;
  psk: string | null;
  band: '2.4' | '5';
  channel: number;
}

/** The configuration group `wifi`, and what else a setup depends on. */
export interface Settings {
  readonly enabled: boolean;
  readonly mode: 'station' | 'ap';
  readonly country: string | null;
  readonly networks: readonly StationNetwork[];
  readonly ap: Readonly<AccessPointSettings>;
  /** `device.name`: the access point's name if it has none of its own. */
  readonly deviceName: string;
}

/** What a host has chosen until the next boot, instead of the configured mode. */
export type Choice =
  | { readonly mode: 'station'; readonly only: string | undefined }
  | { readonly mode: 'ap'; readonly ap: Readonly<Partial<AccessPointSettings>> };

/** Longest name of a network, in bytes. */
const SSID_BYTES = 32;

/** @returns undefined if the radio is to be off */
export function setupOf(settings: Settings, choice: Choice | undefined): Setup | undefined {
  const { enabled, country, mode, networks, deviceName } = settings;
  if (!enabled || country === null) return undefined;
  if ((choice?.mode ?? mode) === 'station') {
    return { mode: 'station', country, networks, only: choice?.mode === 'station' ? choice.only : undefined };
  }
  const { ssid, psk, band, channel } = accessPointOf(settings, choice);
  // The rules of the configuration and of the endpoint require a passphrase.
  if (psk === null) return undefined;
  return { mode: 'ap', country, ssid: ssid ?? shortened(deviceName), psk, band, channel };
}

/** The values of `wifi.ap`, and those that a host has sent instead. */
export function accessPointOf({ ap }: Settings, choice: Choice | undefined): AccessPointSettings {
  const sent = choice?.mode === 'ap' ? choice.ap : {};
  // The configured channel is one of the configured band.
  const channel = sent.band !== undefined && sent.band !== ap.band ? 0 : ap.channel;
  return { ...ap, channel, ...sent };
}

/** The longest start of a name that fits a network's name, without cutting a character. */
function shortened(name: string): string {
  let text = '';
  for (const character of name) {
    if (new TextEncoder().encode(text + character).length > SSID_BYTES) break;
    text += character;
  }
  return text;
}
