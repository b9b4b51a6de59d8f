/** Memory of a process, or of all processes with the same name, at one time. */
export interface Sample {
  /** Seconds since the start. */
  at: number;
  /** Resident memory in MB. */
  megabytes: number;
}

/** How the memory of a process changed after the warm-up. */
export interface Growth {
  start: number;
  end: number;
  /** MB per hour, of the straight line with the least squared distances. */
  slope: number;
  grew: boolean;
}

/** Part of the time that counts as warm-up: caches fill, and the just-in-time compiler runs. */
const WARM_UP = 0.25;
/** Growth over the measured time that counts as noise: in MB, and as part of the start. */
const NOISE_MB = 8;
const NOISE_PART = 0.1;

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Judges the samples of one process: it grew if the line through them rises by more than noise. */
export function growthOf(samples: Sample[]): Growth | undefined {
  const last = samples.at(-1)?.at ?? 0;
  const measured = samples.filter(({ at }) => at >= last * WARM_UP);
  if (measured.length < 3) return undefined;
  const [meanAt, meanSize] = [mean(measured.map(({ at }) => at)), mean(measured.map((s) => s.megabytes))];
  const spread = measured.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0);
  const together = measured.reduce((sum, s) => sum + (s.at - meanAt) * (s.megabytes - meanSize), 0);
  const perSecond = together / spread;
  // Single samples vary by what a page has just allocated, so the ends are those of the line.
  const line = (at: number): number => meanSize + perSecond * (at - meanAt);
  const [start, end] = [line(measured[0]?.at ?? 0), line(last)];
  return { start, end, slope: perSecond * 3600, grew: end - start > Math.max(NOISE_MB, start * NOISE_PART) };
}

/** Parses lines of name, process id and kB, separated by tabs: the memory in MB and the number of processes by name. */
export function memoryByName(lines: string): Map<string, { megabytes: number; count: number }> {
  const found = new Map<string, { megabytes: number; count: number }>();
  for (const line of lines.split('\n')) {
    const [name, , kilobytes] = line.split('\t');
    if (name === undefined || kilobytes === undefined) continue;
    const { megabytes, count } = found.get(name) ?? { megabytes: 0, count: 0 };
    found.set(name, { megabytes: megabytes + Number.parseInt(kilobytes, 10) / 1024, count: count + 1 });
  }
  return found;
}
