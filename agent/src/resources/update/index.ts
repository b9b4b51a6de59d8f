import { withTimeout } from '../../base/timeout.ts';
import type { Display } from '../display/display.ts';
import { display } from '../display/index.ts';
import { defineResource } from '../resource.ts';
import { BootConfirmation, type BootSlots } from './boot-confirmation.ts';
import * as contract from './schema.ts';

/** A screen that is not found in this time does not exist, in ms; drivers load late and monitors wake slowly. */
const SCREENLESS_MS = 120_000;

export const update = defineResource({
  contract,
  async create(
    { log, use },
    { slots, dataPartition }: { slots: BootSlots; dataPartition: { check(): Promise<void> } },
  ) {
    const { display: screen } = await use(display);
    const confirmation = new BootConfirmation({
      slots,
      checks: [
        { name: 'data partition', pass: () => dataPartition.check() },
        { name: 'first frame', pass: () => firstFrame(screen) },
      ],
      log,
    });
    return {
      service: undefined,
      routes: [],
      problems: () => confirmation.problems(),
      ready: () => confirmation.start(),
      stop: () => confirmation.stop(),
    };
  },
});

/** A device without a screen paints nothing, and its slot is good all the same. */
async function firstFrame(screen: Display): Promise<void> {
  try {
    await withTimeout(screen.firstFrame, SCREENLESS_MS);
  } catch {
    if (await screen.hasScreen()) throw new Error('the screen has shown no frame yet');
  }
}
