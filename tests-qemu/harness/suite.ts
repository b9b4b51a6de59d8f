import { describeError } from '../../ci/lib/problem.ts';
import type { Tally } from '../../ci/lib/tally.ts';
import { within } from '../../ci/lib/wait.ts';
import type { BuiltImage } from '../../ci/qemu/image.ts';
import { Device } from './device.ts';
import { consoleTail, saveEvidence } from './evidence.ts';
import { PageServer } from './pages.ts';

/** What the command line may say to scenarios. */
export interface SuiteOptions {
  /** Power cuts of the scenario `cuts`. */
  cuts: number;
  /** What a scenario draws by chance is drawn from. */
  seed: number;
}

/** What a scenario works with that makes its own machine, or needs none. */
export interface BareBench {
  image: BuiltImage;
  options: SuiteOptions;
  print: (text: string) => void;
  pages: PageServer;
  /** Runs one test and counts it. A failure is reported with what the device looked like; the next one still runs. */
  test: (name: string, work: () => Promise<void>, timeoutMs?: number) => Promise<void>;
}

/** What a scenario works with. */
export interface Bench extends BareBench {
  device: Device;
}

/** One file in scenarios/. */
export type Scenario = {
  /** What it shows, in a sentence. */
  title: string;
} & (
  | {
      /**
       * `shared`: runs on the one device of the suite, up and on its waiting page, and leaves it so. `own`: gets a
       * device from the factory for itself.
       */
      machine: 'shared' | 'own';
      run: (bench: Bench) => Promise<void>;
    }
  | {
      /** `none`: no device of the suite runs meanwhile. */
      machine: 'none';
      run: (bench: BareBench) => Promise<void>;
    }
);

export function scenario(definition: Scenario): Scenario {
  return definition;
}

const TEST_TIMEOUT_MS = 8 * 60_000;

/** The rest of a scenario makes no sense after this; the suite goes on with a new device. */
class Abandoned extends Error {}

/** Runs scenarios one after the other on as few machines as they allow. */
export class Suite {
  readonly tally: Tally = { passed: 0, failed: 0, skipped: 0 };
  readonly failures: string[] = [];
  readonly #image: BuiltImage;
  readonly #options: SuiteOptions;
  readonly #print: (text: string) => void;
  #device: Device | undefined;
  /** The device is as from the factory, or left as found. */
  #clean = true;

  constructor(image: BuiltImage, options: SuiteOptions, print: (text: string) => void) {
    this.#image = image;
    this.#options = options;
    this.#print = print;
  }

  async run(name: string, definition: Scenario): Promise<void> {
    this.#print(`\n${name}: ${definition.title}\n`);
    const pages = await PageServer.start();
    const benchOf = (device?: Device): BareBench => ({
      image: this.#image,
      options: this.#options,
      print: this.#print,
      pages,
      test: (test, work, timeoutMs) => this.#test(device, `${name}: ${test}`, work, timeoutMs),
    });
    try {
      if (definition.machine !== 'shared' || !this.#clean) await this.end();
      if (definition.machine === 'none') {
        await definition.run(benchOf());
        return;
      }
      const device = await this.#up(name);
      if (!device) return;
      this.#clean = definition.machine === 'shared';
      await definition.run({ ...benchOf(device), device });
    } catch (error) {
      this.#clean = false;
      if (!(error instanceof Abandoned)) await this.#failed(`${name}: between its tests`, error);
    } finally {
      await pages.close();
    }
  }

  /** Ends the machine that runs. */
  async end(): Promise<void> {
    await this.#device?.discard();
    this.#device = undefined;
    this.#clean = true;
  }

  /** Boots a device unless one runs; undefined, with the failure counted, when it does not come up. */
  async #up(name: string): Promise<Device | undefined> {
    if (this.#device) return this.#device;
    try {
      this.#device = await Device.boot(this.#image);
      await this.#device.waitUp();
      const { acceleration } = this.#device.machine.settings;
      const seconds = this.#device.machine.seconds.toFixed(1);
      this.#print(`  (booted in ${seconds} s, ${acceleration.kind.toUpperCase()})\n`);
      return this.#device;
    } catch (error) {
      await this.#failed(`${name}: the device comes up`, error);
      await this.end();
      return undefined;
    }
  }

  async #test(
    device: Device | undefined,
    name: string,
    work: () => Promise<void>,
    timeoutMs = TEST_TIMEOUT_MS,
  ): Promise<void> {
    const started = performance.now();
    const seconds = (): string => `${((performance.now() - started) / 1000).toFixed(1)} s`;
    try {
      await within(work(), timeoutMs, 'the test to end');
      this.tally.passed++;
      this.#print(`  ok      ${name} (${seconds()})\n`);
    } catch (error) {
      this.#clean = false;
      await this.#failed(`${name} (${seconds()})`, error);
      if (!device) return;
      // A device that does not answer any more would only let every further wait run out.
      const alive = await device.http('GET', '/device', { timeoutMs: 30_000 }).catch(() => undefined);
      if (alive?.status !== 200) throw new Abandoned();
    }
  }

  async #failed(name: string, error: unknown): Promise<void> {
    this.tally.failed++;
    this.failures.push(name);
    this.#print(`  FAILED  ${name}\n${describeError(error).replaceAll(/^/gm, '          ')}\n`);
    if (!this.#device) return;
    const folder = await saveEvidence(this.#device, name);
    this.#print(`          what the device looked like: ${folder}\n          the end of its console:\n`);
    this.#print(`${await consoleTail(this.#device)}\n`);
  }
}
