import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheFolder, ROOT, requireFreeSpace } from '../../../ci/lib/places.ts';
import { waitForApi } from '../../../ci/lib/virtual-device.ts';
import { chooseAcceleration } from '../../../ci/qemu/acceleration.ts';
import type { MachineSettings } from '../../../ci/qemu/arguments.ts';
import type { BuiltImage } from '../../../ci/qemu/image.ts';
import { type InstancePaths, instancePaths } from '../../../ci/qemu/instance.ts';
import { Machine } from '../../../ci/qemu/machine.ts';
import { freePort } from '../../../ci/qemu/ports.ts';
import { ensureQemu } from '../../../ci/qemu/program.ts';
import { GuestShell } from '../../../ci/qemu/shell.ts';
import { SERIAL_NUMBER } from '../device-setup.ts';
import { removeLeftovers } from '../leftovers.ts';
import { NbdServer } from './nbd.ts';
import type { Random } from './random.ts';
import { type Loss, VolatileDisk } from './volatile-disk.ts';

const UNITS = join(ROOT, 'tests-qemu/units/minimal');
/** Disk space for the data that the machine writes in many boots: file system journal, logs, bundles. */
const DISK_ROOM = 2 ** 30;
const BOOT_TIMEOUT_MS = { kvm: 90_000, tcg: 420_000 };

/** A machine for repeated power cuts on the same disk. Its boot is short: see units/minimal. */
export class CutMachine {
  readonly paths: InstancePaths;
  readonly disk: VolatileDisk;
  readonly nbd: NbdServer;
  readonly #settings: MachineSettings;
  #running: { machine: Machine; shell: GuestShell } | undefined;

  /** @param name distinguishes the machines of a test */
  static async make(image: BuiltImage, name: string): Promise<CutMachine> {
    const full = `test-cuts-${name}-${process.pid}`;
    const paths = instancePaths(full);
    await removeLeftovers(dirname(paths.folder));
    await rm(paths.folder, { recursive: true, force: true });
    await mkdir(paths.folder, { recursive: true, mode: 0o700 });
    const folder = join(cacheFolder(), 'tests');
    await requireFreeSpace(folder, DISK_ROOM, 'the test machine’s disk');
    await removeLeftovers(folder);
    const units = (await readdir(UNITS)).sort();
    const socket = join(paths.folder, 'disk.sock');
    const qemu = await ensureQemu();
    const settings: MachineSettings = {
      qemu,
      acceleration: await chooseAcceleration(qemu, image.kernel),
      firmware: image.firmware,
      disk: { nbd: socket },
      // With "unsafe" QEMU would not forward the guest's flushes.
      diskCache: 'writeback',
      console: paths.console,
      monitors: [paths.control],
      ports: [
        { name: 'org.vitrine.serial', socket: paths.serial },
        { name: 'org.vitrine.shell', socket: paths.shell },
      ],
      apiPort: await freePort(0),
      httpsPort: await freePort(0),
      screen: 'none',
      serialNumber: SERIAL_NUMBER,
      credentials: units.map((unit) => ({ name: unit, file: join(UNITS, unit) })),
      memoryMb: 768,
      cpus: 1,
    };
    const disk = new VolatileDisk(image.disk, join(folder, `${full}.img`));
    return new CutMachine(settings, paths, disk, await NbdServer.start(disk, socket));
  }

  private constructor(settings: MachineSettings, paths: InstancePaths, disk: VolatileDisk, nbd: NbdServer) {
    this.#settings = settings;
    this.paths = paths;
    this.disk = disk;
    this.nbd = nbd;
  }

  get api(): string {
    return `http://127.0.0.1:${this.#settings.apiPort}/api/v1`;
  }

  get shell(): GuestShell {
    if (!this.#running) throw new Error('the machine is off');
    return this.#running.shell;
  }

  /** Powers on and waits until the API and the root shell answer. Returns the seconds until the API answered. */
  async boot(): Promise<number> {
    this.nbd.thaw();
    const machine = await Machine.start(this.#settings, this.paths.qemuLog);
    try {
      const shell = await GuestShell.connect(this.paths.shell);
      this.#running = { machine, shell };
      const timeoutMs = BOOT_TIMEOUT_MS[this.#settings.acceleration.kind];
      await waitForApi(machine, timeoutMs);
      const { seconds } = machine;
      await shell.ready(timeoutMs);
      // For RAUC; a unit that is not started here would create their devices.
      await shell.ok('modprobe -a loop dm-verity squashfs');
      return seconds;
    } catch (error) {
      if (this.nbd.failure) throw this.nbd.failure;
      throw error;
    }
  }

  /** Cuts the power: no more writes reach the disk, QEMU is killed, the content of the disk's cache is lost. */
  async cut(random: Random): Promise<Loss> {
    await this.#kill();
    if (this.nbd.failure) throw this.nbd.failure;
    return this.disk.cut(random);
  }

  async discard(): Promise<void> {
    await this.#kill();
    await this.nbd.close();
    this.disk.close();
    await rm(this.paths.folder, { recursive: true, force: true });
  }

  async #kill(): Promise<void> {
    this.nbd.freeze();
    await this.#running?.machine.kill();
    this.#running?.shell.close();
    this.#running = undefined;
  }
}
