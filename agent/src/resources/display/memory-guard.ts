import type { Logger } from '../../base/logger.ts';
import type { Browser, BrowserMemory } from './ports.ts';

const SAMPLE_MS = 60_000;
/** Samples that the trend is computed from: an hour. */
const SAMPLES = 60;
/** Fewer say nothing about a trend. */
const MIN_SAMPLES = 10;
/** Minimum time between restarts: a page that needs this much reaches the limit again. */
const MIN_BETWEEN_MS = 600_000;
/** Of the memory of the device; the kiosk's slice is limited to 75 %. */
const MAX_SHARE = 0.6;
/** A web process has about this much; there are normally two: the page's, and one that waits for the next site. */
const PROCESS_BYTES = 200 * 1024 * 1024;
const MIN_PROCESSES = 4;
const MAX_PROCESSES = 16;

interface Sample {
  hours: number;
  bytes: number;
}

export interface MemoryGuardOptions {
  browser: Pick<Browser, 'pid'>;
  /** Of the browser and all its processes; null when it cannot be read. */
  readMemory: (pid: number) => Promise<BrowserMemory | null>;
  /** Memory of the device. */
  totalBytes: number;
  /** Whether a restart of the browser would not be seen now. */
  isUnnoticed: () => boolean;
  restart: () => void;
  log: Pick<Logger, 'info'>;
  /** In ms. */
  clock?: () => number;
}

/** The change per hour, by least squares; 0 for samples of one moment. */
export function slope(samples: readonly Sample[]): number {
  const mean = (value: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + value(sample), 0) / samples.length;
  const [hours, bytes] = [mean((sample) => sample.hours), mean((sample) => sample.bytes)];
  const variance = mean((sample) => (sample.hours - hours) ** 2);
  return variance === 0 ? 0 : mean((sample) => (sample.hours - hours) * (sample.bytes - bytes)) / variance;
}

/**
 * Keeps WebKit's processes from using up the memory: counts the web processes, which WebKit may keep after navigations
 * to other sites, and restarts a browser that has too many or too much memory when nobody notices. That is when a host
 * asks for another page, while the screen is off, and while the waiting page is shown.
 */
export class MemoryGuard {
  readonly #options: MemoryGuardOptions;
  readonly #clock: () => number;
  /** Web processes above which the browser is restarted. */
  readonly processLimit: number;
  #samples: Sample[] = [];
  #pid: number | null = null;
  #isDue = false;
  #restartedAt = Number.NEGATIVE_INFINITY;
  #restarts = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: MemoryGuardOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
    const fitting = Math.floor(options.totalBytes / PROCESS_BYTES);
    this.processLimit = Math.min(Math.max(fitting, MIN_PROCESSES), MAX_PROCESSES);
  }

  start(): void {
    this.#timer = setInterval(() => void this.sample(), SAMPLE_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Reads the memory and decides. Never rejects. */
  async sample(): Promise<void> {
    const { pid } = this.#options.browser;
    const memory = await this.#read(pid);
    if (pid !== this.#pid) {
      this.#pid = pid;
      this.#samples = [];
    }
    this.#isDue = false;
    if (!memory || pid !== this.#options.browser.pid) return;
    this.#samples = [
      ...this.#samples.slice(1 - SAMPLES),
      { hours: this.#clock() / 3_600_000, bytes: memory.bytes },
    ];
    this.#isDue =
      memory.webProcesses > this.processLimit || memory.bytes > MAX_SHARE * this.#options.totalBytes;
    if (this.#isDue && (this.#options.isUnnoticed() || memory.webProcesses > 2 * this.processLimit)) {
      this.restartIfDue();
    }
  }

  /** Restarts the browser if its memory demands it. To be called when the page is about to change anyway. */
  restartIfDue(): void {
    const now = this.#clock();
    if (!this.#isDue || now - this.#restartedAt < MIN_BETWEEN_MS) return;
    this.#isDue = false;
    this.#restartedAt = now;
    this.#restarts += 1;
    this.#options.log.info({ bytes: this.#samples.at(-1)?.bytes }, 'restarting the browser to free memory');
    this.#options.restart();
  }

  /** The browser's memory in the health report. */
  async health() {
    const memory = await this.#read(this.#options.browser.pid);
    const hasTrend = this.#samples.length >= MIN_SAMPLES;
    return {
      rss_bytes: memory?.bytes ?? null,
      rss_trend_bytes_per_h: hasTrend ? Math.round(slope(this.#samples)) : null,
      web_processes: memory?.webProcesses ?? null,
      web_process_limit: this.processLimit,
      memory_restarts: this.#restarts,
    };
  }

  async #read(pid: number | null): Promise<BrowserMemory | null> {
    return pid === null ? null : await this.#options.readMemory(pid).catch(() => null);
  }
}
