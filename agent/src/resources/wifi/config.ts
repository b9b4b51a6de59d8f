/** Configuration group `wifi`. */
import type { Static, TObject } from 'typebox';
import * as Type from 'typebox';
import { matching } from '../../contract/shared.ts';
import { live, section } from '../config/fields.ts';
import { type BoardLimits, type BrokenRule, configGroup } from '../config/group.ts';
import { accessPointChannels, COUNTRIES } from './countries.ts';

/** Longest name of a network, in bytes. */
const SSID_BYTES = 32;
/** WPA2 passphrase; shared by stations and the access point. */
const PASSPHRASE = '[ -~]{8,63}';
const PASSPHRASE_RULE = 'must have 8 to 63 characters, all of them printable ASCII';

export const WifiSsid = Type.String({
  minLength: 1,
  maxLength: 32,
  description: 'At most 32 bytes of UTF-8',
});

/** One entry of `wifi.networks`, in the configuration and at `/wifi/networks`. */
export const WifiNetwork = section('WifiNetwork', {
  ssid: WifiSsid,
  psk: Type.String({
    ...matching(`^(?:${PASSPHRASE})?$`, `${PASSPHRASE_RULE}, or empty for an open network`),
    description: 'WPA2 passphrase of 8 to 63 printable ASCII characters; empty for an open network',
    default: '',
  }),
  priority: Type.Integer({
    minimum: -1000,
    maximum: 1000,
    description: 'The network in range with the highest priority is used',
    default: 0,
  }),
});

export const WifiPsk = Type.String({
  ...matching(`^${PASSPHRASE}$`, PASSPHRASE_RULE),
  description: '8 to 63 printable ASCII characters',
});
export const WifiBand = Type.Enum(['2.4', '5']);

const fields = {
  enabled: live.bool(false, { description: 'Needs `wifi.country`, and in mode `ap` also `wifi.ap.psk`' }),
  mode: live.choice('station', ['station', 'ap']),
  country: live.maybe(
    Type.String(matching('^[A-Z]{2}$', 'must be a country of ISO 3166-1 in two capital letters, such as DE')),
    { description: 'ISO 3166-1 alpha-2' },
  ),
  networks: live.list(WifiNetwork, 64, { description: 'Each `ssid` once' }),
  ap: section('WifiApConfig', {
    ssid: live.maybe(WifiSsid, { description: 'null: `device.name`' }),
    psk: live.maybe(WifiPsk, { description: 'Required to start an access point' }),
    band: live.choice('2.4', ['2.4', '5'], { description: 'GHz; `5` needs a dual-band radio' }),
    channel: live.int(0, 0, 196, {
      description:
        '0: the agent picks one. Otherwise a channel that band and country allow without radar detection: 1 to 13 (1 to 11 ' +
        'for example in the United States), 36 to 48 (closed in few countries) or 149 to 165 (closed in many). The ' +
        'regulatory table of the radio decides when the access point starts',
    }),
  }),
};

export const wifiConfig = configGroup('wifi', 'WifiConfig', fields, {
  rules: (wifi, board) => [...stationRules(wifi), ...accessPointRules(wifi, board)],
});

type Wifi = Static<TObject<typeof fields>>;

function stationRules({ enabled, country, networks }: Wifi): BrokenRule[] {
  const broken: BrokenRule[] = [];
  if (country !== null && !COUNTRIES.has(country)) {
    broken.push({ path: '/country', message: 'must be a country of ISO 3166-1 (alpha-2)' });
  }
  if (enabled && country === null) {
    broken.push({
      path: '/country',
      message: 'is required while wifi.enabled is true',
      reset: '/enabled',
    });
  }
  const seen = new Set<string>();
  for (const [index, { ssid }] of networks.entries()) {
    const path = `/networks/${index}/ssid`;
    if (isTooLong(ssid)) broken.push({ path, message: TOO_LONG, reset: '/networks' });
    if (seen.has(ssid)) broken.push({ path, message: 'is listed twice', reset: '/networks' });
    seen.add(ssid);
  }
  return broken;
}

/** The rules that an access point breaks; paths start at the group. */
export function accessPointRules(
  { enabled, mode, country, ap }: Pick<Wifi, 'enabled' | 'mode' | 'country' | 'ap'>,
  { dualBandRadio }: Pick<BoardLimits, 'dualBandRadio'>,
): BrokenRule[] {
  const broken: BrokenRule[] = [];
  if (enabled && mode === 'ap' && ap.psk === null) {
    broken.push({ path: '/ap/psk', message: 'is required for mode ap', reset: '/mode' });
  }
  if (ap.band === '5' && !dualBandRadio) {
    broken.push({ path: '/ap/band', message: 'must be 2.4: this board has no dual-band radio' });
  } else if (ap.channel !== 0) {
    const channels = accessPointChannels(ap.band, country);
    if (!channels.includes(ap.channel)) {
      const list = channels.join(', ');
      broken.push({ path: '/ap/channel', message: `must be 0 or, in this band and country, one of ${list}` });
    }
  }
  if (ap.ssid !== null && isTooLong(ap.ssid)) broken.push({ path: '/ap/ssid', message: TOO_LONG });
  return broken;
}

const TOO_LONG = 'must not be longer than 32 bytes';

function isTooLong(ssid: string): boolean {
  return new TextEncoder().encode(ssid).length > SSID_BYTES;
}
