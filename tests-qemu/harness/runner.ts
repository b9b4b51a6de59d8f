import { setTimeout as sleep } from 'node:timers/promises';
import type { BuiltImage } from '../../ci/qemu/image.ts';
import { type AttemptSetup, attempt } from './attempt.ts';
import { isWorthAnother, type Result } from './attempts.ts';
import { SavedDevice } from './saved-device.ts';
import { runSideBySide } from './schedule.ts';
import type { Scenario, SuiteOptions } from './suite.ts';

/** Runs scenarios side by side. What one prints comes as one block when it has ended. */
export class Suite {
  readonly #image: BuiltImage;
  readonly #options: SuiteOptions;
  readonly #print: (text: string) => void;
  readonly #late: Promise<'late'>;

  constructor(image: BuiltImage, options: SuiteOptions, print: (text: string) => void) {
    this.#image = image;
    this.#options = options;
    this.#print = print;
    this.#late =
      options.endMs === undefined
        ? new Promise(() => undefined)
        : sleep(this.#leftMs, 'late', { ref: false });
  }

  /** Runs all of them, as many side by side as the options say; their results in the same order. */
  async run(scenarios: [string, Scenario][]): Promise<Result[]> {
    const uses = scenarios.filter(([, { machine }]) => machine === 'restored').length;
    const saved = new SavedDevice(this.#image, uses, (line) => this.#print(`(${line})\n`));
    const results = scenarios.map(([name]): Result => ({ name, attempts: [] }));
    const jobs = scenarios.map(([name, definition], i) => ({
      places: definition.places ?? 1,
      run: async () => {
        const result = results[i];
        const alone = scenarios.length === 1;
        if (result) await this.#one(name, definition, result, saved, alone);
      },
    }));
    await runSideBySide(jobs, this.#options.jobs);
    return results;
  }

  get #leftMs(): number {
    const { endMs } = this.#options;
    return endMs === undefined ? Number.POSITIVE_INFINITY : Math.max(0, endMs - performance.now());
  }

  /** @param alone nothing else prints: what happens is shown at once */
  async #one(
    name: string,
    definition: Scenario,
    result: Result,
    saved: SavedDevice,
    alone: boolean,
  ): Promise<void> {
    const said: string[] = [];
    const print = alone ? this.#print : (text: string) => void said.push(text);
    if (!alone) this.#print(`started ${name}\n`);
    print(`\n${name}: ${definition.title}\n`);
    const ended = await Promise.race([this.#attempts(name, definition, result, saved, print), this.#late]);
    if (ended === 'late') print(`  FAILED  ${name}: not done when the time was up\n`);
    this.#print(`${said.splice(0).join('')}${alone ? '' : '\n'}`);
  }

  async #attempts(
    name: string,
    definition: Scenario,
    result: Result,
    saved: SavedDevice,
    print: (text: string) => void,
  ): Promise<void> {
    if (this.#leftMs === 0) return;
    const setup: AttemptSetup = { image: this.#image, options: this.#options, saved, print };
    const first = await attempt(name, definition, setup);
    result.attempts.push(first);
    if (!isWorthAnother(first, this.#leftMs / 1000)) return;
    print(
      `  (${name} is run once more${definition.machine === 'restored' ? ', on a machine that is booted' : ''})\n`,
    );
    result.attempts.push(await attempt(name, definition, { ...setup, saved: undefined }));
  }
}
