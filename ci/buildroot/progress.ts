/** Follows the progress of a Buildroot build by make's output. */
import { printable } from '../lib/progress.ts';
import { duration, speedOf, weightOf } from './estimate.ts';

/** A line `>>> name version What it does`. Buildroot's own final steps have no name. */
export interface Step {
  name: string;
  version: string;
  what: string;
}

/** The step that a line of make's output announces; undefined for other lines, such as a compiler's. */
export function parseStep(line: string): Step | undefined {
  // A package without a version (host-skeleton) has two spaces there, the final steps have three.
  const [, name, version, what] = /^>>> (\S*) (\S*) (.+)$/.exec(printable(line)) ?? [];
  if (name === undefined || version === undefined || what === undefined) return undefined;
  return { name, version, what: what.trim() };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The packages of a configuration and their stamp folders (relative to the output folder), from `make show-info`. That
 * list also contains file systems, which have no stamps and are left out.
 */
export function packagesOf(showInfo: string): Map<string, string> {
  const info: unknown = JSON.parse(showInfo);
  if (!isRecord(info)) throw new Error('make show-info gave no object');
  const found = new Map<string, string>();
  for (const [name, entry] of Object.entries(info)) {
    if (isRecord(entry) && typeof entry.stamp_dir === 'string') found.set(name, entry.stamp_dir);
  }
  return found;
}

export interface Watch {
  packages: Map<string, string>;
  /** Whether the package with this stamp folder is built and installed. */
  isInstalled: (stampDir: string) => boolean;
  cores: number;
  /** Minutes since any fixed time. */
  now?: () => number;
}

/** Follows a build line by line. Packages of earlier runs count as done, but not for measuring the speed. */
export class BuildProgress {
  readonly #watch: Watch;
  readonly #now: () => number;
  readonly #started: number;
  readonly #left: Set<string>;
  /** Packages that are being built, with their start times. */
  readonly #active = new Map<string, number>();
  #doneWeight = 0;
  /** When the last package was installed: the measured speed covers the time until then. */
  #settled: number;
  /** The last step that was announced. */
  step: Step | undefined;

  constructor(watch: Watch) {
    this.#watch = watch;
    this.#now = watch.now ?? (() => performance.now() / 60_000);
    this.#started = this.#now();
    this.#settled = this.#started;
    this.#left = new Set(
      [...watch.packages].filter(([, folder]) => !watch.isInstalled(folder)).map(([name]) => name),
    );
  }

  get total(): number {
    return this.#watch.packages.size;
  }

  get done(): number {
    return this.total - this.#left.size;
  }

  /** Takes a line of output. Returns true when it starts a package or a final step, which a log should show. */
  line(text: string): boolean {
    const step = parseStep(text);
    if (!step) return false;
    this.settle();
    const again = this.#active.has(step.name) || this.step?.name === step.name;
    this.step = step;
    if (this.#left.has(step.name) && !this.#active.has(step.name)) this.#active.set(step.name, this.#now());
    return step.name === '' || !again;
  }

  /** Checks which of the packages in progress are installed by now. */
  settle(): void {
    for (const name of this.#active.keys()) {
      if (!this.#watch.isInstalled(this.#watch.packages.get(name) ?? '')) continue;
      this.#active.delete(name);
      this.#left.delete(name);
      this.#doneWeight += weightOf(name);
      this.#settled = this.#now();
    }
  }

  /** Estimated minutes until all packages are built, without the file systems. */
  get minutesLeft(): number {
    const elapsed = this.#settled - this.#started;
    const speed = speedOf({ done: this.#doneWeight, elapsed, cores: this.#watch.cores });
    const now = this.#now();
    let left = 0;
    for (const name of this.#left) {
      const weight = weightOf(name);
      const since = this.#active.get(name);
      // The progress within a package is unknown. Its elapsed time counts, but at most as 90 % of its weight.
      const part = since === undefined ? 0 : ((now - since) * speed) / this.#active.size;
      left += weight - Math.min(0.9 * weight, part);
    }
    return left / speed;
  }

  /** One line about the current state. */
  get text(): string {
    const count = `[${this.done}/${this.total}]`;
    const { name = '', version = '', what = '' } = this.step ?? {};
    const doing = [name, version, what].filter(Boolean).join(' ');
    const times = [duration(this.#now() - this.#started)];
    if (this.#left.size > 0) {
      const left = this.minutesLeft;
      times.push(`${left < 1 ? '' : 'about '}${duration(left)} left`);
    }
    return `${count} ${doing || 'starting'} (${times.join(', ')})`;
  }
}
