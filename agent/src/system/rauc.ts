import type { BootSlots } from '../resources/update/boot-confirmation.ts';
import { plain, type SystemBus } from './dbus.ts';

const INSTALLER = {
  destination: 'de.pengutronix.rauc',
  path: '/',
  interface: 'de.pengutronix.rauc.Installer',
};
/** RAUC reads the slots' state and the boot loader's environment from disk, in ms. */
const RAUC_TIMEOUT_MS = 120_000;
/**
 * The boot slots as RAUC sees them.
 * @param installed whether this system boots from slots at all (the kernel argument `rauc.slot`)
 */
export function raucSlots(dbus: SystemBus, installed: boolean): BootSlots {
  return {
    async read() {
      if (!installed) return undefined;
      const [slots] = await dbus.call({ ...INSTALLER, member: 'GetSlotStatus', timeoutMs: RAUC_TIMEOUT_MS });
      return reportOf(slots);
    },
    async markGood() {
      await dbus.call({
        ...INSTALLER,
        member: 'Mark',
        signature: 'ss',
        body: ['good', 'booted'],
        timeoutMs: RAUC_TIMEOUT_MS,
      });
    },
  };
}

/**
 * Reads the answer of GetSlotStatus, `a(sa{sv})`: the booted slot, and those whose `boot-status` is bad. For
 * U-Boot that is a slot without attempts left, which is what a rollback leaves behind.
 * @throws Error when no slot is booted
 */
export function reportOf(slots: unknown): { booted: 'a' | 'b'; bad: ('a' | 'b')[] } {
  let booted: 'a' | 'b' | undefined;
  const bad: ('a' | 'b')[] = [];
  for (const entry of Array.isArray(slots) ? slots : []) {
    const { bootname, state, 'boot-status': status } = fieldsOf(entry);
    const name = bootname === 'A' ? 'a' : bootname === 'B' ? 'b' : undefined;
    if (!name) continue;
    if (state === 'booted') booted = name;
    if (status === 'bad') bad.push(name);
  }
  if (!booted) throw new Error('RAUC knows no booted slot');
  return { booted, bad };
}

function fieldsOf(entry: unknown): { bootname?: unknown; state?: unknown; 'boot-status'?: unknown } {
  return Object(plain(Array.isArray(entry) ? entry[1] : undefined));
}
