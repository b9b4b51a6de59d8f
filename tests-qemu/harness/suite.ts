import type { BuiltImage } from '../../ci/qemu/image.ts';
import type { Device } from './device.ts';
import type { PageServer } from './pages.ts';

/** What the command line may say to scenarios. */
export interface SuiteOptions {
  /** Power cuts of the scenario `cuts`. */
  cuts: number;
  /** What a scenario draws by chance is drawn from. */
  seed: number;
  /** Processors that scenarios may keep busy side by side. */
  jobs: number;
  /** When the run must be over, in ms as `performance.now()` counts. */
  endMs?: number;
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
       * A device that is up and on its waiting page. `shared`: others may have used it before and may use it after, so the
       * scenario leaves it as it found it. `restored`: for itself, as it was when it was saved after a boot. `booted`: for
       * itself, just powered on, on the disk from the factory.
       */
      machine: 'shared' | 'restored' | 'booted';
      places?: 1;
      run: (bench: Bench) => Promise<void>;
    }
  | {
      /** `none`: it makes its machines itself. */
      machine: 'none';
      /** How many processors they keep busy; 1 unless told. */
      places?: number;
      run: (bench: BareBench) => Promise<void>;
    }
);

export function scenario(definition: Scenario): Scenario {
  return definition;
}
