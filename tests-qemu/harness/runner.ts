import { setTimeout as sleep } from 'node:timers/promises';
import type { BuiltImage } from '../../ci/qemu/image.ts';
import { type AttemptSetup, attempt } from './attempt.ts';
import { isWorthAnother, type Result } from './attempts.ts';
import { SavedDevice } from './saved-device.ts';
import { runSideBySide } from './schedule.ts';
import { SharedDevices } from './shared-devices.ts';
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
    const uses = (kind: Scenario['machine']): number =>
      scenarios.filter(([, { machine }]) => machine === kind).length;
    const restores = uses('restored') + Math.min(uses('shared'), this.#options.jobs);
    const saved = new SavedDevice(this.#image, restores, (line) => this.#print(`(${line})\n`));
    const setup: AttemptSetup = {
      image: this.#image,
      options: this.#options,
      saved,
      shared: new SharedDevices(saved, uses('shared')),
      print: this.#print,
    };
    const results = scenarios.map(([name]): Result => ({ name, attempts: [] }));
    const jobs = scenarios.map(([name, definition], i) => ({
      places: definition.places ?? 1,
      run: async () => {
        const result = results[i];
        const alone = scenarios.length === 1;
        if (result) await this.#one(name, definition, result, setup, alone);
      },
    }));
    try {
      await runSideBySide(jobs, this.#options.jobs);
    } finally {
      await setup.shared?.end();
    }
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
    setup: AttemptSetup,
    alone: boolean,
  ): Promise<void> {
    const said: string[] = [];
    const print = alone ? this.#print : (text: string) => void said.push(text);
    if (!alone) this.#print(`started ${name}\n`);
    print(`\n${name}: ${definition.title}\n`);
    const attempts = this.#attempts(name, definition, result, { ...setup, print });
    const ended = await Promise.race([attempts, this.#late]);
    if (ended === 'late') print(`  FAILED  ${name}: not done when the time was up\n`);
    this.#print(`${said.splice(0).join('')}${alone ? '' : '\n'}`);
  }

  async #attempts(name: string, definition: Scenario, result: Result, setup: AttemptSetup): Promise<void> {
    if (this.#leftMs === 0) return;
    const first = await attempt(name, definition, setup);
    result.attempts.push(first);
    if (!isWorthAnother(first, this.#leftMs / 1000)) return;
    const boots = definition.machine !== 'none';
    setup.print(`  (${name} is run once more${boots ? ', on a machine that is booted' : ''})\n`);
    result.attempts.push(await attempt(name, definition, { ...setup, saved: undefined, shared: undefined }));
  }
}
