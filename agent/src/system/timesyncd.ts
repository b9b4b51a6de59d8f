import type { TimeServers } from '../resources/device/clock.ts';
import type { SystemBus } from './dbus/bus.ts';
import { listOf, shaped, text } from './dbus/values.ts';

const NAME = 'org.freedesktop.timesync1';
const OBJECT = {
  ...{ destination: NAME, path: '/org/freedesktop/timesync1' },
  // Shorter than a configuration patch waits for a field to be applied.
  timeoutMs: 9000,
};
const MANAGER = 'org.freedesktop.timesync1.Manager';
const parseServers = shaped(listOf(text));

/** systemd-timesyncd. It keeps the servers until it exits. */
export function timesyncd(dbus: SystemBus): TimeServers {
  return {
    async set(servers) {
      const reply = await dbus.call({
        ...{ ...OBJECT, interface: 'org.freedesktop.DBus.Properties', member: 'Get' },
        args: [
          ['s', MANAGER],
          ['s', 'RuntimeNTPServers'],
        ],
      });
      const [known] = parseServers(reply);
      // Setting the same servers again restarts the synchronization.
      if (JSON.stringify(known) === JSON.stringify(servers)) return;
      const args = [['as', servers]] as const;
      await dbus.call({ ...OBJECT, interface: MANAGER, member: 'SetRuntimeNTPServers', args });
    },
    onStart: (started) =>
      dbus.watch(NAME, (owner) => {
        if (owner !== undefined) started();
      }),
  };
}
