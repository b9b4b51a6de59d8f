import type { Logger } from '../../base/logger.ts';
import { errorMessage } from '../../base/system-error.ts';
import type { ScheduleMemory } from './ports.ts';
import { type PowerSpan, scheduledAt } from './power-schedule.ts';

/** The clock may jump (time servers, a wake-up), so the schedule is checked at least this often, in ms. */
const CHECK_EVERY_MS = 30_000;

export interface ScreenScheduleOptions {
  schedule: () => readonly PowerSpan[];
  /** Name of the IANA time zone database. */
  zone: () => string;
  /** Switches the screen. @throws Error when it cannot be switched */
  request: (on: boolean) => Promise<void>;
  /** Whether the clock was set since boot. */
  clockIsSet: () => Promise<boolean>;
  memory: ScheduleMemory;
  now?: () => number;
  log: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Carries out `display.power_schedule`: switches the screen when the scheduled state changes, and at boot. A host's
 * request therefore lasts until the next scheduled change.
 */
export class ScreenSchedule {
  readonly #options: ScreenScheduleOptions;
  readonly #now: () => number;
  /** The scheduled state that was set last. */
  #set: boolean | undefined;
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;
  #checkAgain = false;
  #isStopped = false;
  #problem = '';

  constructor(options: ScreenScheduleOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  async start(): Promise<void> {
    // After a restart of the agent, a host's request is still in force.
    this.#set = await this.#options.memory.read().catch(() => undefined);
    this.check();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Switches the screen now if the schedule says so. */
  check(): void {
    this.#checkAgain = true;
    this.#checking ??= this.#runChecks().finally(() => {
      this.#checking = undefined;
    });
  }

  /** Warnings for the operator, as sentences. */
  problems(): string[] {
    return this.#problem && this.#options.schedule().length > 0
      ? [`display.power_schedule is not applied: ${this.#problem}`]
      : [];
  }

  async #runChecks(): Promise<void> {
    clearTimeout(this.#timer);
    let delay = CHECK_EVERY_MS;
    while (this.#checkAgain && !this.#isStopped) {
      this.#checkAgain = false;
      delay = await this.#apply().catch((error: unknown) => {
        this.#failed(error);
        return CHECK_EVERY_MS;
      });
    }
    if (!this.#isStopped) this.#timer = setTimeout(() => this.check(), delay).unref();
  }

  /** @returns when to check again, in ms from now @throws Error for a time zone that the system does not know */
  async #apply(): Promise<number> {
    const { schedule, zone } = this.#options;
    const now = this.#now();
    const scheduled = scheduledAt(schedule(), now, zone());
    if (!scheduled) this.#set = undefined;
    else if (scheduled.on !== this.#set) await this.#switch(scheduled.on);
    else this.#problem = '';
    const untilChange = (scheduled?.changesAt ?? Number.POSITIVE_INFINITY) - now;
    return Math.min(Math.max(untilChange, 0) + 1, CHECK_EVERY_MS);
  }

  async #switch(on: boolean): Promise<void> {
    const { request, clockIsSet, memory, log } = this.#options;
    try {
      if (!(await clockIsSet())) throw new Error('The time is not known.');
      await request(on);
      this.#set = on;
      log.info({ on }, 'the screen was switched by the schedule');
      await memory.write(on);
      this.#problem = '';
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    const problem = errorMessage(error);
    if (problem !== this.#problem)
      this.#options.log.warn({ problem }, 'the power schedule cannot be applied');
    this.#problem = problem;
  }
}
