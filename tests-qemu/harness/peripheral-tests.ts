import type { PeripheralsLab } from '../../ci/peripherals/peripherals-lab.ts';
import type { PageServer } from './pages.ts';
import type { PeripheralView } from './peripheral-device.ts';
import type { QemuDevice } from './qemu-device.ts';
import type { ScenarioContext } from './suite.ts';

/** What the tests of peripherals share. `pages` has the origin that is allowed. */
export interface PeripheralContext extends ScenarioContext<QemuDevice> {
  lab: PeripheralsLab;
  view: PeripheralView;
  /** Pages of an origin that is never allowed. */
  other: PageServer;
}
