import type { BuiltImage } from '../../ci/qemu/image.ts';
import type { Device } from './device.ts';
import type { PageServer } from './pages.ts';

/** Options of the command line for scenarios. */
export interface SuiteOptions {
  /** Number of power cuts in the scenario `cuts`. */
  cuts: number;
  /** Number of web processes that the scenario `recovery` kills. */
  kills: number;
  /** Number of sites that the scenario `frozen` visits, one after the other. */
  sites: number;
  /** Whether the scenarios `update` and `fleet` also run what takes minutes. */
  long: boolean;
  /** Folder of the image from which the scenario `previous` updates. */
  previous?: string;
  /** Seed of the random numbers. */
  seed: number;
  /** Number of processors that scenarios may use in parallel. */
  jobs: number;
  /** Time limit of the run, in ms on the clock of `performance.now()`. */
  endMs?: number;
}

/** The parameters of a scenario that creates its machines itself, or needs none. */
export interface ContextWithoutDevice {
  image: BuiltImage;
  options: SuiteOptions;
  print: (text: string) => void;
  pages: PageServer;
  /** Runs one test and counts it. A failure is reported with evidence of the device; the next test still runs. */
  test: (name: string, work: () => Promise<void>, timeoutMs?: number) => Promise<void>;
  /** Counts a test as skipped, and prints what this computer lacks for it. */
  skip: (name: string, reason: string) => void;
}

/** The parameters of a scenario with a device. */
export interface ScenarioContext extends ContextWithoutDevice {
  device: Device;
}

/** The default export of a file in scenarios/. */
export type Scenario = {
  /** What the scenario tests, in a sentence. */
  title: string;
  /** Runs only when it is named: it takes long, or is meant for an option. */
  onlyNamed?: true;
} & (
  | {
      /**
       * The kind of device; it is running and shows its waiting page. `shared`: other scenarios may use it before and after,
       * so the scenario must restore its initial state. `restored`: not shared, restored from the state saved after a boot.
       * `booted`: not shared, just powered on with the factory disk.
       */
      machine: 'shared' | 'restored' | 'booted';
      processors?: 1;
      /** Of a booted device; undefined: the image under test. */
      deviceImage?: (options: SuiteOptions) => Promise<BuiltImage | undefined>;
      run: (context: ScenarioContext) => Promise<void>;
    }
  | {
      /** `none`: the scenario creates its machines itself. */
      machine: 'none';
      /** Number of processors that they keep busy; default: 1. */
      processors?: number;
      run: (context: ContextWithoutDevice) => Promise<void>;
    }
);

export function scenario(definition: Scenario): Scenario {
  return definition;
}
