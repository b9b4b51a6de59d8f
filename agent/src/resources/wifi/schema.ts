import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { defineError, type ErrorRef } from '../../contract/errors.ts';
import { Exactly, Nullable } from '../../contract/shared.ts';
import { topic } from '../../contract/topics.ts';
import { itemSchema } from '../config/tree.ts';
import { WifiBand, WifiNetwork, WifiPsk, WifiSsid } from './config.ts';

export const unsupported = defineError('wifi_unsupported', 503, 'The board has no Wi-Fi radio.');
export const disabled = defineError('wifi_disabled', 503, 'Wi-Fi is switched off in the configuration.');

const Signal = Type.Integer({ minimum: -127, maximum: 0 });
const Frequency = Type.Integer({ minimum: 2400, maximum: 7200 });
const Bssid = Type.String({ pattern: '^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$' });

const WifiConnection = Type.Object(
  {
    ssid: Type.String(),
    bssid: Bssid,
    signal_dbm: Signal,
    frequency_mhz: Frequency,
    addresses: Type.Array(Type.String()),
  },
  { $id: 'WifiConnection' },
);

const AccessPoint = Type.Object(
  {
    ssid: Type.String(),
    channel: Type.Integer(),
    frequency_mhz: Frequency,
    stations: Type.Integer({ description: 'Number of stations that have joined' }),
  },
  { $id: 'WifiAccessPoint' },
);

const WifiError = Type.Object(
  {
    code: Type.Enum([
      'wrong_passphrase',
      'refused',
      'not_found',
      'no_address',
      'rfkill',
      'channel_not_allowed',
      'radio_failed',
    ]),
    message: Type.String(),
  },
  { $id: 'WifiError' },
);

/** State of the radio and its connection. */
export const WifiStatus = Type.Object(
  {
    enabled: Type.Boolean(),
    mode: Type.Enum(['station', 'ap']),
    rfkill_blocked: Type.Boolean(),
    country: Nullable(Type.String({ pattern: '^[A-Z]{2}$' })),
    connection: Nullable(WifiConnection),
    access_point: Nullable(AccessPoint),
    error: Nullable(WifiError),
  },
  {
    $id: 'WifiStatus',
    description:
      'Null are: `country` if not set, `connection` without an association, `access_point` without an active one, and ' +
      '`error` unless the last attempt to connect or to start the access point failed',
  },
);

export const ScannedNetwork = Type.Object(
  {
    ssid: Type.String({ description: 'Empty for a hidden network' }),
    bssid: Bssid,
    signal_dbm: Signal,
    frequency_mhz: Frequency,
    security: Type.Enum(['open', 'wep', 'wpa2', 'wpa3', 'enterprise']),
  },
  { $id: 'ScannedNetwork' },
);

export const wifiChanged = topic(
  'wifi_changed',
  WifiStatus,
  'Any Wi-Fi state change: enabled or disabled, association, access point, scan completed',
  { isState: true },
);

const common = { tag: 'Wi-Fi', status: 200 } as const;
const GATES: ErrorRef[] = [unsupported, disabled];

export const getWifi = endpoint({
  method: 'GET',
  path: '/wifi',
  ...common,
  summary: 'State of the radio and its connection',
  description: '`connection` is null without an association.',
  response: WifiStatus,
  errors: GATES,
});

export const scanWifi = endpoint({
  method: 'POST',
  path: '/wifi/scan',
  ...common,
  summary: 'Scan for networks and wait for the result',
  description: '409 while an access point is active.',
  response: Type.Array(ScannedNetwork),
  errors: [...GATES, 'conflict', 'unavailable'],
});

export const getWifiNetworks = endpoint({
  method: 'GET',
  path: '/wifi/networks',
  ...common,
  summary: 'Configured networks',
  description: '`wifi.networks` of the configuration, with their passphrases.',
  response: Type.Array(WifiNetwork),
  errors: GATES,
});

export const setWifiNetworks = endpoint({
  method: 'PUT',
  path: '/wifi/networks',
  ...common,
  summary: 'Replace the configured networks',
  description:
    'Same as PATCH /config of `wifi.networks`, including its `config_changed` event. Returns the new list.',
  body: Type.Array(itemSchema(WifiNetwork), { maxItems: 64 }),
  response: Type.Array(WifiNetwork),
  errors: [...GATES, 'insufficient_storage'],
});

export const connectWifi = endpoint({
  method: 'POST',
  path: '/wifi/connect',
  ...common,
  summary: 'Connect to a configured network now',
  description:
    'Waits until the network has given an address. Not stored: the configured choice is back after a restart, when the ' +
    'network is lost for 30 s, and when this request fails. 404 for an ssid that is not configured, 409 while an access ' +
    'point is active, 503 `unavailable` within 20 s with the reason of `error` in `details.reason`.',
  body: Exactly({ ssid: WifiSsid }),
  response: WifiStatus,
  errors: [...GATES, 'not_found', 'conflict', 'unavailable'],
});

export const setAccessPoint = endpoint({
  method: 'POST',
  path: '/wifi/ap',
  ...common,
  summary: 'Start or stop the access point now',
  description:
    'Not stored. Fields that `ap` omits are taken from `wifi.ap`. Stopping returns to the configured networks. 503 ' +
    '`unavailable` with the reason in `details.reason` if the access point cannot be started.',
  body: Exactly({
    active: Type.Boolean(),
    ap: Type.Optional(
      Exactly({
        ssid: Type.Optional(WifiSsid),
        psk: Type.Optional(WifiPsk),
        band: Type.Optional(WifiBand),
        channel: Type.Optional(Type.Integer({ minimum: 0, maximum: 196 })),
      }),
    ),
  }),
  response: WifiStatus,
  errors: [...GATES, 'conflict', 'unavailable'],
});
