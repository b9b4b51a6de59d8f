import type { Random } from './random.ts';

/** What changes things on the device: each does one request after the other. */
export type Actor = 'bundles' | 'config' | 'files';

/** A point in a request's life, as a host sees it. `verified` is the 202 of an upload: its commit goes on. */
export type Moment = 'begun' | 'verified' | 'confirmed';

/** When the power is cut, and what is going on then. */
export interface Plan {
  actors: Actor[];
  /** The trigger is armed at the `count`th such moment of the round. */
  moment: Moment;
  count: number;
  /** After so many further writes and flushes of the disk, or after a time. */
  trigger: { commands: number } | { ms: number };
  /** Nothing is begun between the moment and the cut. */
  quiet: boolean;
}

const ACTORS: readonly [Actor[], ...Actor[][]] = [
  ['bundles'],
  ['bundles'],
  ['bundles'],
  ['bundles', 'config'],
  ['bundles', 'files'],
  ['config'],
  ['files'],
  ['bundles', 'config', 'files'],
];
/** A commit of the store is some 10 to 30 writes and flushes. */
const MOST_COMMANDS = 30;
const LONGEST_MS = 3000;

/** Draws a plan. Most cuts are to fall into a commit or right after one; the rest anywhere. */
export function drawPlan(random: Random): Plan {
  const actors = random.pick(ACTORS);
  const moment = actors.includes('bundles')
    ? random.pick<Moment>(['begun', 'begun', 'verified', 'verified', 'verified', 'confirmed', 'confirmed'])
    : random.pick<Moment>(['begun', 'begun', 'confirmed']);
  const count = random.integer(1, 3);
  // Short ones more often than long ones.
  const ms = Math.round(random.next() ** 3 * LONGEST_MS);
  // Other requests' flushes would cover what a confirmed one has forgotten to flush.
  const quiet = moment === 'confirmed' && random.chance(0.7);
  // A device at rest gives its disk few commands to count.
  const trigger = !quiet && random.chance(0.7) ? { commands: random.integer(1, MOST_COMMANDS) } : { ms };
  return { actors, moment, count, trigger, quiet };
}

export function describePlan({ actors, moment, count, trigger, quiet }: Plan): string {
  const when = 'ms' in trigger ? `${trigger.ms} ms` : `${trigger.commands} disk commands`;
  return `${actors.join('+')}, ${when} after ${moment} ${count}${quiet ? ', quiet' : ''}`;
}
