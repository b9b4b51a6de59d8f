import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { defineError, type ErrorRef } from '../../contract/errors.ts';
import { Exactly, Nullable } from '../../contract/shared.ts';
import { topic } from '../../contract/topics.ts';

export const unsupported = defineError('bluetooth_unsupported', 503, 'The board has no Bluetooth radio.');
export const disabled = defineError(
  'bluetooth_disabled',
  503,
  'Bluetooth is switched off in the configuration.',
);

const Address = Type.String({ pattern: '^[0-9A-F]{2}(?::[0-9A-F]{2}){5}$', examples: ['AA:BB:CC:DD:EE:FF'] });

/** The adapter. */
export const BluetoothAdapter = Type.Object(
  {
    address: Address,
    name: Type.String(),
    powered: Type.Boolean(),
    discovering: Type.Boolean(),
    discoverable: Type.Boolean(),
  },
  { $id: 'BluetoothAdapter' },
);

export const BluetoothDevice = Type.Object(
  {
    address: Address,
    name: Nullable(Type.String()),
    paired: Type.Boolean(),
    connected: Type.Boolean(),
    trusted: Type.Boolean(),
    rssi: Nullable(Type.Integer({ description: 'dBm' })),
    icon: Nullable(Type.String({ examples: ['input-keyboard'] })),
  },
  { $id: 'BluetoothDevice' },
);

export const bluetoothChanged = topic(
  'bluetooth_changed',
  Type.Object({ adapter: BluetoothAdapter, devices: Type.Array(BluetoothDevice) }),
  'Any change of the adapter or of its devices',
);

const common = { tag: 'Bluetooth', status: 200 } as const;
const GATES: ErrorRef[] = [unsupported, disabled, 'not_implemented'];
const ByAddress = Exactly({ address: Address });

export const getBluetooth = endpoint({
  method: 'GET',
  path: '/bluetooth',
  ...common,
  summary: 'The adapter',
  description: 'Its address, visible name and current state.',
  response: BluetoothAdapter,
  errors: GATES,
});

export const powerBluetooth = endpoint({
  method: 'POST',
  path: '/bluetooth/power',
  ...common,
  summary: 'Switch the adapter on or off',
  description: 'Returns the adapter.',
  body: Exactly({ powered: Type.Boolean() }),
  response: BluetoothAdapter,
  errors: [...GATES, 'unavailable'],
});

export const scanBluetooth = endpoint({
  method: 'POST',
  path: '/bluetooth/scan',
  ...common,
  summary: 'Start or stop discovery',
  description:
    'Discovered devices appear in GET /bluetooth/devices and in `bluetooth_changed` events. Returns the adapter; 409 `conflict` while it is powered off.',
  body: Exactly({ active: Type.Boolean() }),
  response: BluetoothAdapter,
  errors: [...GATES, 'conflict', 'unavailable'],
});

export const getBluetoothDevices = endpoint({
  method: 'GET',
  path: '/bluetooth/devices',
  ...common,
  summary: 'Known and discovered devices',
  description:
    'Paired devices and those that discovery has found. 409 `conflict` while the adapter is powered off.',
  response: Type.Array(BluetoothDevice),
  errors: [...GATES, 'conflict'],
});

export const pairBluetooth = endpoint({
  method: 'POST',
  path: '/bluetooth/pair',
  ...common,
  summary: 'Pair with a discovered device',
  description:
    'Waits until the device is paired and returns it. 404 for an address that discovery has not found, 409 `conflict` while the adapter is powered off.',
  body: ByAddress,
  response: BluetoothDevice,
  errors: [...GATES, 'not_found', 'conflict', 'unavailable'],
});

export const removeBluetooth = endpoint({
  method: 'POST',
  path: '/bluetooth/remove',
  ...common,
  summary: 'Unpair and forget a device',
  description: 'Returns the remaining devices.',
  body: ByAddress,
  response: Type.Array(BluetoothDevice),
  errors: [...GATES, 'not_found', 'conflict', 'unavailable'],
});
