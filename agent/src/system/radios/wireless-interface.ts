/** The Wi-Fi interface of this system, from sysfs. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface WirelessInterface {
  name: string;
  /** Changes when the driver is loaded again. */
  index: number;
}

/** The interface of the first radio; undefined without one. @param root prefix of system paths, for tests */
export function wirelessInterface(root = '/'): WirelessInterface | undefined {
  const folder = join(root, 'sys/class/net');
  const found = entries(folder).flatMap((name) => {
    try {
      const radio = Number(basename(readlinkSync(join(folder, name, 'phy80211'))).replace('phy', ''));
      return [{ name, index: Number(readFileSync(join(folder, name, 'ifindex'), 'utf8')), radio }];
    } catch {
      return []; // no radio, or gone
    }
  });
  const [first] = found.sort((a, b) => a.radio - b.radio || a.index - b.index);
  return first && { name: first.name, index: first.index };
}

/** Whether rfkill, by software or a switch, keeps the interface's radio from transmitting. */
export function isRadioBlocked(name: string, root = '/'): boolean {
  const folder = join(root, 'sys/class/net', name, 'phy80211');
  return entries(folder)
    .filter((entry) => entry.startsWith('rfkill'))
    .some((entry) => ['soft', 'hard'].some((kind) => isOne(join(folder, entry, kind))));
}

function isOne(file: string): boolean {
  try {
    return readFileSync(file, 'utf8').trim() === '1';
  } catch {
    return false;
  }
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
