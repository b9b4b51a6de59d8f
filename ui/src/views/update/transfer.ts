/** How far an upload is, and how fast. Pure. */

/** Bytes that were sent at a time, in ms. */
interface Mark {
  readonly at: number;
  readonly sent: number;
}

export interface Transfer {
  /** In bytes. */
  readonly sent: number;
  readonly total: number;
  /** Those of the last seconds, the oldest first. */
  readonly marks: readonly Mark[];
}

/** Over which time the speed is measured, in ms. */
const WINDOW_MS = 5000;
/** Smallest time between two marks, in ms: there are 20 at most. */
const MARK_MS = 250;

export function beginTransfer(total: number, now: number): Transfer {
  return { sent: 0, total, marks: [{ at: now, sent: 0 }] };
}

/** @param now in ms */
export function advanceTransfer({ marks }: Transfer, sent: number, total: number, now: number): Transfer {
  const last = marks.at(-1);
  const isDue = last === undefined || now - last.at >= MARK_MS;
  const all = isDue ? [...marks, { at: now, sent }] : marks;
  return {
    sent,
    total,
    marks: all.filter(({ at }, index) => index > all.length - 3 || now - at <= WINDOW_MS),
  };
}

/** In bytes per second; undefined until it is known. */
export function speedOf({ marks }: Transfer): number | undefined {
  const [first, last] = [marks[0], marks.at(-1)];
  if (!first || !last || last.at - first.at < MARK_MS) return undefined;
  return (last.sent - first.sent) / ((last.at - first.at) / 1000);
}

/** How long the rest takes, in s; undefined until it is known. */
export function restOf(transfer: Transfer): number | undefined {
  const speed = speedOf(transfer);
  return speed === undefined || speed <= 0 ? undefined : (transfer.total - transfer.sent) / speed;
}
