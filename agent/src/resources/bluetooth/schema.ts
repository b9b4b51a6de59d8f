import type { Static } from 'typebox';
import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { defineError, type ErrorRef } from '../../contract/errors.ts';
import { Exactly, matching, Nullable } from '../../contract/shared.ts';
import { topic } from '../../contract/topics.ts';

export const unsupported = defineError('bluetooth_unsupported', 503, 'The board has no Bluetooth radio.');
export const disabled = defineError(
  'bluetooth_disabled',
  503,
  'Bluetooth is switched off in the configuration.',
);

const Address = Type.String({
  ...matching(
    '^[0-9A-F]{2}(?::[0-9A-F]{2}){5}$',
    'must be an address such as AA:BB:CC:DD:EE:FF, in upper case',
  ),
  examples: ['AA:BB:CC:DD:EE:FF'],
});

/** The device that is being paired. */
const Pairing = Type.Object({
  address: Address,
  name: Nullable(Type.String()),
  passkey: Nullable(
    Type.String({
      examples: ['012345'],
      description: 'Digits that must be typed on that device, followed by Enter, or that it shows as well',
    }),
  ),
});
export type Pairing = Static<typeof Pairing>;

/** The adapter. */
export const BluetoothAdapter = Type.Object(
  {
    address: Address,
    name: Type.String(),
    powered: Type.Boolean(),
    discovering: Type.Boolean(),
    discoverable: Type.Boolean({ description: 'Other devices can find it and pair' }),
    pairing: Nullable(Pairing),
  },
  { $id: 'BluetoothAdapter' },
);
export type BluetoothAdapter = Static<typeof BluetoothAdapter>;

export const BluetoothDevice = Type.Object(
  {
    address: Address,
    name: Nullable(Type.String({ description: 'As the device calls itself' })),
    paired: Type.Boolean(),
    connected: Type.Boolean(),
    trusted: Type.Boolean({ description: 'Paired by the host: only such devices may type' }),
    rssi: Nullable(Type.Integer({ description: 'dBm; null if it is not found at present' })),
    icon: Nullable(Type.String({ examples: ['input-keyboard'] })),
  },
  { $id: 'BluetoothDevice' },
);
export type BluetoothDevice = Static<typeof BluetoothDevice>;

export const bluetoothChanged = topic(
  'bluetooth_changed',
  Type.Object({ adapter: BluetoothAdapter, devices: Type.Array(BluetoothDevice) }),
  'Any change of the adapter or of its devices, at most 4 times a second; the complete state',
  { isState: true },
);

const common = { tag: 'Bluetooth', status: 200 } as const;
/** `unavailable`: the daemon does not run, has no adapter, or refuses; the message says which and why. */
const GATES: ErrorRef[] = [unsupported, disabled, 'unavailable'];
const ByAddress = Exactly({ address: Address });

export const getBluetooth = endpoint({
  method: 'GET',
  path: '/bluetooth',
  ...common,
  summary: 'The adapter',
  description:
    'Its address, visible name and current state. 503 `unavailable` while the Bluetooth service starts or does not work; the message says why.',
  response: BluetoothAdapter,
  errors: GATES,
});

export const powerBluetooth = endpoint({
  method: 'POST',
  path: '/bluetooth/power',
  ...common,
  summary: 'Switch the adapter on or off',
  description:
    'Returns the adapter. Not stored: it is on again after a reboot and when Bluetooth is enabled again.',
  body: Exactly({ powered: Type.Boolean() }),
  response: BluetoothAdapter,
  errors: GATES,
});

export const scanBluetooth = endpoint({
  method: 'POST',
  path: '/bluetooth/scan',
  ...common,
  summary: 'Start or stop discovery',
  description:
    'Discovered devices appear in GET /bluetooth/devices and in `bluetooth_changed` events. Discovery ends by itself after 120 s; starting it again prolongs it. Returns the adapter; 409 `conflict` while it is powered off.',
  body: Exactly({ active: Type.Boolean() }),
  response: BluetoothAdapter,
  errors: [...GATES, 'conflict'],
});

export const getBluetoothDevices = endpoint({
  method: 'GET',
  path: '/bluetooth/devices',
  ...common,
  summary: 'Known and discovered devices',
  description:
    'Paired devices, then those that discovery has found, the strongest first; at most 200. Devices that are not paired disappear when they have not been seen for 30 s. 409 `conflict` while the adapter is powered off.',
  response: Type.Array(BluetoothDevice),
  errors: [...GATES, 'conflict'],
});

export const pairBluetooth = endpoint({
  method: 'POST',
  path: '/bluetooth/pair',
  ...common,
  summary: 'Pair with a discovered device',
  description:
    'Waits until the device is paired, up to 30 s, and knows its services, trusts it, connects it if it is an input device, and returns it. Digits that must be typed on the device are in `pairing` of the adapter and on the screen. A device that has paired by itself (`bluetooth.discoverable`) is trusted. 404 for an address that discovery has not found; 409 `conflict` while the adapter is powered off or pairs with a device; 503 `unavailable` with the reason when it fails.',
  body: ByAddress,
  response: BluetoothDevice,
  errors: [...GATES, 'not_found', 'conflict'],
});

export const removeBluetooth = endpoint({
  method: 'POST',
  path: '/bluetooth/remove',
  ...common,
  summary: 'Unpair and forget a device',
  description: 'Returns the remaining devices. 409 `conflict` while the adapter is powered off.',
  body: ByAddress,
  response: Type.Array(BluetoothDevice),
  errors: [...GATES, 'not_found', 'conflict'],
});
