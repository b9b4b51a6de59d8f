import { readdirSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import type { Logger } from '../base/logger.ts';
import type { NetworkSource } from '../resources/network/network.ts';
import type { SystemBus } from './dbus.ts';
import { follow } from './processes.ts';

const LOOPBACK = 'lo';
/**
 * `ip monitor` does not tell when it has begun to listen. After this time it has, in ms; one more look finds
 * what changed before.
 */
const MONITOR_READY_MS = 5000;
const HOSTNAME1 = {
  sender: 'org.freedesktop.hostname1',
  path: '/org/freedesktop/hostname1',
  interface: 'org.freedesktop.DBus.Properties',
  member: 'PropertiesChanged',
};

/**
 * The kernel's network. Changes come by netlink, through `ip monitor` (Node has no netlink sockets), and
 * from systemd-hostnamed, which is how hostnames change on this system; nothing is polled.
 */
export function linuxNetwork({ dbus, log }: { dbus: SystemBus; log: Logger }): NetworkSource {
  return {
    read: () => ({ hostname: hostname(), interfaces: interfaces() }),
    watch: (changed) => {
      let late: NodeJS.Timeout | undefined;
      const look = () => {
        changed();
        clearTimeout(late);
        late = setTimeout(changed, MONITOR_READY_MS).unref();
      };
      look();
      const stopMonitor = follow({
        command: 'ip',
        args: () => ['-o', 'monitor', 'link', 'address'],
        onLine: changed,
        onRestart: look,
        log,
      });
      const unsubscribe = dbus.subscribe(HOSTNAME1, changed);
      return () => {
        clearTimeout(late);
        stopMonitor();
        unsubscribe();
      };
    },
  };
}

function interfaces() {
  const addressed = networkInterfaces();
  // An interface without addresses is there all the same.
  return names()
    .filter((name) => name !== LOOPBACK)
    .map((name) => ({ name, addresses: (addressed[name] ?? []).map(({ address }) => address) }));
}

function names(): string[] {
  try {
    // Interfaces are links to their devices; files here (bonding_masters) are not interfaces.
    const entries = readdirSync('/sys/class/net', { withFileTypes: true });
    return entries
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => name)
      .sort();
  } catch {
    return Object.keys(networkInterfaces()).sort();
  }
}
