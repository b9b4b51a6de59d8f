/** Times in which the device is away because the user wants it: from the request until it is back. */
import { RequestError } from '../../../client/client.ts';
import { until } from './actions.ts';
import type { UptimeReading } from './boot-time.ts';
import { connection } from './device-state.ts';
import type { Absence } from './link-state.ts';

/** Longer than a shutdown takes with every time limit of its services (the agent's `REBOOT_MS`). */
const LEAVE_MS = 300_000;
/** Longer than three starts of a version that does not run, and the start of the one before (docs/security.md). */
const RETURN_MS = 900_000;

/** Makes a request after which the device goes away, so that the app says why. @throws what `request` throws */
export async function announce(absence: Absence, request: () => Promise<unknown>): Promise<void> {
  connection.expect(absence);
  try {
    await request();
  } catch (error) {
    // Without an answer it may have been accepted.
    if (error instanceof RequestError) connection.expect(undefined);
    throw error;
  }
}

/** @returns whether the device has gone away, which it has five minutes for */
export function untilAway(): Promise<boolean> {
  return isReached(() => !connection.isOnline, LEAVE_MS);
}

/** @returns whether the device is back, which it has a quarter of an hour for */
export function untilBack(): Promise<boolean> {
  return isReached(() => connection.isOnline, RETURN_MS);
}

/** How long the device has been running. @throws what requests throw */
export async function readUptime(): Promise<UptimeReading> {
  const { uptime_s } = await connection.client.get('/device/health');
  return { uptimeS: uptime_s, at: performance.now() };
}

function isReached(condition: () => boolean, timeoutMs: number): Promise<boolean> {
  return until(condition, timeoutMs).then(
    () => true,
    () => false,
  );
}
