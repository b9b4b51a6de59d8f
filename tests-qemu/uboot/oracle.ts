/**
 * Computes what a boot must do, according to RAUC's description of its "uboot" backend (docs/integration.rst, "U-Boot",
 * and the script there), independently of our script:
 *
 * - `BOOT_ORDER` lists the slots, the preferred one first. If it is missing or empty, it is "A B". Other words are ignored.
 * - `BOOT_x_LEFT` is the number of remaining attempts. If it is missing, it is the full number. RAUC parses it as a number;
 *   anything else is 0. More than the full number, which only another configuration writes, counts as the full number. The
 *   counter of a slot that is not booted is not changed.
 * - The first slot in the order with attempts left is booted. One of its attempts is used up before.
 * - If no attempts are left, all slots get the full number, so that a device can always be booted again. An order without
 *   any slot becomes "A B" then.
 * - The new values overwrite the inactive copy, with the next generation. If both copies are invalid, copy 1 with
 *   generation 0 counts as the active one.
 */
import { activeCopy, type Environment } from './environment.ts';

/** The full number of attempts; the scenario checks that it is `BOOT_ATTEMPTS` of board/common/partitions.env. */
export const ATTEMPTS = 3;
const SLOTS = ['A', 'B'] as const;

export type Slot = (typeof SLOTS)[number];
/** The two files, each as read; undefined for one that is missing or invalid. */
export type Copies = readonly [Environment | undefined, Environment | undefined];

export interface Boot {
  slot: Slot;
  /** Which copy is written, and its new content. */
  copy: 0 | 1;
  written: Environment;
}

/** The expected boot for the two copies on a disk. */
export function expectedBoot(copies: Copies): Boot {
  const source = activeCopy(...copies);
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
