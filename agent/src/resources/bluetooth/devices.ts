import type { AdapterState, RemoteDevice } from './ports.ts';
import type { BluetoothAdapter, BluetoothDevice, Pairing } from './schema.ts';

/** Most devices of the list. */
export const MAX_DEVICES = 200;

/** The list of devices: trusted and paired ones first, then those with the strongest signal; the weakest are left out. */
export function listedDevices(devices: readonly RemoteDevice[]): BluetoothDevice[] {
  return devices
    .toSorted(
      (a, b) =>
        Number(b.trusted) - Number(a.trusted) ||
        Number(b.paired) - Number(a.paired) ||
        Number(b.connected) - Number(a.connected) ||
        (b.rssi ?? Number.NEGATIVE_INFINITY) - (a.rssi ?? Number.NEGATIVE_INFINITY) ||
        (a.address < b.address ? -1 : 1),
    )
    .slice(0, MAX_DEVICES)
    .map(shownDevice);
}

export function shownDevice(device: RemoteDevice): BluetoothDevice {
  const { address, name, paired, connected, trusted, rssi, icon } = device;
  return { address, name, paired, connected, trusted, rssi, icon };
}

export function shownAdapter(adapter: AdapterState, pairing: Pairing | null): BluetoothAdapter {
  const { address, alias, powered, discovering, discoverable } = adapter;
  // The daemon keeps the setting of an adapter that is off.
  return { address, name: alias, powered, discovering, discoverable: discoverable && powered, pairing };
}
