import { say } from '../image/lib/run.ts';
import type { BuildProgress } from './progress.ts';

const TICK_MS = 1000;

/** Prints the progress of a build: on a terminal one line that is rewritten, else one line per package. */
export class Display {
  readonly #progress: BuildProgress;
  readonly #ticker: NodeJS.Timeout | undefined;

  constructor(progress: BuildProgress) {
    this.#progress = progress;
    if (process.stderr.isTTY) this.#ticker = setInterval(() => this.#rewrite(), TICK_MS);
  }

  /** Takes a line of make's output. */
  line(text: string): void {
    if (this.#progress.line(text) && !process.stderr.isTTY) say(this.#progress.text);
  }

  /** Stops updating and clears the terminal's line. */
  end(): void {
    clearInterval(this.#ticker);
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    this.#progress.settle();
  }

  #rewrite(): void {
    this.#progress.settle();
    const width = Math.max(20, (process.stderr.columns || 80) - 1);
    process.stderr.write(`\r\x1b[K${`vitrine: ${this.#progress.text}`.slice(0, width)}`);
  }
}
