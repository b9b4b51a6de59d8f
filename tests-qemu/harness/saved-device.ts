import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '../../agent/src/base/system-error.ts';
import { Cache } from '../../ci/image/lib/cache.ts';
import { cacheFolder, requireFreeSpace } from '../../ci/lib/places.ts';
import type { BuiltImage } from '../../ci/qemu/image.ts';
import { instancePaths } from '../../ci/qemu/instance.ts';
import {
  checkSnapshot,
  type SnapshotFiles,
  saveSnapshot,
  snapshotFiles,
  snapshotKey,
} from '../../ci/qemu/snapshot.ts';
import { field } from '../../testing/field.ts';
import { type Colour, colourCount } from '../../testing/png.ts';
import { waitFor } from '../../testing/wait.ts';
import { waitForHostAddress } from './cable.ts';
import { deviceSettings } from './device-setup.ts';
import { PageServer } from './pages.ts';
import { QemuDevice } from './qemu-device.ts';

/** Disk space for a device's memory and part of its disk, in bytes. */
const ROOM = 2 * 2 ** 30;
/** Saved devices that are kept: for the current and the previous image, which helps when switching between branches. */
const KEEP = 2;
const SETTLE_MS = 300_000;
/** Saving a device takes as long as two or three boots. If fewer devices are needed, it is done only the second time. */
const MIN_USES = 3;
const SHADES: [Colour, Colour][] = [
  [
    [10, 90, 160],
    [200, 120, 20],
  ],
  [
    [120, 20, 60],
    [20, 160, 90],
  ],
];

/** Waits until the boot is completely finished, with the waiting page on the screen. */
export async function waitUntilIdle(device: QemuDevice): Promise<void> {
  await device.shell.run('systemctl is-system-running --wait', SETTLE_MS);
  await device.waitForDisplay(
    (display) => field(display, 'loading') === false,
    'the waiting page',
    SETTLE_MS,
  );
  for (const [script, what] of [
    ['fw_printenv BOOT_A_LEFT | grep -q =3', 'slot A to be marked good'],
    ['test "$(systemctl show -P ActiveState vitrine-splash)" = inactive', 'the boot splash to have ended'],
  ] as const) {
    await waitFor(async () => (await device.shell.run(script)).code === 0, {
      timeoutMs: SETTLE_MS,
      what,
      intervalMs: 500,
    });
  }
  await waitForHostAddress(device);
}

/**
 * Uses the functions that scenarios use, so that a restored device has them in memory. Afterwards the device is in the
 * state after a boot: on the waiting page, without a host on its serial ports.
 */
async function warmUp(device: QemuDevice): Promise<void> {
  const pages = await PageServer.start();
  try {
    for (const [left, right] of SHADES) {
      await device.act('POST', '/display/navigate', { url: pages.addColours(left, right) });
      await device.waitForColours(left, right, SETTLE_MS);
      await device.screenshot();
    }
  } finally {
    await pages.close();
  }
  for (const open of [() => device.serial(), () => device.gadget()]) {
    const serial = await open();
    await serial.request('GET', '/device');
    await serial.close();
  }
  await device.gadgetClosed();
  await device.showWaiting();
  await waitFor(async () => colourCount(await device.screen()) > 20, {
    timeoutMs: SETTLE_MS,
    what: 'the waiting page on the screen',
  });
  await device.shell.ok('sync');
}

/**
 * A device that was booted once and saved, and can be restored any number of times: see ci/qemu/snapshot.ts. It is kept
 * in the cache folder and created when there is none for this image, this QEMU and this machine.
 */
export class SavedDevice {
  readonly #image: BuiltImage;
  readonly #uses: number;
  readonly #say: (line: string) => void;
  readonly #cache = new Cache(join(cacheFolder(), 'snapshots'));
  /** Contains the key for which devices were booted last time instead of saving one. */
  readonly #wanted = join(this.#cache.folder, 'wanted');
  #files: Promise<SnapshotFiles | undefined> | undefined;

  /**
   * @param uses minimum number of devices that this run restores
   * @param say prints what is created, and why a saved device is not used
   */
  constructor(image: BuiltImage, uses: number, say: (line: string) => void) {
    this.#image = image;
    this.#uses = uses;
    this.#say = say;
  }

  /** Finds the saved device, or creates it, which takes about a minute. */
  async prepare(): Promise<SnapshotFiles | undefined> {
    this.#files ??= this.#find();
    return await this.#files;
  }

  /** Restores the saved device; undefined, after printing the reason, when that is not possible. */
  async restore(): Promise<QemuDevice | undefined> {
    const files = await this.prepare();
    if (!files) return undefined;
    try {
      return await QemuDevice.restore(files, this.#image);
    } catch (error) {
      // This run boots its devices from now on; the next run saves a new one.
      this.#files = Promise.resolve(undefined);
      this.#say(`the saved device cannot be restored, so devices are booted: ${errorMessage(error)}`);
      await this.#cache.remove('device', await this.#key()).catch(() => undefined);
      return undefined;
    }
  }

  async #find(): Promise<SnapshotFiles | undefined> {
    try {
      const key = await this.#key();
      if (!this.#cache.find('device', key) && !(await this.#shouldSave(key))) {
        this.#say('no device of this image is saved yet: a device is booted for each scenario');
        return undefined;
      }
      const make = (): Promise<string> =>
        this.#cache.make('device', key, KEEP, (folder) => this.#save(folder));
      const folder = this.#cache.find('device', key) ?? (await this.#cache.exclusively(make, 'another run'));
      const files = snapshotFiles(folder);
      await checkSnapshot(files).catch(async (error: unknown) => {
        await this.#cache.remove('device', key);
        throw error;
      });
      return files;
    } catch (error) {
      this.#say(`there is no saved device to restore, so devices are booted: ${errorMessage(error)}`);
      return undefined;
    }
  }

  /** Whether to save a device: not the first time that only one or two scenarios run on a changed image. */
  async #shouldSave(key: string): Promise<boolean> {
    if (this.#uses >= MIN_USES || (await readFile(this.#wanted, 'utf8').catch(() => '')) === key) return true;
    await writeFile(this.#wanted, key);
    return false;
  }

  async #save(folder: string): Promise<void> {
    await requireFreeSpace(folder, ROOM, 'a saved device');
    const files = snapshotFiles(folder);
    const device = await QemuDevice.bootInto(files, this.#image);
    try {
      await device.waitUp();
      const { seconds } = device.machine;
      await waitUntilIdle(device);
      await warmUp(device);
      await saveSnapshot(device.machine, files);
      const whole = device.machine.seconds.toFixed(1);
      this.#say(`a device was booted (${seconds.toFixed(1)} s) and saved, ${whole} s in all`);
    } finally {
      await device.discard();
    }
  }

  async #key(): Promise<string> {
    const settings = await deviceSettings(this.#image, instancePaths('any'), '');
    // The steps before saving affect the saved state, so this file's text is part of the key.
    const program = await readFile(fileURLToPath(import.meta.url), 'utf8');
    return await snapshotKey(this.#image, settings, program);
  }
}
