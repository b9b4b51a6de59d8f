import { join } from 'node:path';
import { writeFileAtomic } from '../../base/atomic-file.ts';
import { withTimeout } from '../../base/timeout.ts';
import { type Route, serve } from '../../contract/endpoint.ts';
import { bindGroup, READ_WHEN_NEEDED } from '../config/group.ts';
import { device } from '../device/index.ts';
import type { Identity } from '../device/ports.ts';
import type { Display } from '../display/display.ts';
import { display } from '../display/index.ts';
import { operations } from '../operations/index.ts';
import { defineResource } from '../resource.ts';
import { BootConfirmation } from './boot-confirmation.ts';
import { updateConfig } from './config.ts';
import { fleetUpdater } from './fleet-updater.ts';
import { createHawkbit } from './fleet/index.ts';
import { Installation } from './installation.ts';
import type { BootSlots, BundleInstaller } from './ports.ts';
import * as contract from './schema.ts';
import { StateFile } from './state-file.ts';
import { Updates } from './slot-trial.ts';

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
  contract,
  config: [updateConfig],
  async create(
    { board, bus, config, disk, log, use },
    { slots, installer, dataPartition, identity, bootId }: UpdatePorts,
  ) {
    const { display: screen } = await use(display);
    const appliance = await use(device);
    const folder = join(board.dataFolder, 'update');
    const state = await StateFile.open(folder, log);
    // For the system's deadline (overlay/usr/lib/vitrine/boot-deadline).
    const note = (name: string, text: string) =>
      writeFileAtomic(join(board.runtimeFolder, name), `${text}\n`);
    const updates = new Updates({
      folder,
      slots,
      state,
      device: appliance,
      version: identity.version,
      slot: identity.slot,
      boot: bootId,
      noteConfirmed: () => note('boot-confirmed', ''),
      bus,
      log,
    });
    const installation = new Installation({
      folder,
      serviceFolder: join(board.dataFolder, 'rauc'),
      disk,
      operations: await use(operations),
      slots,
      installer,
      state,
      allowDowngrade: () => config.get(updateConfig).allow_downgrade,
      changed: () => updates.contentChanged(),
      log,
    });
    updates.installation = installation;
    appliance.addCondition(() => installation.requireNotInstalling());
    const hawkbit = createHawkbit({
      updater: fleetUpdater(updates, installation),
      board,
      identity,
      compatible: () => installer.compatible(),
      config: () => config.get(updateConfig).hawkbit,
      log,
    });
    updates.hawkbit = () => hawkbit.status();
    const confirmation = new BootConfirmation({
      slots: { read: () => updates.begin(), markGood: () => updates.confirm() },
      checks: [
        { name: 'data partition', pass: () => dataPartition.check() },
        { name: 'first frame', pass: () => firstFrame(screen) },
      ],
      note: (waitsFor) => note('boot-waits-for', waitsFor),
      log,
    });
    return {
      service: undefined,
      routes: updateRoutes(updates, installation),
      config: [
        bindGroup(updateConfig, {
          allow_downgrade: READ_WHEN_NEEDED,
          hawkbit: () => hawkbit.configChanged(),
        }),
      ],
      problems: () => [...updates.problems(), ...confirmation.problems(), ...hawkbit.problems()],
      start: () => installation.prepare(),
      ready: () => {
        confirmation.start();
        void installation.proceed();
        hawkbit.start().catch((error: unknown) => log.error({ err: error }, 'the fleet client cannot start'));
      },
      stop: () => {
        hawkbit.stop();
        confirmation.stop();
        installation.stop();
      },
    };
  },
});

function updateRoutes(updates: Updates, installation: Installation): Route[] {
  const mayUpload = async () => {
    await installation.whenEnded();
    installation.requireNone();
    await updates.requireSlots();
  };
  return [
    serve(contract.getUpdate, () => updates.status()),
    serve(
      contract.uploadUpdate,
      ({ query, upload, uploadBytes }) => {
        updates.requireNoTrial();
        return installation.put(upload, uploadBytes, query.operation_id);
      },
      mayUpload,
    ),
    serve(contract.applyUpdate, ({ afterAnswer }) => updates.apply(afterAnswer)),
  ];
}

/** A device without a screen paints nothing, and its slot is good all the same. */
async function firstFrame(screen: Display): Promise<void> {
  try {
    await withTimeout(screen.firstFrame, SCREENLESS_MS);
  } catch {
    if (await screen.hasScreen()) throw new Error('the screen has shown no frame yet');
  }
}
