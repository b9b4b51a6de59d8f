import type { Random } from './random.ts';

/** Kinds of requests. Each actor sends one request after the other. */
export type Actor = 'bundles' | 'config' | 'files' | 'updates';

/**
 * A point in the course of a request as seen by the host. `verified` is the 202 of an upload, whose commit or installation
 * follows.
 */
export type Moment = 'begun' | 'verified' | 'confirmed';

/** When the power is cut, and which requests are running then. */
export interface Plan {
  actors: Actor[];
  /** The trigger is armed at the `count`th occurrence of the moment in the round. */
  moment: Moment;
  count: number;
  /** Cut after this many further writes and flushes of the disk, or after this time. */
  trigger: { commands: number } | { ms: number };
  /** No request is started between the moment and the cut. */
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
/** A commit of the store takes about 10 to 30 writes and flushes. */
const MAX_COMMANDS = 30;
const MAX_MS = 3000;

/** An installation, and its `apply` with the writes of RAUC and fw_setenv, take some hundred. */
const MAX_UPDATE_COMMANDS = 150;

/** Draws a random plan. Most cuts fall into a commit or right after one, the others anywhere. */
export function drawPlan(random: Random): Plan {
  const actors = random.pick(ACTORS);
  const moment = actors.includes('bundles')
    ? random.pick<Moment>(['begun', 'begun', 'verified', 'verified', 'verified', 'confirmed', 'confirmed'])
    : random.pick<Moment>(['begun', 'begun', 'confirmed']);
  const count = random.integer(1, 3);
  // Short times are more frequent than long ones.
  const ms = Math.round(random.next() ** 3 * MAX_MS);
  // Flushes of other requests could hide that a confirmed one was not flushed.
  const quiet = moment === 'confirmed' && random.chance(0.7);
  // An idle device sends too few disk commands to count.
  const trigger = !quiet && random.chance(0.7) ? { commands: random.integer(1, MAX_COMMANDS) } : { ms };
  return { actors, moment, count, trigger, quiet };
}

/** An update is installed and, if the power is still on, applied: the device reboots, and boots again and again. */
export function drawUpdatePlan(random: Random): Plan {
  const moment = random.pick<Moment>(['begun', 'verified', 'confirmed']);
  // The second request is `apply`, which is never `verified`.
  const count = moment === 'verified' ? 1 : random.integer(1, 2);
  const trigger = random.chance(0.7)
    ? { commands: Math.ceil(random.next() ** 2 * MAX_UPDATE_COMMANDS) }
    : { ms: Math.round(random.next() ** 2 * MAX_MS) };
  return { actors: ['updates'], moment, count, trigger, quiet: false };
}

export function describePlan({ actors, moment, count, trigger, quiet }: Plan): string {
  const when = 'ms' in trigger ? `${trigger.ms} ms` : `${trigger.commands} disk commands`;
  return `${actors.join('+')}, ${when} after ${moment} ${count}${quiet ? ', quiet' : ''}`;
}
