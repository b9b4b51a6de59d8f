import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder, requireFreeSpace } from '../../ci/lib/places.ts';
import { chooseAcceleration } from '../../ci/qemu/acceleration.ts';
import type { MachineSettings } from '../../ci/qemu/arguments.ts';
import type { BuiltImage } from '../../ci/qemu/image.ts';
import { type InstancePaths, instancePaths } from '../../ci/qemu/instance.ts';
import { freePort } from '../../ci/qemu/ports.ts';
import { ensureQemu } from '../../ci/qemu/program.ts';
import { testCredentials } from '../../ci/qemu/test-credentials.ts';
import { removeLeftovers } from './leftovers.ts';

/** The serial number in the machine's firmware configuration. */
export const SERIAL_NUMBER = 'VIRT-0123ABCD';

const DISK_ROOM = 2 * 2 ** 30;

/** The machine settings of a device of this process, and the paths of its files. */
export interface DeviceSetup {
  settings: MachineSettings;
  paths: InstancePaths;
  disk: string;
}

let lastDevice = 0;

/**
 * Prepares the folders of another device. Leftovers of earlier runs are removed.
 * @param room bytes that its disk may need
 * @returns paths of the running device, and that of its disk without an extension
 */
export async function prepareFolders(room: number): Promise<{ paths: InstancePaths; disk: string }> {
  const name = `test-${process.pid}-${++lastDevice}`;
  const paths = instancePaths(name);
  await removeLeftovers(dirname(paths.folder));
  await rm(paths.folder, { recursive: true, force: true });
  await mkdir(paths.folder, { recursive: true, mode: 0o700 });
  const folder = join(cacheFolder(), 'tests');
  await requireFreeSpace(folder, room, 'the disk of the test’s device');
  await removeLeftovers(folder);
  return { paths, disk: join(folder, name) };
}

/** Prepares settings and folders for another device in QEMU. */
export async function prepareDevice(image: BuiltImage): Promise<DeviceSetup> {
  const { paths, disk: base } = await prepareFolders(DISK_ROOM);
  const disk = `${base}.qcow2`;
  return { paths, disk, settings: await deviceSettings(image, paths, disk) };
}

/** The machine settings of a device. They differ between devices only in ports and paths. */
export async function deviceSettings(
  image: BuiltImage,
  paths: InstancePaths,
  disk: string,
): Promise<MachineSettings> {
  const qemu = await ensureQemu();
  return {
    qemu,
    acceleration: await chooseAcceleration(qemu, image.kernel),
    firmware: image.firmware,
    disk,
    diskCache: 'unsafe',
    console: paths.console,
    monitors: [paths.control],
    ports: [
      { name: 'org.vitrine.serial', socket: paths.serial },
      { name: 'org.vitrine.shell', socket: paths.shell },
      { name: 'org.vitrine.relay', socket: paths.relay },
    ],
    apiPort: await freePort(0),
    httpsPort: await freePort(0),
    screen: 'vnc',
    soundFile: paths.sound,
    serialNumber: SERIAL_NUMBER,
    credentials: await testCredentials(),
    // Several devices share this computer's processors, and emulated ones wait for each other's locks: with two in each
    // device, four scenarios need 1.5 times the processor time. The containers' tests have all processors.
    cpus: 1,
  };
}
