import type { BuiltImage } from '../../ci/qemu/image.ts';
import type { ContainerSetup } from './container-device.ts';
import type { Device } from './device.ts';
import type { PageServer } from './pages.ts';
import type { QemuDevice } from './qemu-device.ts';

/** Options of the command line for scenarios. */
export interface SuiteOptions {
  /** Number of power cuts in the scenario `cuts`. */
  cuts: number;
  /** Number of web processes that the scenario `recovery` kills. */
  kills: number;
  /** Number of sites that the scenario `frozen` visits, one after the other. */
  sites: number;
  /** Whether scenarios run that are otherwise only run by name. */
  full: boolean;
  /** Whether scenarios also run what takes minutes. */
  long: boolean;
  /** Folder of the image from which the scenario `previous` updates. */
  previous?: string;
  /** Seed of the random numbers. */
  seed: number;
  /** Number of scenarios that run at the same time. */
  jobs: number;
  /** Where scenarios run that need no machine. */
  where: 'container' | 'qemu';
  /** Time limit of the run, in ms on the clock of `performance.now()`. */
  endMs?: number;
}

/** The parameters of a scenario that creates its machines itself, or needs none. */
export interface ContextWithoutDevice {
  image: BuiltImage;
  /** What a container needs; undefined if none is to run. */
  container: ContainerSetup | undefined;
  options: SuiteOptions;
  print: (text: string) => void;
  pages: PageServer;
  /** Runs one test and counts it. A failure is reported with evidence of the device; the next test still runs. */
  test: (name: string, work: () => Promise<void>, timeoutMs?: number) => Promise<void>;
  /** Like `test`, but only with the option `long`. Something else in the fast run covers what it tests, in less depth. */
  longTest: (name: string, work: () => Promise<void>, timeoutMs?: number) => Promise<void>;
  /** Counts a test as skipped, and prints what this computer lacks for it. */
  skip: (name: string, reason: string) => void;
}

/** The parameters of a scenario with a device. */
export interface ScenarioContext<D extends Device = Device> extends ContextWithoutDevice {
  device: D;
}

/** What only a machine has, and a container does not; the values say it to users. */
export const MACHINE_PARTS = {
  gadget: 'the USB gadget',
  graphics: 'a graphics card with connectors',
  sound: 'a sound card',
  input: 'input devices',
  cec: 'HDMI-CEC',
  slots: 'boot loader and slots',
  power: 'power-on, reset and power cuts',
  quota: 'project quotas of the file system',
  memory: 'its own amount of memory',
  radios: 'emulated radios',
  readers: 'emulated NFC readers',
  peripherals: 'emulated peripherals',
} as const;
export type MachinePart = keyof typeof MACHINE_PARTS;

/** The default export of a file in scenarios/. */
export type Scenario = {
  /** What the scenario tests, in a sentence. */
  title: string;
  /** Runs only when it is named, and with the option `full`. */
  onlyNamed?: true;
} & (
  | {
      /** It runs in a container, unless the command line asks for QEMU. */
      needs: 'system';
      /** The kind of device in QEMU, see below. A container is always factory-new, and shows its waiting page. */
      machine: 'shared' | 'restored' | 'booted';
      run: (context: ScenarioContext) => Promise<void>;
    }
  | {
      needs: 'machine';
      /** Why it runs in QEMU. */
      parts: readonly MachinePart[];
      /**
       * The kind of device; it is running and shows its waiting page. `shared`: other scenarios may use it before and after,
       * so the scenario must restore its initial state. `restored`: not shared, restored from the state saved after a boot.
       * `booted`: not shared, just powered on with the factory disk.
       */
      machine: 'shared' | 'restored' | 'booted';
      /** Of a booted device; undefined: the image under test. */
      deviceImage?: (options: SuiteOptions) => Promise<BuiltImage | undefined>;
      run: (context: ScenarioContext<QemuDevice>) => Promise<void>;
    }
  | {
      needs?: undefined;
      /** `none`: the scenario creates its machines itself. */
      machine: 'none';
      run: (context: ContextWithoutDevice) => Promise<void>;
    }
);

export function scenario(definition: Scenario): Scenario {
  return definition;
}
