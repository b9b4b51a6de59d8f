/** What a command prints: results on stdout, everything else on stderr. */

/** A bar is redrawn at most this often, in ms. */
const REDRAW_MS = 100;
const BAR_CHARACTERS = 24;

export class Output {
  /** Whether results are JSON, one value a line, for scripts. */
  readonly isJson: boolean;
  #label = '';
  #drawn = 0;

  constructor(isJson: boolean) {
    this.isJson = isJson;
  }

  /** Prints a result. @param text for people; by default the JSON in several lines */
  result(value: unknown, text: string = JSON.stringify(value, null, 2)): void {
    this.endProgress();
    if (!this.isJson) process.stdout.write(text === '' ? '' : `${text}\n`);
    else if (value !== undefined) process.stdout.write(`${JSON.stringify(value)}\n`);
  }

  /** Says something that is no result. */
  say(text: string): void {
    this.endProgress();
    process.stderr.write(`${text}\n`);
  }

  /** Draws how far something is, on a terminal only. @param done from 0 to 1 */
  progress(label: string, done: number): void {
    if (!process.stderr.isTTY) {
      if (label !== this.#label && !this.isJson) process.stderr.write(`${label}\n`);
      this.#label = label;
      return;
    }
    const now = performance.now();
    if (label === this.#label && done < 1 && now - this.#drawn < REDRAW_MS) return;
    if (label !== this.#label) this.endProgress();
    [this.#label, this.#drawn] = [label, now];
    const full = Math.round(Math.min(1, done) * BAR_CHARACTERS);
    const bar = '█'.repeat(full) + '░'.repeat(BAR_CHARACTERS - full);
    process.stderr.write(`\r${label.padEnd(12)} ${bar} ${String(Math.floor(done * 100)).padStart(3)} %`);
  }

  /** Ends the line of a bar. */
  endProgress(): void {
    if (this.#label !== '' && process.stderr.isTTY) process.stderr.write('\n');
    this.#label = '';
  }
}

/** Rows with aligned columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_cell, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ');
  return rows.map(line).join('\n');
}
