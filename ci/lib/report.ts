import { setTimeout as sleep } from 'node:timers/promises';
import { describeError, Problem } from './problem.ts';
import { closingLine, FAILED, sum, type Tally } from './tally.ts';

interface Stage {
  name: string;
  tally: Tally;
  seconds: number;
}

/**
 * Runs the stages of a test run and prints a summary. The summary is always reached: a stage that
 * throws has failed. A stage that is still running at the run's time limit has failed and is abandoned, and the stages
 * after it fail without being run.
 */
export class Report {
  readonly #stages: Stage[] = [];
  readonly #notes: string[] = [];
  readonly #print: (text: string) => void;
  #end: number;
  readonly #stop: AbortSignal;
  readonly #now: () => number;

  /**
   * @param end time limit of the run, in ms on the clock of `performance.now()`
   * @param stop ends the run at once
   * @param now clock of the run, in ms
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

  /** Time left until the run's limit, in ms; never below 0. */
  get leftMs(): number {
    return Math.max(0, this.#end - this.#now());
  }

  /** The sum of the stages so far. */
  get tally(): Tally {
    return sum(this.#stages.map(({ tally }) => tally));
  }

  /** Runs one stage and returns its tally. The signal is aborted when the stage is abandoned. */
  async stage(
    name: string,
    work: (abandoned: AbortSignal) => Promise<Tally>,
    print = this.#print,
  ): Promise<Tally> {
    const started = this.#now();
    print(`\n── ${name}\n`);
    let tally: Tally;
    try {
      if (this.#stop.aborted) throw new Problem('not run, the run was stopped');
      if (this.leftMs === 0) throw new Problem('not run, the whole run had reached its time limit');
      tally = await this.#inTime(work);
    } catch (error) {
      print(`FAILED  ${name}: ${describeError(error)}\n`);
      tally = FAILED;
    }
    this.#stages.push({ name, tally, seconds: (this.#now() - started) / 1000 });
    return tally;
  }

  /** As `stage`, while other stages run: what it prints comes as one block at its end. */
  async stageBeside(
    name: string,
    work: (print: (text: string) => void, abandoned: AbortSignal) => Promise<Tally>,
  ): Promise<Tally> {
    const said: string[] = [];
    const print = (text: string): void => void said.push(text);
    const tally = await this.stage(name, (abandoned) => work(print, abandoned), print);
    this.#print(said.splice(0).join(''));
    return tally;
  }

  /** Adds a line to the end of the summary. */
  note(line: string): void {
    this.#notes.push(line);
  }

  /** Prints the stages, longest first, and the notes. */
  printSummary(): void {
    this.#print('\n── summary\n');
    for (const { name, tally, seconds } of this.#stages.toSorted((a, b) => b.seconds - a.seconds)) {
      this.#print(
        `${name.padEnd(16)} ${closingLine(tally).padEnd(36)} ${seconds.toFixed(1).padStart(7)} s\n`,
      );
    }
    for (const line of this.#notes) this.#print(`${line}\n`);
  }

  async #inTime(work: (abandoned: AbortSignal) => Promise<Tally>): Promise<Tally> {
    const done = new AbortController();
    const late = sleep(this.leftMs, undefined, { signal: AbortSignal.any([done.signal, this.#stop]) }).then(
      () => {
        // A timer has millisecond resolution and may fire slightly early: no stage may start in that remainder.
        this.#end = Number.NEGATIVE_INFINITY;
        throw new Problem('still running at the time limit of the whole run');
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
