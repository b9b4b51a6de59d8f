import { rm } from 'node:fs/promises';
import { Container } from '../../ci/container/container.ts';
import type { ContainerImage } from '../../ci/container/image.ts';
import { containerScreen } from '../../ci/container/screen.ts';
import type { InstancePaths } from '../../ci/qemu/instance.ts';
import { freePort } from '../../ci/qemu/ports.ts';
import { GuestShell } from '../../ci/qemu/shell.ts';
import { testCredentials } from '../../ci/qemu/test-credentials.ts';
import type { SerialChannel } from '../../client/serial.ts';
import { field } from '../../testing/field.ts';
import { colourCount, type Picture, readPpm } from '../../testing/png.ts';
import { waitFor, within } from '../../testing/wait.ts';
import { connectAndWaitForHello, Device, type SerialLink } from './device.ts';
import { prepareFolders, SERIAL_NUMBER } from './device-setup.ts';

const DATA_ROOM = 2 ** 30;
const BOOT_TIMEOUT_MS = 120_000;

/** What containers of a run have in common. */
export interface ContainerSetup extends ContainerImage {
  /** Command prefix that runs a program as root. */
  asRoot: string[];
}

/** A device in a container on this computer's kernel: without the hardware of a machine, but as fast as this computer. */
export class ContainerDevice extends Device {
  readonly host: Container;
  readonly kind = 'container';
  readonly isEmulated = false;
  readonly bootTimeoutMs = BOOT_TIMEOUT_MS;
  readonly #data: string;
  #shell: GuestShell;

  /** Starts a factory-new device. */
  static async boot(setup: ContainerSetup, serialNumber = SERIAL_NUMBER): Promise<ContainerDevice> {
    const { paths, disk } = await prepareFolders(DATA_ROOM);
    const data = `${disk}.ext4`;
    const host = await Container.start({
      ...setup,
      data,
      folder: paths.folder,
      console: paths.console,
      apiPort: await freePort(0),
      httpsPort: await freePort(0),
      serialNumber,
      credentials: await testCredentials('container'),
    });
    try {
      return new ContainerDevice(host, paths, data, await GuestShell.connect(paths.shell, BOOT_TIMEOUT_MS));
    } catch (error) {
      await host.quit();
      throw error;
    }
  }

  /** Starts a factory-new device and waits until its waiting page is on the screen. */
  static async bootUntilIdle(setup: ContainerSetup, serialNumber?: string): Promise<ContainerDevice> {
    const device = await ContainerDevice.boot(setup, serialNumber);
    try {
      await device.waitUntilIdle();
      return device;
    } catch (error) {
      await device.discard();
      throw error;
    }
  }

  private constructor(host: Container, paths: InstancePaths, data: string, shell: GuestShell) {
    super(paths);
    this.host = host;
    this.#data = data;
    this.#shell = shell;
  }

  get shell(): GuestShell {
    return this.#shell;
  }

  /** Waits until the boot is completely finished, and the waiting page is on the screen. */
  async waitUntilIdle(): Promise<void> {
    await this.waitUp();
    await this.shell.run('systemctl is-system-running --wait', BOOT_TIMEOUT_MS);
    await this.waitForDisplay((display) => field(display, 'loading') === false, 'the waiting page');
    await waitFor(async () => colourCount(await this.screen()) > 20, {
      timeoutMs: BOOT_TIMEOUT_MS,
      what: 'the waiting page on the screen',
    });
  }

  readonly serialLinks: readonly SerialLink[] = [{ name: 'terminal', open: () => this.serial() }];

  async serial(): Promise<SerialChannel> {
    return await connectAndWaitForHello(this.paths.serial);
  }

  /** A picture of the compositor's output, taken by grim. */
  async screen(): Promise<Picture> {
    return readPpm((await this.screenFile()).bytes);
  }

  async screenFile() {
    return { bytes: await containerScreen(this.host), type: 'ppm' as const };
  }

  async restart(act: () => Promise<unknown>, boots = 1): Promise<void> {
    let seen = 0;
    const done = Promise.withResolvers<void>();
    const stop = this.host.onRestart(() => {
      this.#shell.close();
      if (++seen === boots) done.resolve();
    });
    try {
      await act();
      await within(
        done.promise,
        boots * BOOT_TIMEOUT_MS,
        `${boots} restarts of the container (${seen} seen)`,
      );
    } finally {
      stop();
    }
    this.#shell = await GuestShell.connect(this.paths.shell, BOOT_TIMEOUT_MS);
    await this.waitUp();
  }

  async reset(): Promise<void> {
    await this.restart(async () => this.host.reset());
  }

  async withoutHost(between: () => Promise<void>): Promise<void> {
    await this.#shell.ok('ip -n host link set host0 down; ip link set cable0 down');
    try {
      await between();
    } finally {
      await this.#shell.ok('ip -n host link set host0 up; ip link set cable0 up');
    }
  }

  async discard(): Promise<void> {
    this.#shell.close();
    await this.host.quit();
    await rm(this.#data, { force: true });
    await rm(this.paths.folder, { recursive: true, force: true });
  }
}
