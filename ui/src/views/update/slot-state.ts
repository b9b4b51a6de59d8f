/** What the state of the slots means. Pure. */
import type { ResponseOf } from '../../../../client/contract.ts';

export type UpdateStatus = ResponseOf<'GET', '/update'>;
export type UpdateResult = NonNullable<UpdateStatus['last_result']>;
export type FleetStatus = UpdateStatus['hawkbit'];
export type SlotName = UpdateStatus['active_slot'];

/** Whether a system has two slots, as far as its state tells. */
export function hasTwoSlots({ active_slot, slots, pending, last_result }: UpdateStatus): boolean {
  const other = slots[otherSlot(active_slot)];
  return other.state !== 'unknown' || other.version !== null || pending !== null || last_result !== null;
}

/** Whether an update was applied, and the device has yet to restart. */
export function isAboutToRestart({ active_slot, slots, pending }: UpdateStatus): boolean {
  const { state, version } = slots[otherSlot(active_slot)];
  return state === 'unknown' && version !== null && pending === null;
}

export function otherSlot(slot: SlotName): SlotName {
  return slot === 'a' ? 'b' : 'a';
}
