import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFile, sweepTemporaryFiles, writeFileAtomic } from '../../base/atomic-file.ts';
import { RESERVE_BYTES } from '../../base/disk-reserve.ts';
import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/mutex.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { ApiError } from '../../contract/errors.ts';
import type { EventBus } from '../../events/bus.ts';
import { checkPng, readChunks } from './png.ts';
import { MAX_SPLASH_BYTES, splashChanged } from './schema.ts';

/** `boot` is also the image of the waiting page. */
export type SplashKind = 'boot' | 'shutdown';

export interface SplashOptions {
  /** Holds `boot.png` and `shutdown.png`, which vitrine-splash reads. Created when needed. */
  folder: string;
  /** Reads the image that ships with the agent. */
  builtIn: () => Promise<Buffer>;
  /** Free space of the partition that `folder` is on. */
  disk: { free(): Promise<{ free_bytes: number }> };
  bus: EventBus;
  log: Logger;
}

/** Which uploaded image is shown for each kind: the first that exists and is intact, else the built-in one. */
const FALLBACKS: Readonly<Record<SplashKind, readonly SplashKind[]>> = {
  boot: ['boot'],
  shutdown: ['shutdown', 'boot'],
};

/** The uploaded images shown at boot, on the waiting page and at shutdown. */
export class Splash {
  readonly #options: SplashOptions;
  readonly #mutex = new Mutex();
  #version = '';
  /** The rotation that was requested last, in degrees; undefined when it could not be stored. */
  #rotation: number | undefined;

  /** Removes what interrupted writes left and finds the stored images. */
  static async open(options: SplashOptions): Promise<Splash> {
    const splash = new Splash(options);
    await sweepTemporaryFiles(options.folder);
    await splash.#updateVersion();
    return splash;
  }

  private constructor(options: SplashOptions) {
    this.#options = options;
  }

  /** Changes with every upload of a boot image; empty while there is none. */
  get version(): string {
    return this.#version;
  }

  /** @returns the PNG that is shown for `kind` now, byte for byte as it was uploaded */
  async get(kind: SplashKind): Promise<Buffer> {
    for (const candidate of FALLBACKS[kind]) {
      const png = await this.#readStored(candidate);
      if (png) return png;
    }
    return await this.#options.builtIn();
  }

  /**
   * Stores an image; it survives a power cut once this resolves.
   * @throws ApiError `bad_request` for a file that is not a valid PNG, `insufficient_storage`; the system's error when it
   *   cannot be written
   */
  async put(kind: SplashKind, png: Buffer): Promise<void> {
    await checkPng(png);
    await this.#change(kind, async () => {
      const { free_bytes } = await this.#options.disk.free();
      if (free_bytes < png.length + RESERVE_BYTES) throw new ApiError('insufficient_storage');
      await writeFileAtomic(this.#path(kind), png);
    });
  }

  /** Removes an uploaded image, if there is one. */
  async reset(kind: SplashKind): Promise<void> {
    await this.#change(kind, () => removeFile(this.#path(kind)));
  }

  /**
   * Sets the rotation of the images at boot and shutdown, in an environment file of the units that run vitrine-splash.
   * Calls with the same rotation cost nothing.
   * @param degrees clockwise
   */
  async turn(degrees: number): Promise<void> {
    if (degrees === this.#rotation) return;
    this.#rotation = degrees;
    const path = join(this.#options.folder, 'rotation.env');
    const text = `SPLASH_ROTATION=${degrees}\n`;
    try {
      await this.#mutex.run(async () => {
        if (degrees === 0) await removeFile(path);
        else if (String(await readRegularFile(path, text.length).catch(() => '')) !== text) {
          await writeFileAtomic(path, text);
        }
      });
    } catch (error) {
      this.#rotation = undefined; // the next call tries again
      throw error;
    }
  }

  async #change(kind: SplashKind, work: () => Promise<void>): Promise<void> {
    await this.#mutex.run(async () => {
      await work();
      await this.#updateVersion();
    });
    this.#options.bus.emit(splashChanged, { kind });
  }

  async #updateVersion(): Promise<void> {
    const found = await stat(this.#path('boot')).catch(() => undefined);
    this.#version = found ? `${Math.trunc(found.mtimeMs)}-${found.ino}` : '';
  }

  /** The stored image; undefined when there is none or the file is damaged. */
  async #readStored(kind: SplashKind): Promise<Buffer | undefined> {
    const path = this.#path(kind);
    try {
      const png = await readRegularFile(path, MAX_SPLASH_BYTES);
      if (!png) return undefined;
      // The pixels were checked at the upload; the checksums tell whether they are still the same.
      readChunks(png);
      return png;
    } catch (error) {
      this.#options.log.error({ err: error, path }, 'a damaged splash image is not used');
      return undefined;
    }
  }

  #path(kind: SplashKind): string {
    return join(this.#options.folder, `${kind}.png`);
  }
}
