import { describeError } from '../../ci/lib/problem.ts';
import type { BuiltImage } from '../../ci/qemu/image.ts';
import { within } from '../../testing/wait.ts';
import { type Attempt, hasFailed } from './attempts.ts';
import { ContainerDevice, type ContainerSetup } from './container-device.ts';
import type { Device } from './device.ts';
import { consoleTail, saveEvidence } from './evidence.ts';
import { PageServer } from './pages.ts';
import { QemuDevice } from './qemu-device.ts';
import { type SavedDevice, waitUntilIdle } from './saved-device.ts';
import type { SharedDevices } from './shared-devices.ts';
import type { ContextWithoutDevice, Scenario, SuiteOptions } from './suite.ts';

const TEST_TIMEOUT_MS = 8 * 60_000;
const ALIVE_TIMEOUT_MS = 60_000;

/** Thrown to skip the remaining tests of a scenario. */
class Abandoned extends Error {}

/** The parameters of an attempt. */
export interface AttemptSetup {
  image: BuiltImage;
  /** For scenarios that need no machine; undefined: they run in QEMU, too. */
  container: ContainerSetup | undefined;
  options: SuiteOptions;
  /** Source of restored devices; undefined: devices are booted. */
  saved: SavedDevice | undefined;
  /** Source of shared devices; undefined: devices are booted. */
  shared: SharedDevices | undefined;
  print: (text: string) => void;
}

/** Runs a scenario once, on its own or on a shared machine. */
export async function attempt(name: string, definition: Scenario, setup: AttemptSetup): Promise<Attempt> {
  return await new Run(name, setup).run(definition);
}

class Run {
  readonly #name: string;
  readonly #setup: AttemptSetup;
  readonly #tests: Attempt['tests'] = [];
  #device: Device | undefined;

  constructor(name: string, setup: AttemptSetup) {
    this.#name = name;
    this.#setup = setup;
  }

  async run(definition: Scenario): Promise<Attempt> {
    const started = performance.now();
    const seconds = (): number => (performance.now() - started) / 1000;
    const pages = await PageServer.start();
    let machineSeconds = 0;
    try {
      const { image, container, options, print } = this.#setup;
      const test: ContextWithoutDevice['test'] = (title, work, timeoutMs) =>
        this.#test(title, work, timeoutMs);
      const skip: ContextWithoutDevice['skip'] = (title, reason) => {
        this.#tests.push({ name: `${this.#name}: ${title}`, result: 'skipped' });
        print(`  skipped ${this.#name}: ${title} (${reason})\n`);
      };
      const longTest: ContextWithoutDevice['longTest'] = options.long ? test : async () => undefined;
      const context: ContextWithoutDevice = {
        ...{ image, container, options, print, pages },
        ...{ test, longTest, skip },
      };
      if (definition.machine === 'none') await definition.run(context);
      else {
        // One for each type of device, for the compiler.
        if (definition.needs !== 'system') {
          const device = await this.#up(() => this.#machine(definition));
          machineSeconds = seconds();
          if (device) await definition.run({ ...context, device });
        } else {
          const device = await this.#up<Device>(() =>
            container ? ContainerDevice.bootUntilIdle(container) : this.#machine(definition),
          );
          machineSeconds = seconds();
          if (device) await definition.run({ ...context, device });
        }
      }
    } catch (error) {
      if (!(error instanceof Abandoned)) await this.#failed('outside its tests', error);
    } finally {
      await pages.close();
      await this.#leave(definition);
    }
    return { tests: this.#tests, seconds: seconds(), machineSeconds };
  }

  /** A running device; undefined, with a counted failure, when it does not start. */
  async #up<D extends Device>(start: () => Promise<D>): Promise<D | undefined> {
    const { print } = this.#setup;
    const started = performance.now();
    try {
      const device = await start();
      this.#device = device;
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      this.#hear(device);
      print(`  (${device.kind}, ${device.isUsed ? 'in use before, ' : ''}ready after ${seconds} s)\n`);
      device.isUsed = true;
      return device;
    } catch (error) {
      await this.#failed('the device starts', error);
      return undefined;
    }
  }

  /** Prints what a device notes. */
  #hear(device: Device): void {
    device.say = (line) => this.#setup.print(`          (${line})\n`);
  }

  async #machine({ machine, ...definition }: Exclude<Scenario, { machine: 'none' }>): Promise<QemuDevice> {
    const { saved, shared, image, options } = this.#setup;
    if (machine === 'shared') this.#device = await shared?.take();
    if (machine === 'restored') this.#device = await saved?.restore();
    if (this.#device instanceof QemuDevice) return this.#device;
    const other = 'deviceImage' in definition ? await definition.deviceImage?.(options) : undefined;
    const device = await QemuDevice.boot(other ?? image);
    this.#device = device;
    // Also while it boots.
    this.#hear(device);
    await device.waitUp();
    // In place of a restored one, which is in that state.
    if (machine !== 'booted') await waitUntilIdle(device);
    return device;
  }

  /** Returns a shared device for reuse if no test failed on it; ends all other devices. */
  async #leave({ machine }: Scenario): Promise<void> {
    const { shared } = this.#setup;
    const isGood = !hasFailed({ tests: this.#tests });
    const device = this.#device;
    if (device instanceof QemuDevice && shared && machine === 'shared' && isGood)
      await shared.giveBack(device);
    else await device?.discard();
    this.#device = undefined;
  }

  async #test(title: string, work: () => Promise<void>, timeoutMs = TEST_TIMEOUT_MS): Promise<void> {
    const started = performance.now();
    const seconds = (): string => `(${((performance.now() - started) / 1000).toFixed(1)} s)`;
    try {
      await within(work(), timeoutMs, 'the test to end');
      this.#tests.push({ name: `${this.#name}: ${title}`, result: 'passed' });
      this.#setup.print(`  ok      ${this.#name}: ${title} ${seconds()}\n`);
    } catch (error) {
      await this.#failed(title, error, seconds());
      if (!this.#device) return;
      // On a device that no longer answers every further test would run into its time limit.
      const alive = await this.#device
        .http('GET', '/device', { timeoutMs: ALIVE_TIMEOUT_MS })
        .catch(() => undefined);
      if (alive?.status !== 200) throw new Abandoned();
    }
  }

  async #failed(title: string, error: unknown, seconds = ''): Promise<void> {
    const { print } = this.#setup;
    const name = `${this.#name}: ${title}`;
    this.#tests.push({ name, result: 'failed', error });
    print(`  FAILED  ${name} ${seconds}\n${describeError(error).replaceAll(/^/gm, '          ')}\n`);
    if (!this.#device) return;
    const folder = await saveEvidence(this.#device, name);
    print(`          evidence: ${folder}\n          the end of its console:\n`);
    print(`${await consoleTail(this.#device)}\n`);
  }
}
