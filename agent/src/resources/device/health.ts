import { monitorEventLoopDelay } from 'node:perf_hooks';
import { now } from '../../contract/shared.ts';
import type { EventBus } from '../../events/bus.ts';
import type { BrowserVitals, Vitals } from './ports.ts';
import { type Health, healthSampled } from './schema.ts';

/** How often the event loop's lateness is measured, in ms: seldom enough to cost nothing. */
const LOOP_RESOLUTION_MS = 100;
/** Age at which the measurements of the event loop start anew, in ms. */
const LOOP_WINDOW_MS = 60_000;

export interface HealthOptions {
  bus: EventBus;
  vitals: Vitals;
  browser: BrowserVitals;
  /** Period of the `health` topic in ms (configuration `device.health_interval_ms`), asked before each. */
  intervalMs: () => number;
  /** What an operator should know, as sentences. */
  problems: () => readonly string[];
  onError: (error: unknown) => void;
}

/** The health snapshot and its topic, which is produced only while somebody listens. */
export class HealthMonitor {
  readonly #options: HealthOptions;
  readonly #loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  readonly #unregister: () => void;
  readonly #window: NodeJS.Timeout;
  #sampleNow: (() => void) | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#loop.enable();
    // Also while nobody asks: a bad moment of last week says nothing about the device now.
    this.#window = setInterval(() => this.#loop.reset(), LOOP_WINDOW_MS);
    this.#window.unref();
    this.#unregister = options.bus.produceOnDemand(healthSampled, () => this.#produce());
  }

  async snapshot(): Promise<Health> {
    const { vitals, browser, problems } = this.#options;
    const [board, browserHealth] = await Promise.all([vitals.read(), browser.health()]);
    return {
      ts: now(),
      ...board,
      browser: browserHealth,
      agent: { rss_bytes: process.memoryUsage.rss(), event_loop_p99_ms: this.#lateness() },
      problems: [...problems()],
    };
  }

  /** The period has changed: the next sample is taken now, and the ones after it by the new period. */
  periodChanged(): void {
    this.#sampleNow?.();
  }

  stop(): void {
    this.#unregister();
    clearInterval(this.#window);
    this.#loop.disable();
  }

  #lateness(): number {
    // The histogram holds whole intervals of its timer, in ns.
    const late = this.#loop.count === 0 ? 0 : this.#loop.percentile(99) / 1e6 - LOOP_RESOLUTION_MS;
    return Math.round(Math.max(late, 0) * 10) / 10;
  }

  #produce(): () => void {
    const { bus, intervalMs, onError } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    let stopped = false;
    const sample = async () => {
      try {
        const health = await this.snapshot();
        if (!stopped) bus.emit(healthSampled, health);
      } catch (error) {
        onError(error);
      }
      if (stopped) return;
      clearTimeout(timer); // of a sample that was taken meanwhile
      timer = setTimeout(sample, intervalMs());
    };
    void sample();
    this.#sampleNow = () => {
      clearTimeout(timer);
      void sample();
    };
    return () => {
      stopped = true;
      this.#sampleNow = undefined;
      clearTimeout(timer);
    };
  }
}
