import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sweepTemporaryFiles, syncFolder, writeFileAtomic } from '../../base/atomic-file.ts';
import { RESERVE_BYTES } from '../../base/disk-reserve.ts';
import type { Logger } from '../../base/logger.ts';
import { errorCode } from '../../base/system-error.ts';
import { ApiError, storageError } from '../../contract/errors.ts';
import type { EventBus } from '../../events/bus.ts';
import { checkPng, PngError, readChunks } from './png.ts';
import { splashChanged } from './schema.ts';

/** `boot` is the waiting page's image, too. */
export type SplashKind = 'boot' | 'shutdown';

export interface SplashOptions {
  /** Where `boot.png` and `shutdown.png` lie; vitrine-splash reads them there. Made when needed. */
  folder: string;
  /** Reads the image that ships with the agent. */
  builtIn: () => Promise<Buffer>;
  /** The room on the partition that `folder` is on. */
  disk: { free(): Promise<{ free_bytes: number }> };
  bus: EventBus;
  log: Logger;
}

/** An environment file of the units that run vitrine-splash; not there while the screen is not turned. */
const ROTATION_FILE = 'rotation.env';

/** What is shown for an image: the uploaded ones, the first that is whole; then the built-in one. */
const FALLBACKS: Readonly<Record<SplashKind, readonly SplashKind[]>> = {
  boot: ['boot'],
  shutdown: ['shutdown', 'boot'],
};

/** The owner's pictures on the screen: at boot, on the waiting page, at shutdown (interface: Files). */
export class Splash {
  readonly #options: SplashOptions;
  readonly #listeners = new Set<(kind: SplashKind) => void>();
  /** Changes are made one after the other. */
  #turn: Promise<void> = Promise.resolve();
  #version = '';
  /** As they were asked to be turned last, in degrees. */
  #turned: number | undefined;

  /** Sweeps what a power cut left behind and looks which images there are. */
  static async open(options: SplashOptions): Promise<Splash> {
    const splash = new Splash(options);
    await sweepTemporaryFiles(options.folder);
    await splash.#look();
    return splash;
  }

  private constructor(options: SplashOptions) {
    this.#options = options;
  }

  /** Another one for every uploaded boot image; empty while there is none. */
  get version(): string {
    return this.#version;
  }

  /** Hears of every upload and reset, after it. */
  onChange(listener: (kind: SplashKind) => void): void {
    this.#listeners.add(listener);
  }

  /** @returns the PNG that stands for `kind` now, byte for byte as it was uploaded */
  async get(kind: SplashKind): Promise<Buffer> {
    for (const candidate of FALLBACKS[kind]) {
      const png = await this.#stored(candidate);
      if (png) return png;
    }
    return await this.#options.builtIn();
  }

  /**
   * Stores an image; when this resolves it survives a power cut.
   * @throws ApiError `bad_request` for what is no PNG that decodes to its end; `insufficient_storage`
   */
  async put(kind: SplashKind, png: Buffer): Promise<void> {
    try {
      await checkPng(png);
    } catch (error) {
      if (error instanceof PngError) throw new ApiError('bad_request', error.message);
      throw error;
    }
    await this.#change(kind, async () => {
      const { free_bytes } = await this.#options.disk.free();
      if (free_bytes < png.length + RESERVE_BYTES) throw new ApiError('insufficient_storage');
      await writeFileAtomic(this.#path(kind), png).catch((error: unknown) => {
        throw storageError(error);
      });
    });
  }

  /** Takes an uploaded image away; nothing to take away is no error. */
  async reset(kind: SplashKind): Promise<void> {
    await this.#change(kind, async () => {
      try {
        await rm(this.#path(kind));
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return;
        throw error;
      }
      await syncFolder(this.#options.folder);
    });
  }

  /**
   * Has the images at boot and shutdown turned as the screen is. May be called often.
   * @param degrees clockwise
   */
  async turn(degrees: number): Promise<void> {
    if (degrees === this.#turned) return;
    this.#turned = degrees;
    const path = join(this.#options.folder, ROTATION_FILE);
    const text = degrees === 0 ? '' : `SPLASH_ROTATION=${degrees}\n`;
    await this.#inTurn(async () => {
      if ((await readFile(path, 'utf8').catch(() => '')) === text) return;
      if (text) await writeFileAtomic(path, text);
      else {
        await rm(path, { force: true });
        await syncFolder(this.#options.folder);
      }
    }).catch((error: unknown) => {
      this.#turned = undefined; // the next call tries again
      throw error;
    });
  }

  async #change(kind: SplashKind, work: () => Promise<void>): Promise<void> {
    await this.#inTurn(async () => {
      await work();
      if (kind === 'boot') await this.#look();
    });
    this.#options.bus.emit(splashChanged, { kind });
    for (const listener of this.#listeners) listener(kind);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #look(): Promise<void> {
    const found = await stat(this.#path('boot')).catch(() => undefined);
    this.#version = found ? `${Math.trunc(found.mtimeMs)}-${found.ino}` : '';
  }

  /** The stored image; undefined when there is none, or when the disk has damaged it. */
  async #stored(kind: SplashKind): Promise<Buffer | undefined> {
    const path = this.#path(kind);
    try {
      const png = await readFile(path);
      // Its pixels were checked when it came; a checksum tells whether they are still the same.
      readChunks(png);
      return png;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      this.#options.log.error({ err: error, path }, 'a splash image is damaged and left out');
      return undefined;
    }
  }

  #path(kind: SplashKind): string {
    return join(this.#options.folder, `${kind}.png`);
  }
}
