import { setTimeout as sleep } from 'node:timers/promises';
import { describeError, Problem } from './problem.ts';
import { closingLine, FAILED, sum, type Tally } from './tally.ts';

interface Stage {
  name: string;
  tally: Tally;
  seconds: number;
}

/**
 * The stages of a test run, one after the other, and the summary of them. Whatever a stage does, the run goes on to
 * its summary: a stage that throws has failed; one that is not done at the end of the run's time has failed and is
 * left behind, and so are all after it.
 */
export class Report {
  readonly #stages: Stage[] = [];
  readonly #notes: string[] = [];
  readonly #print: (text: string) => void;
  #end: number;
  readonly #stop: AbortSignal;
  readonly #now: () => number;

  /**
   * @param end when the run must be over, in ms as `performance.now()` counts
   * @param stop ends the run at once
   * @param now the clock of the run, in ms
   */
  constructor(
    print: (text: string) => void,
    end: number,
    stop: AbortSignal,
    now: () => number = () => performance.now(),
  ) {
    this.#print = print;
    this.#end = end;
    this.#stop = stop;
    this.#now = now;
  }

  /** What is left of the run's time, in ms; never below 0. */
  get leftMs(): number {
    return Math.max(0, this.#end - this.#now());
  }

  /** The sum over the stages so far. */
  get tally(): Tally {
    return sum(this.#stages.map(({ tally }) => tally));
  }

  /** Runs one stage, whose signal is aborted when it is left behind; its tally. */
  async stage(name: string, work: (left: AbortSignal) => Promise<Tally>): Promise<Tally> {
    const started = this.#now();
    this.#print(`\n── ${name}\n`);
    let tally: Tally;
    try {
      if (this.#stop.aborted) throw new Problem('not run, the run was stopped');
      if (this.leftMs === 0) throw new Problem('not run, the time for the whole run was up');
      tally = await this.#inTime(work);
    } catch (error) {
      this.#print(`FAILED  ${name}: ${describeError(error)}\n`);
      tally = FAILED;
    }
    this.#stages.push({ name, tally, seconds: (this.#now() - started) / 1000 });
    return tally;
  }

  /** Adds a line to the end of the summary. */
  note(line: string): void {
    this.#notes.push(line);
  }

  /** The stages, the longest first, and the notes. */
  printSummary(): void {
    this.#print('\n── summary\n');
    for (const { name, tally, seconds } of this.#stages.toSorted((a, b) => b.seconds - a.seconds)) {
      this.#print(
        `${name.padEnd(16)} ${closingLine(tally).padEnd(36)} ${seconds.toFixed(1).padStart(7)} s\n`,
      );
    }
    for (const line of this.#notes) this.#print(`${line}\n`);
  }

  async #inTime(work: (left: AbortSignal) => Promise<Tally>): Promise<Tally> {
    const done = new AbortController();
    const late = sleep(this.leftMs, undefined, { signal: AbortSignal.any([done.signal, this.#stop]) }).then(
      () => {
        // A timer counts in whole milliseconds and may fire a fraction of one early: nothing is started in that rest.
        this.#end = Number.NEGATIVE_INFINITY;
        throw new Problem('not done when the time for the whole run was up');
      },
      () => Promise.reject(new Problem('stopped')),
    );
    try {
      return await Promise.race([work(done.signal), late]);
    } finally {
      late.catch(() => undefined);
      done.abort();
    }
  }
}
