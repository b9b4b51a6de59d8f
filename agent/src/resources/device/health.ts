import { monitorEventLoopDelay } from 'node:perf_hooks';
import { now } from '../../contract/shared.ts';
import type { EventBus } from '../../events/bus.ts';
import type { BrowserVitals, Vitals } from './ports.ts';
import { type Health, healthSampled } from './schema.ts';

/** Interval at which the event loop's delay is sampled, in ms: long enough to cost nothing. */
const LOOP_RESOLUTION_MS = 100;
/** Interval at which the samples of the event loop are reset, in ms. */
const LOOP_WINDOW_MS = 60_000;

export interface HealthOptions {
  bus: EventBus;
  vitals: Vitals;
  browser: BrowserVitals;
  /** Interval of the `health` topic in ms (`device.health_interval_ms`), read before each sample. */
  intervalMs: () => number;
  /** Sentences about what an operator should know. */
  problems: () => readonly string[];
  onError: (error: unknown) => void;
}

/** The health snapshot and its topic, which is produced only while it is subscribed to. */
export class HealthMonitor {
  readonly #options: HealthOptions;
  readonly #loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  readonly #unregister: () => void;
  readonly #window: NodeJS.Timeout;
  #sampleNow: (() => void) | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#loop.enable();
    // Also without requests: a snapshot covers the last minute only.
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
      agent: { rss_bytes: process.memoryUsage.rss(), event_loop_p99_ms: this.#loopDelay() },
      problems: [...problems()],
    };
  }

  /** Applies a changed interval: samples now, then at the new interval. */
  periodChanged(): void {
    this.#sampleNow?.();
  }

  stop(): void {
    this.#unregister();
    clearInterval(this.#window);
    this.#loop.disable();
  }

  #loopDelay(): number {
    // The histogram holds whole intervals of its timer, in ns.
    const delay = this.#loop.count === 0 ? 0 : this.#loop.percentile(99) / 1e6 - LOOP_RESOLUTION_MS;
    return Math.round(Math.max(delay, 0) * 10) / 10;
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
      clearTimeout(timer); // set by a sample taken meanwhile
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
