import { setTimeout as sleep } from 'node:timers/promises';
import type { BuiltImage } from '../../ci/qemu/image.ts';
import { type AttemptSetup, attempt } from './attempt.ts';
import { type Result, shouldRetry } from './attempts.ts';
import type { ContainerSetup } from './container-device.ts';
import { SavedDevice } from './saved-device.ts';
import { type Job, runSideBySide } from './schedule.ts';
import { SharedDevices } from './shared-devices.ts';
import type { Scenario, SuiteOptions } from './suite.ts';

/** Runs scenarios in parallel. The output of each is printed as one block when it has ended. */
export class Suite {
  readonly #image: BuiltImage;
  readonly #container: ContainerSetup | undefined;
  readonly #options: SuiteOptions;
  readonly #print: (text: string) => void;
  readonly #late: Promise<'late'>;

  /** @param container for scenarios that need no machine; undefined: they run in QEMU, too */
  constructor(
    image: BuiltImage,
    container: ContainerSetup | undefined,
    options: SuiteOptions,
    print: (text: string) => void,
  ) {
    this.#image = image;
    this.#container = container;
    this.#options = options;
    this.#print = print;
    this.#late =
      options.endMs === undefined
        ? new Promise(() => undefined)
        : sleep(this.#leftMs, 'late', { ref: false });
  }

  /** Runs all scenarios, in parallel as far as the options permit. Returns their results in the same order. */
  async run(scenarios: [string, Scenario][]): Promise<Result[]> {
    const inContainer = ({ needs }: Scenario): boolean => !!this.#container && needs === 'system';
    const uses = (kind: Scenario['machine']): number =>
      scenarios.filter(([, each]) => each.machine === kind && !inContainer(each)).length;
    const restores = uses('restored') + Math.min(uses('shared'), this.#options.jobs);
    const saved = new SavedDevice(this.#image, restores, (line) => this.#print(`(${line})\n`));
    const setup: AttemptSetup = {
      image: this.#image,
      container: this.#container,
      options: this.#options,
      saved,
      shared: new SharedDevices(saved, uses('shared')),
      print: this.#print,
    };
    const results = scenarios.map(([name]): Result => ({ name, attempts: [] }));
    const jobs = scenarios.map(([name, definition], i): Job => {
      const run = async () => {
        const result = results[i];
        const alone = scenarios.length === 1;
        if (result) await this.#one(name, definition, result, setup, alone);
      };
      return { inContainer: inContainer(definition), run };
    });
    // A job of its own: otherwise all jobs would soon wait for it.
    if (restores > 0) jobs.unshift({ inContainer: false, run: async () => void (await saved.prepare()) });
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

  /** @param alone no other scenario runs, so the output is printed at once */
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
    if (ended === 'late') print(`  FAILED  ${name}: not finished at the time limit\n`);
    this.#print(`${said.splice(0).join('')}${alone ? '' : '\n'}`);
  }

  async #attempts(name: string, definition: Scenario, result: Result, setup: AttemptSetup): Promise<void> {
    if (this.#leftMs === 0) return;
    const first = await attempt(name, definition, setup);
    result.attempts.push(first);
    if (!shouldRetry(first, this.#leftMs / 1000)) return;
    const boots = definition.machine !== 'none';
    setup.print(`  (${name} is run again${boots ? ', on a new device' : ''})\n`);
    result.attempts.push(await attempt(name, definition, { ...setup, saved: undefined, shared: undefined }));
  }
}
