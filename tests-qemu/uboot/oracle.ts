/**
 * What a boot must do, from RAUC's description of its "uboot" backend (docs/integration.rst, "U-Boot", and the script
 * that it prints), not from our script:
 *
 * - `BOOT_ORDER` names the slots, most wanted first; missing or empty it is "A B". What names no slot is passed over.
 * - `BOOT_x_LEFT` counts the attempts that are left; missing it is the full number. RAUC reads it as a number: what is
 *   none is 0. More than the full number, which only another configuration writes, counts as the full number. The
 *   counter of a slot that is not booted is not touched.
 * - The first slot of the order with an attempt left is booted, and one attempt of it is used up beforehand.
 * - With no attempt left anywhere, all slots are given the full number: never is a device dead for good. An order
 *   without any slot is "A B" then.
 * - The new values are written over the copy that was not in force, with the next generation; both copies unusable
 *   count as copy 1 of generation 0.
 */
import { type Environment, inForce } from './environment.ts';

/** The full number; `BOOT_ATTEMPTS` of board/common/partitions.env, as the scenario checks. */
export const ATTEMPTS = 3;
const SLOTS = ['A', 'B'] as const;

export type Slot = (typeof SLOTS)[number];
/** The two files, each as read; undefined for one that is missing or invalid. */
export type Copies = readonly [Environment | undefined, Environment | undefined];

export interface Boot {
  slot: Slot;
  /** Which copy is written, and with what. */
  copy: 0 | 1;
  written: Environment;
}

/** The boot that follows from a disk's two copies. */
export function expectedBoot(copies: Copies): Boot {
  const source = inForce(...copies);
  const found = source === undefined ? undefined : copies[source];
  const variables = found?.variables ?? {};
  let order = variables.BOOT_ORDER || SLOTS.join(' ');
  const left = new Map(SLOTS.map((slot) => [slot, variables[`BOOT_${slot}_LEFT`] || String(ATTEMPTS)]));

  const first = (): Slot | undefined => slotsOf(order).find((slot) => attempts(left.get(slot)) > 0);
  let slot = first();
  if (!slot) {
    for (const each of SLOTS) left.set(each, String(ATTEMPTS));
    if (slotsOf(order).length === 0) order = SLOTS.join(' ');
    slot = first() ?? SLOTS[0];
  }
  left.set(slot, String(attempts(left.get(slot)) - 1));

  const counters = SLOTS.map((each) => [`BOOT_${each}_LEFT`, left.get(each)]);
  return {
    slot,
    copy: source === 0 ? 1 : 0,
    written: {
      generation: ((found?.generation ?? 0) + 1) % 256,
      variables: { BOOT_ORDER: order, ...Object.fromEntries(counters) },
    },
  };
}

function slotsOf(order: string): Slot[] {
  return order.split(' ').flatMap((word) => SLOTS.filter((slot) => slot === word));
}

function attempts(text = ''): number {
  return /^\d+$/.test(text) ? Math.min(Number(text), ATTEMPTS) : 0;
}
