import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Whether the kernel has a Bluetooth adapter now. @param root prefix of the system's paths */
export async function hasBluetoothAdapter(root = '/'): Promise<boolean> {
  const entries = await readdir(join(root, 'sys/class/bluetooth')).catch((): string[] => []);
  // hci0 is an adapter, hci0:11 a connection.
  return entries.some((name) => /^hci\d+$/.test(name));
}
