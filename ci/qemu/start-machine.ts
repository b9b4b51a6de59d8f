import { join } from 'node:path';
import { requireFreeSpace } from '../lib/places.ts';
import type { Progress } from '../lib/progress.ts';
import { setupHost } from '../setup.ts';
import { chooseAcceleration } from './acceleration.ts';
import { developmentSettings } from './development.ts';
import { keepOverlay } from './disk.ts';
import { ensureImage } from './image.ts';
import type { InstancePaths, PreparedDevice, StartRequest } from './instance.ts';
import { Machine } from './machine.ts';
import { freeHttpsPort } from './ports.ts';
import { ensureQemu, qemuWithWindow } from './program.ts';

const DISK_ROOM = 3 * 2 ** 30;
const BOOT_TIMEOUT_MS = { kvm: 90_000, tcg: 420_000 };

/** For `npm start`, everything before power-on: packages, image, disk, the choice between KVM and TCG. */
export async function prepareMachine(
  request: StartRequest,
  paths: InstancePaths,
  progress: Progress,
): Promise<PreparedDevice> {
  const chosenQemu = (unpacked?: string) => (request.window ? qemuWithWindow() : ensureQemu(unpacked));
  const image = await ensureImage({
    setup: setupHost(request.window ? 'window' : 'build'),
    // On a computer whose KVM does not work, the probe takes as long as assembling the image.
    onEmulator: (kernel, emulator) => {
      chosenQemu(emulator)
        .then((each) => chooseAcceleration(each, kernel))
        .catch(() => undefined);
    },
  });
  const qemu = await chosenQemu();
  await requireFreeSpace(request.storage, DISK_ROOM, 'a machine’s disk');
  const disk = join(request.storage, 'disk.qcow2');
  const made = await keepOverlay(qemu, disk, image.disk, image.id, request.fresh);
  if (made === 'image changed')
    progress.line('the image has changed since the last start: the machine gets a new disk');
  const acceleration = await chooseAcceleration(qemu, image.kernel);
  progress.line(`processor: ${acceleration.kind.toUpperCase()} (${acceleration.reason})`);
  const settings = {
    qemu,
    acceleration,
    firmware: image.firmware,
    disk,
    diskCache: 'writeback' as const,
    console: paths.console,
    monitors: [paths.control, paths.qmp],
    ports: [{ name: 'org.vitrine.serial', socket: paths.serial }],
    apiPort: request.apiPort,
    // Chosen late: another machine may have taken the default port while the image was built.
    httpsPort: await freeHttpsPort(request.apiPort),
    screen: request.window ? ('window' as const) : ('vnc' as const),
    serialNumber: request.serialNumber,
    ...(request.dev || request.radios ? await developmentSettings(paths) : {}),
  };
  return {
    start: () => Machine.start(settings, paths.qemuLog),
    bootTimeoutMs: BOOT_TIMEOUT_MS[acceleration.kind],
    qmp: paths.qmp,
    log: paths.qemuLog,
  };
}
