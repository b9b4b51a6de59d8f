import { readdirSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import type { Logger } from '../base/logger.ts';
import type { NetworkSource } from '../resources/network/network.ts';
import type { SystemBus } from './dbus/bus.ts';
import { follow } from './processes.ts';

/** `ip monitor` does not report when it has started to listen; after this time it has, in ms. */
const MONITOR_READY_MS = 5000;
const HOSTNAME_CHANGED = {
  sender: 'org.freedesktop.hostname1',
  path: '/org/freedesktop/hostname1',
  interface: 'org.freedesktop.DBus.Properties',
  member: 'PropertiesChanged',
};

/**
 * The kernel's network. Address and link changes come from `ip monitor` (Node has no netlink sockets), changes of the
 * hostname from systemd-hostnamed; nothing is polled.
 */
export function linuxNetwork({ dbus, log }: { dbus: SystemBus; log: Logger }): NetworkSource {
  return {
    read: () => ({ hostname: hostname(), interfaces: interfaces() }),
    watch: (changed) => {
      let timer: NodeJS.Timeout | undefined;
      // Finds what changed before the monitor listened.
      const readAgain = () => {
        changed();
        clearTimeout(timer);
        timer = setTimeout(changed, MONITOR_READY_MS).unref();
      };
      readAgain();
      const stopMonitor = follow({
        command: 'ip',
        args: () => ['-o', 'monitor', 'link', 'address'],
        onLine: changed,
        onRestart: readAgain,
        log,
      });
      const unsubscribe = dbus.subscribe(HOSTNAME_CHANGED, changed);
      return () => {
        clearTimeout(timer);
        stopMonitor();
        unsubscribe();
      };
    },
  };
}

/** All interfaces but loopback, also those without addresses, which Node leaves out. */
function interfaces() {
  const addresses = networkInterfaces();
  return names()
    .filter((name) => name !== 'lo')
    .map((name) => ({ name, addresses: (addresses[name] ?? []).map(({ address }) => address) }));
}

function names(): string[] {
  try {
    // Interfaces are links; plain files in this folder (bonding_masters) are not interfaces.
    const entries = readdirSync('/sys/class/net', { withFileTypes: true });
    return entries
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => name)
      .sort();
  } catch {
    return Object.keys(networkInterfaces()).sort();
  }
}
