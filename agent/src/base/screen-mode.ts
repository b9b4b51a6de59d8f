/** Rates that differ by less are the same to people: 59.94 and 60 Hz. */
const SAME_RATE_HZ = 0.5;

/** Whether two modes, `<width>x<height>@<refresh>`, have the same size and nearly the same rate. */
export function isSameMode(one: string, other: string): boolean {
  const [size, rate] = one.split('@');
  const [otherSize, otherRate] = other.split('@');
  return size === otherSize && Math.abs(Number(rate) - Number(otherRate)) < SAME_RATE_HZ;
}
