import { join } from 'node:path';
import { writeFileAtomic } from '../../base/atomic-file.ts';
import { withTimeout } from '../../base/timeout.ts';
import { bindGroup, READ_WHEN_NEEDED } from '../config/group.ts';
import { device } from '../device/index.ts';
import type { Identity } from '../device/ports.ts';
import type { Display } from '../display/display.ts';
import { display } from '../display/index.ts';
import { operations } from '../operations/index.ts';
import { defineResource } from '../resource.ts';
import { serve } from '../route.ts';
import { BootConfirmation } from './boot-confirmation.ts';
import { updateConfig } from './config.ts';
import { FleetClient } from './fleet/fleet-client.ts';
import { Installation } from './installation.ts';
import type { BootSlots, BundleInstaller } from './ports.ts';
import type { UpdateStatus } from './schema.ts';
import * as contract from './schema.ts';
import { SlotTrial } from './slot-trial.ts';
import { Slots } from './slots.ts';
import { StateFile } from './state-file.ts';

/** A screen that is not found in this time does not exist, in ms; drivers load late and monitors wake slowly. */
const SCREENLESS_MS = 120_000;

export interface UpdatePorts {
  slots: BootSlots;
  installer: BundleInstaller;
  dataPartition: { check(): Promise<void> };
  identity: Identity;
  /** The kernel's id of this boot; empty when it has none. */
  bootId: string;
}

export const update = defineResource({
  async create(
    { board, bus, config, disk, log, use },
    { slots: service, installer, dataPartition, identity, bootId }: UpdatePorts,
  ) {
    const { display: screen } = await use(display);
    const appliance = await use(device);
    const folder = join(board.dataFolder, 'update');
    const state = await StateFile.open(folder, log);
    // For the system's deadline (overlay/usr/lib/vitrine/boot-deadline).
    const note = (name: string, text: string) =>
      writeFileAtomic(join(board.runtimeFolder, name), `${text}\n`);
    const slots = new Slots(service, identity.slot, log);
    const trial = new SlotTrial({
      folder,
      slots,
      service,
      state,
      device: appliance,
      version: identity.version,
      boot: bootId,
      noteConfirmed: () => note('boot-confirmed', ''),
      log,
    });
    const installation = new Installation({
      folder,
      serviceFolder: join(board.dataFolder, 'rauc'),
      disk,
      operations: await use(operations),
      slots,
      trial,
      installer,
      state,
      allowDowngrade: () => config.get(updateConfig).allow_downgrade,
      log,
    });
    appliance.addCondition(() => {
      if (slots.installing) slots.requireUnused();
    });
    const fleet = new FleetClient({
      installation,
      trial,
      board,
      identity,
      compatible: () => installer.compatible(),
      config: () => config.get(updateConfig).hawkbit,
      log,
    });
    const status = async (): Promise<UpdateStatus> => ({
      ...(await trial.status()),
      hawkbit: fleet.status(),
    });
    bus.provideState(contract.updateChanged, status);
    slots.onChange(async () => {
      const current = await status().catch(() => undefined);
      if (current) bus.emit(contract.updateChanged, current);
    });
    const confirmation = new BootConfirmation({
      slots: trial,
      checks: [
        { name: 'data partition', pass: () => dataPartition.check() },
        { name: 'first frame', pass: () => firstFrame(screen) },
      ],
      note: (waitsFor) => note('boot-waits-for', waitsFor),
      log,
    });
    return {
      service: undefined,
      routes: [
        serve(contract.getUpdate, status),
        serve(
          contract.uploadUpdate,
          ({ query, upload, uploadBytes }) => installation.put(upload, uploadBytes, query.operation_id),
          () => installation.requireReady(),
        ),
        serve(contract.applyUpdate, ({ afterAnswer }) => trial.apply(afterAnswer)),
      ],
      config: [bindGroup(updateConfig, READ_WHEN_NEEDED, { hawkbit: () => fleet.configChanged() })],
      problems: () => [...trial.problems(), ...confirmation.problems(), ...fleet.problems()],
      start: () => installation.prepare(),
      ready: () => {
        // Here, so that the first `GET /update` waits for it. The confirmation repeats it.
        trial.settleEarlierTrial().catch(() => undefined);
        confirmation.start();
        void installation.proceed();
        fleet.start().catch((error: unknown) => log.error({ err: error }, 'the fleet client cannot start'));
      },
      stop: () => {
        fleet.stop();
        confirmation.stop();
        installation.stop();
      },
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
