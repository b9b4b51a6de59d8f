import { randomBytes } from 'node:crypto';
import { mkdir, readlink, rename, rm, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sweepTemporaryFiles, syncFolder } from '../base/atomic-file.ts';
import type { TimeZone } from '../resources/device/clock.ts';

const ZONES = '/usr/share/zoneinfo';
/** What the C library and WebKit go by while there is no link. */
const DEFAULT_ZONE = 'UTC';

/**
 * The system's time zone: the link that /etc/localtime, on the read-only root, leads to. It is on the data partition,
 * which is mounted before systemd starts, so that it holds from the first process of a boot on.
 */
export class TimeZoneLink implements TimeZone {
  readonly #link: string;
  readonly #zones: string;

  /** @param zones folder of the time zone database; for tests */
  constructor(link: string, zones = ZONES) {
    this.#link = link;
    this.#zones = zones;
  }

  async set(zone: string): Promise<boolean> {
    const target = join(this.#zones, await this.#known(zone));
    const before = await readlink(this.#link).catch(() => undefined);
    if (before === target) return false;
    const folder = dirname(this.#link);
    await mkdir(folder, { recursive: true });
    await sweepTemporaryFiles(folder);
    const temporary = join(folder, `.${basename(this.#link)}.${randomBytes(6).toString('hex')}.tmp`);
    try {
      await symlink(target, temporary);
      await rename(temporary, this.#link);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncFolder(folder);
    return (before ?? join(this.#zones, DEFAULT_ZONE)) !== target;
  }

  /** The name under which the database has a zone: of old names a database may have the new ones only. */
  async #known(zone: string): Promise<string> {
    const hasData = async (name: string) =>
      (await stat(join(this.#zones, name)).catch(() => undefined))?.isFile() === true;
    // Before Intl, whose first use takes 0.4 s of the start in QEMU.
    if (await hasData(zone)) return zone;
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions();
    if (await hasData(timeZone)) return timeZone;
    throw new Error(`this system has no data of the time zone ${zone}`);
  }
}
