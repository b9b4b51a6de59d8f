import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { now } from '../../contract/shared.ts';
import type { EventBus } from '../../events/bus.ts';
import type { Vitals } from './ports.ts';
import { type Health, healthSampled } from './schema.ts';

/** Interval at which the event loop's delay is sampled, in ms: each time wakes the processor. */
const LOOP_RESOLUTION_MS = 500;
/** Interval at which the samples of the event loop are reset, in ms. */
const LOOP_WINDOW_MS = 60_000;

export interface HealthOptions {
  bus: EventBus;
  vitals: Vitals;
  browser: () => Promise<Health['browser']>;
  /** Interval of the `health` topic in ms (`device.health_interval_ms`), read after each sample. */
  intervalMs: () => number;
  /** Called before `problems`. Never rejects. */
  refresh: () => Promise<void>;
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
  /** Ends the pause between two samples of the topic. */
  #pause = new AbortController();

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#loop.enable();
    // Also without requests: a snapshot covers the last minute only.
    this.#window = setInterval(() => this.#loop.reset(), LOOP_WINDOW_MS);
    this.#window.unref();
    options.bus.provideState(healthSampled, () => this.snapshot());
    this.#unregister = options.bus.produceOnDemand(healthSampled, () => {
      const stop = new AbortController();
      void this.#produce(stop.signal);
      return () => stop.abort();
    });
  }

  async snapshot(): Promise<Health> {
    const { vitals, browser, refresh, problems } = this.#options;
    const [board, browserHealth] = await Promise.all([vitals.read(), browser(), refresh()]);
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
    this.#pause.abort();
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

  /** Samples until `stopped` aborts. */
  async #produce(stopped: AbortSignal): Promise<void> {
    const { bus, intervalMs, onError } = this.#options;
    for (;;) {
      const health = await this.snapshot().catch(onError);
      if (stopped.aborted) return;
      if (health) bus.emit(healthSampled, health);
      this.#pause = new AbortController();
      const signal = AbortSignal.any([stopped, this.#pause.signal]);
      await setTimeout(intervalMs(), undefined, { signal }).catch(() => undefined);
      if (stopped.aborted) return;
    }
  }
}
