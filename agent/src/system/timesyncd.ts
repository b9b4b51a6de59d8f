import type { TimeServers } from '../resources/device/clock.ts';
import { plain, type SystemBus } from './dbus.ts';

const NAME = 'org.freedesktop.timesync1';
const PATH = '/org/freedesktop/timesync1';
const MANAGER = 'org.freedesktop.timesync1.Manager';
/** Below what a patch waits for a field to be applied, in ms. */
const CALL_TIMEOUT_MS = 9000;

/** systemd-timesyncd. What it is told lasts as long as its process. */
export function timesyncd(dbus: SystemBus): TimeServers {
  return {
    async set(servers) {
      // Told anew, even the same, it would begin to synchronize anew.
      const [known] = await dbus.call({
        destination: NAME,
        path: PATH,
        interface: 'org.freedesktop.DBus.Properties',
        member: 'Get',
        signature: 'ss',
        body: [MANAGER, 'RuntimeNTPServers'],
        timeoutMs: CALL_TIMEOUT_MS,
      });
      if (JSON.stringify(plain(known)) === JSON.stringify(servers)) return;
      await dbus.call({
        destination: NAME,
        path: PATH,
        interface: MANAGER,
        member: 'SetRuntimeNTPServers',
        signature: 'as',
        body: [[...servers]],
        timeoutMs: CALL_TIMEOUT_MS,
      });
    },
    onStart(started) {
      return dbus.subscribe(
        {
          sender: 'org.freedesktop.DBus',
          path: '/org/freedesktop/DBus',
          interface: 'org.freedesktop.DBus',
          member: 'NameOwnerChanged',
          arg0: NAME,
        },
        ([, , owner]) => {
          if (owner !== '') started();
        },
      );
    },
  };
}
