import { ApiError } from '../../contract/errors.ts';
import type { FleetUpdater } from './fleet/ports.ts';
import type { Installation } from './installation.ts';
import type { Updates } from './slot-trial.ts';

/** The updater as the fleet client uses it: what that installs carries its reference. */
export function fleetUpdater(updates: Updates, installation: Installation): FleetUpdater {
  return {
    async installFrom(source, { progress }) {
      await updates.status();
      updates.requireNoTrial();
      await installation.installFrom(source, progress);
    },
    async apply(reference) {
      if (updates.reference !== reference) throw new ApiError('conflict', 'Another update is installed.');
      await updates.apply((reboot) => reboot());
    },
    async discard(reference) {
      if (updates.reference === reference) await updates.discard();
    },
    async state() {
      const { active_slot, slots, pending, last_result: result } = await updates.status();
      return {
        version: slots[active_slot].version ?? '',
        pending: pending === null ? null : { version: pending, reference: updates.reference },
        lastResult: result && { ...result, version: result.version ?? '' },
        confirmed: updates.confirmed,
        rebooting: updates.rebooting,
      };
    },
  };
}
