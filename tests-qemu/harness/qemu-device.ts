import { randomBytes } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { waitForApi } from '../../ci/lib/virtual-device.ts';
import { makeOverlay } from '../../ci/qemu/disk.ts';
import type { BuiltImage } from '../../ci/qemu/image.ts';
import { Machine } from '../../ci/qemu/machine.ts';
import { ensureQemu } from '../../ci/qemu/program.ts';
import { GuestShell } from '../../ci/qemu/shell.ts';
import { resumeSnapshot, type SnapshotFiles } from '../../ci/qemu/snapshot.ts';
import type { SerialChannel } from '../../client/serial.ts';
import type { Picture } from '../../testing/png.ts';
import { waitFor, within } from '../../testing/wait.ts';
import { gadgetUnplugged, networkUnplugged } from './cable.ts';
import { connectAndWaitForHello, Device, type SerialLink } from './device.ts';
import { type DeviceSetup, prepareDevice } from './device-setup.ts';
import { readScreen, screendump } from './screen.ts';

/** Bytes of a booted device's disk after the end of the image. */
const SPARE_DISK = 2 ** 30;
/** Time limit for the guest to notice that a host has disconnected. */
const SEEN_MS = 90_000;
const BOOT_TIMEOUT_MS = { kvm: 90_000, tcg: 420_000 };
/** Time limit for a restored device to answer: it takes seconds, on a busy computer ten times as long. */
const RESTORE_TIMEOUT_MS = 120_000;
/** Sets the guest's time of day from its emulated clock chip, which does not stand still. */
const SET_CLOCK = 'date -s @$(cat /sys/class/rtc/rtc0/since_epoch)';

/** Makes a factory-new disk that is larger than the image, as cards are. */
async function makeDisk(path: string, image: BuiltImage): Promise<void> {
  await makeOverlay(await ensureQemu(), path, image.disk, 'raw', (await stat(image.disk)).size + SPARE_DISK);
}

/** A device in QEMU, with the machine's hardware. */
export class QemuDevice extends Device {
  readonly machine: Machine;
  readonly shell: GuestShell;
  readonly #disk: string;

  /** Powers on a factory-new device with `image`. */
  static async boot(image: BuiltImage): Promise<QemuDevice> {
    const place = await prepareDevice(image);
    await makeDisk(place.disk, image);
    return await QemuDevice.#start(place);
  }

  /** Like {@link boot}, but with the disk in `files`, so that the device can be saved. */
  static async bootInto(files: SnapshotFiles, image: BuiltImage): Promise<QemuDevice> {
    const place = await prepareDevice(image);
    await makeDisk(files.disk, image);
    return await QemuDevice.#start({ ...place, settings: { ...place.settings, disk: files.disk } });
  }

  /**
   * Restores the device that is saved in `files`, sets the current time, and waits until the API answers.
   *
   * Uptime, boot id and the memory of programs are those of the saved device. So is the state of random number
   * generators; the kernel's gets fresh bytes, which it mixes in within a minute.
   */
  static async restore(files: SnapshotFiles, image: BuiltImage): Promise<QemuDevice> {
    const place = await prepareDevice(image);
    await makeOverlay(place.settings.qemu, place.disk, files.disk, 'qcow2');
    const device = await QemuDevice.#start({ ...place, settings: { ...place.settings, incoming: true } });
    try {
      await resumeSnapshot(device.machine, files);
      await device.shell.ready(RESTORE_TIMEOUT_MS);
      // Immediately, before anything depends on the time of day. The monotonic clock does not jump.
      await device.shell.ok(`${SET_CLOCK} && echo ${randomBytes(64).toString('hex')} >/dev/urandom`);
      await waitForApi(device.machine, RESTORE_TIMEOUT_MS);
      return device;
    } catch (error) {
      await device.discard();
      throw error;
    }
  }

  static async #start(setup: DeviceSetup): Promise<QemuDevice> {
    const { settings, paths } = setup;
    const machine = await Machine.start(settings, paths.qemuLog);
    try {
      return new QemuDevice(machine, setup, await GuestShell.connect(paths.shell));
    } catch (error) {
      await machine.quit();
      throw error;
    }
  }

  private constructor(machine: Machine, { paths, disk }: DeviceSetup, shell: GuestShell) {
    super(paths);
    this.machine = machine;
    this.shell = shell;
    this.#disk = disk;
  }

  get host(): Machine {
    return this.machine;
  }

  get kind(): string {
    return `QEMU, ${this.machine.settings.acceleration.kind.toUpperCase()}`;
  }

  get isEmulated(): boolean {
    return this.machine.settings.acceleration.kind === 'tcg';
  }

  get bootTimeoutMs(): number {
    return BOOT_TIMEOUT_MS[this.machine.settings.acceleration.kind];
  }

  /** Stops the processors: an idle device uses a third of one of this computer's. Its clocks stand still. */
  async pause(): Promise<void> {
    await this.machine.qmp.execute('stop');
  }

  /** Goes on after {@link pause}, with the time of day set. */
  async resume(): Promise<void> {
    await this.machine.qmp.execute('cont');
    await this.shell.ok(SET_CLOCK);
  }

  readonly serialLinks: readonly SerialLink[] = [
    { name: 'USB gadget', open: () => this.gadget() },
    { name: 'virtio port', open: () => this.serial() },
  ];

  /** Connects as a host to the virtio serial port, the second cable of virt, and waits for the hello. */
  async serial(): Promise<SerialChannel> {
    // The guest's driver only has the state "connected": a host that reconnects before the guest has checked it is not
    // noticed as a new one. (The relay's unit mounts debugfs.)
    await waitFor(
      async () => {
        const port = '$(grep -l "name: org.vitrine.serial" /sys/kernel/debug/virtio-ports/*)';
        return (await this.shell.run(`grep -q "host_connected: 0" "${port}"`)).code === 0;
      },
      { timeoutMs: SEEN_MS, what: 'the guest to notice that the last host has disconnected' },
    );
    // The agent gets the event at that moment; once it has answered a later request, it has handled the event.
    await this.get('/device');
    return await connectAndWaitForHello(this.paths.serial);
  }

  /** Connects as a host to the USB gadget's tty and waits for the hello. */
  async gadget(): Promise<SerialChannel> {
    // The relay polls whether a client is connected: if the next one came too soon, it would not notice the change and
    // would keep the tty open.
    await this.gadgetClosed();
    return await connectAndWaitForHello(this.paths.relay);
  }

  /** Waits until the relay has closed the gadget's tty, after its client or the tty has gone. */
  async gadgetClosed(): Promise<void> {
    await waitFor(
      async () => (await this.shell.run('readlink /proc/[0-9]*/fd/4 | grep -q ttyACM')).code !== 0,
      { timeoutMs: SEEN_MS, what: 'the relay to have closed the tty' },
    );
  }

  async screen(): Promise<Picture> {
    return await readScreen(this.machine.qmp, this.paths.folder);
  }

  async screenFile() {
    return { bytes: await screendump(this.machine.qmp, this.paths.folder, 'png'), type: 'png' as const };
  }

  async restart(act: () => Promise<unknown>, boots = 1): Promise<void> {
    let resets = 0;
    const done = Promise.withResolvers<void>();
    const stop = this.machine.onRestart(() => {
      this.shell.restarted();
      if (++resets === boots) done.resolve();
    });
    try {
      await act();
      await within(
        done.promise,
        boots * this.bootTimeoutMs,
        `${boots} restarts of the machine (${resets} seen)`,
      );
    } finally {
      stop();
    }
    await this.waitUp();
  }

  async reset(): Promise<void> {
    await this.restart(() => this.machine.qmp.execute('system_reset'));
  }

  async withoutHost(between: () => Promise<void>): Promise<void> {
    await gadgetUnplugged(this, () => networkUnplugged(this.machine, between));
  }

  async discard(): Promise<void> {
    this.shell.close();
    await this.machine.quit();
    await rm(this.#disk, { force: true });
    await rm(this.paths.folder, { recursive: true, force: true });
  }
}
