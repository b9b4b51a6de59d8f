/** Whether the device has started again, told by how long it has been running. Pure. */

/** A reading of the uptime. */
export interface UptimeReading {
  /** In s. */
  readonly uptimeS: number;
  /** When it was read, in ms of `performance.now()`. */
  readonly at: number;
}

/** Less than a device needs to start, and more than two answers differ in how long they were under way, in s. */
const SLACK_S = 4;

/** Whether a device that was read twice has started between the two readings. */
export function hasRestarted(before: UptimeReading, after: UptimeReading): boolean {
  const withoutRestart = before.uptimeS + (after.at - before.at) / 1000;
  return after.uptimeS < withoutRestart - SLACK_S;
}
