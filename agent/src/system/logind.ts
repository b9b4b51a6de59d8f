import { ApiError } from '../contract/errors.ts';
import type { Power, PowerAction } from '../resources/device/ports.ts';
import type { SystemBus } from './dbus.ts';
import { shaped, text } from './dbus-values.ts';

const MANAGER = {
  destination: 'org.freedesktop.login1',
  path: '/org/freedesktop/login1',
  interface: 'org.freedesktop.login1.Manager',
};
const MEMBERS: Record<PowerAction, { can: string; perform: string }> = {
  reboot: { can: 'CanReboot', perform: 'Reboot' },
  shutdown: { can: 'CanPowerOff', perform: 'PowerOff' },
};
const parseAnswer = shaped(text);

/** Reboots and powers off through systemd-logind, which respects inhibitors and stops units in order. */
export function logindPower(dbus: SystemBus): Power {
  return {
    async check(action) {
      const can = await canPerform(dbus, MEMBERS[action].can);
      if (can !== 'yes') throw new ApiError('unavailable', `The system refuses to ${action} now (${can}).`);
    },
    async perform(action) {
      // false: not interactive, nobody can enter a password.
      await dbus.call({ ...MANAGER, member: MEMBERS[action].perform, args: [['b', false]] });
    },
  };
}

async function canPerform(dbus: SystemBus, member: string): Promise<string> {
  try {
    const [answer] = parseAnswer(await dbus.call({ ...MANAGER, member }));
    return answer;
  } catch {
    throw new ApiError('unavailable', 'This system has no login manager that can do that.');
  }
}
