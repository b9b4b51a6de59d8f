import { ApiError } from '../contract/errors.ts';
import type { Power, PowerAction } from '../resources/device/ports.ts';
import { BusError, type SystemBus } from './dbus.ts';

const MANAGER = {
  destination: 'org.freedesktop.login1',
  path: '/org/freedesktop/login1',
  interface: 'org.freedesktop.login1.Manager',
};
const MEMBERS: Record<PowerAction, { can: string; perform: string }> = {
  reboot: { can: 'CanReboot', perform: 'Reboot' },
  shutdown: { can: 'CanPowerOff', perform: 'PowerOff' },
};
const CHECK_TIMEOUT_MS = 20_000;

/** Reboots and powers off through systemd-logind, which honours inhibitors and stops units in order. */
export function logindPower(dbus: SystemBus): Power {
  return {
    async check(action) {
      const can = await ask(dbus, MEMBERS[action].can);
      if (can !== 'yes') throw new ApiError('unavailable', `The system refuses to ${action} now (${can}).`);
    },
    async perform(action) {
      // false: nobody is there whom a password could be asked of.
      await dbus.call({ ...MANAGER, member: MEMBERS[action].perform, signature: 'b', body: [false] });
    },
  };
}

async function ask(dbus: SystemBus, member: string): Promise<unknown> {
  try {
    const [answer] = await dbus.call({ ...MANAGER, member, timeoutMs: CHECK_TIMEOUT_MS });
    return answer;
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    throw new ApiError('unavailable', 'This system has no login manager that could do that.');
  }
}
