import type { Logger } from '../base/logger.ts';
import { ApiError } from '../contract/errors.ts';
import type { Power, PowerAction } from '../resources/device/ports.ts';
import type { SystemBus } from './dbus/bus.ts';
import { shaped, text } from './dbus/values.ts';
import { runsSystemd, type Systemd } from './systemd.ts';

const MANAGER = {
  ...{ destination: 'org.freedesktop.login1', path: '/org/freedesktop/login1' },
  ...{ interface: 'org.freedesktop.login1.Manager', timeoutMs: 5000 },
};
const MEMBERS: Record<PowerAction, { can: string; perform: string; target: string }> = {
  reboot: { can: 'CanReboot', perform: 'Reboot', target: 'reboot.target' },
  shutdown: { can: 'CanPowerOff', perform: 'PowerOff', target: 'poweroff.target' },
};
const parseAnswer = shaped(text);

/**
 * Reboots and powers off through systemd-logind, which respects inhibitors, or through systemd itself while logind or
 * the bus does not answer: that is when somebody wants a reboot.
 */
export function systemPower(dbus: SystemBus, systemd: Systemd, log: Logger): Power {
  return {
    async check(action) {
      const can = await canPerform(dbus, MEMBERS[action].can);
      if (can === undefined && !runsSystemd()) {
        throw new ApiError('unavailable', `Nothing on this system can ${action} it.`);
      }
      if (can !== undefined && can !== 'yes') {
        throw new ApiError('unavailable', `The system refuses to ${action} now (${can}).`);
      }
    },
    async perform(action) {
      const { perform, target } = MEMBERS[action];
      try {
        // false: not interactive, nobody can enter a password.
        await dbus.call({ ...MANAGER, member: perform, args: [['b', false]] });
      } catch (error) {
        log.warn({ err: error }, `the login manager did not ${action} the system`);
        await systemd.endSystem(target);
      }
    },
  };
}

/** logind's answer; undefined if there is none. */
async function canPerform(dbus: SystemBus, member: string): Promise<string | undefined> {
  try {
    const [answer] = parseAnswer(await dbus.call({ ...MANAGER, member }));
    return answer;
  } catch {
    return undefined;
  }
}
