import { type Gate, notWired, type Route } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';
import {
  getBluetooth,
  getBluetoothDevices,
  pairBluetooth,
  powerBluetooth,
  removeBluetooth,
  scanBluetooth,
} from './schema.ts';

export interface BluetoothState {
  /** Whether the device has a radio of its own to manage, as measured now. */
  hasRadio: () => Promise<boolean>;
  isEnabled: () => boolean;
}

/** Without a radio every endpoint answers 503 `bluetooth_unsupported`, disabled `bluetooth_disabled` (interface). */
export function bluetoothRoutes({ hasRadio, isEnabled }: BluetoothState): Route[] {
  const gate: Gate = async () => {
    if (!(await hasRadio())) throw new ApiError('bluetooth_unsupported');
    if (!isEnabled()) throw new ApiError('bluetooth_disabled');
  };
  return [
    getBluetooth,
    powerBluetooth,
    scanBluetooth,
    getBluetoothDevices,
    pairBluetooth,
    removeBluetooth,
  ].map((endpoint) => notWired(endpoint, gate));
}
