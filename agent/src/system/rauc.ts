import type { BootSlots, SlotReport } from '../resources/update/boot-confirmation.ts';
import type { SystemBus } from './dbus.ts';
import { anything, listOf, shaped } from './dbus-values.ts';

const INSTALLER = {
  ...{ destination: 'de.pengutronix.rauc', path: '/', interface: 'de.pengutronix.rauc.Installer' },
  // RAUC reads the state of the slots and the boot loader's environment from disk.
  timeoutMs: 120_000,
};
/** Name and properties of each slot, `a(sa{sv})`. */
const parseSlots = shaped(listOf(listOf(anything)));

/**
 * The boot slots as RAUC reports them.
 * @param installed whether this system boots from slots (kernel argument `rauc.slot`)
 */
export function raucSlots(dbus: SystemBus, installed: boolean): BootSlots {
  return {
    async read() {
      if (!installed) return undefined;
      return reportOf(parseSlots(await dbus.call({ ...INSTALLER, member: 'GetSlotStatus' }))[0]);
    },
    async markGood() {
      const args = [
        ['s', 'good'],
        ['s', 'booted'],
      ] as const;
      await dbus.call({ ...INSTALLER, member: 'Mark', args });
    },
  };
}

/**
 * Reads the booted slot, and the slots whose `boot-status` is bad. With U-Boot that is a slot without attempts left, as
 * after a rollback.
 * @throws Error when no slot is booted
 */
export function reportOf(slots: readonly (readonly unknown[])[]): SlotReport {
  let booted: 'a' | 'b' | undefined;
  const bad: ('a' | 'b')[] = [];
  for (const [, properties] of slots) {
    const fields: Record<string, unknown> = Object(properties);
    const name = fields.bootname === 'A' ? 'a' : fields.bootname === 'B' ? 'b' : undefined;
    if (!name) continue;
    if (fields.state === 'booted') booted = name;
    if (fields['boot-status'] === 'bad') bad.push(name);
  }
  if (!booted) throw new Error('RAUC reports no booted slot');
  return { booted, bad };
}
