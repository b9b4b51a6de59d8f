import { type Gate, notWired, type Route } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Config } from '../config/schema.ts';
import {
  getBluetooth,
  getBluetoothDevices,
  pairBluetooth,
  powerBluetooth,
  removeBluetooth,
  scanBluetooth,
} from './schema.ts';

/** Whether the device has a Bluetooth radio that is its own to manage, as measured now. */
export type HasBluetoothRadio = () => boolean | Promise<boolean>;

/** Without a radio every endpoint is 503 `bluetooth_unsupported`, switched off `bluetooth_disabled` (interface). */
export function bluetoothGate(config: { get(): Config }, hasRadio: HasBluetoothRadio): Gate {
  return async () => {
    if (!(await hasRadio())) throw new ApiError('bluetooth_unsupported');
    if (!config.get().bluetooth.enabled) throw new ApiError('bluetooth_disabled');
  };
}

export function bluetoothRoutes(config: { get(): Config }, hasRadio: HasBluetoothRadio): Route[] {
  const gate = bluetoothGate(config, hasRadio);
  return [
    getBluetooth,
    powerBluetooth,
    scanBluetooth,
    getBluetoothDevices,
    pairBluetooth,
    removeBluetooth,
  ].map((endpoint) => notWired(endpoint, gate));
}
