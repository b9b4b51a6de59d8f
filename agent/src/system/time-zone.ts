import { randomBytes } from 'node:crypto';
import { mkdir, readlink, rename, rm, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sweepTemporaryFiles, syncFolder } from '../base/atomic-file.ts';
import type { TimeZone } from '../resources/device/clock.ts';

const ZONES = '/usr/share/zoneinfo';
/** Used by the C library and WebKit without a link. */
const DEFAULT_ZONE = 'UTC';

/**
 * The system's time zone: /etc/localtime, on the read-only root, points to this link on the data partition, which is
 * mounted before systemd starts. So every process of a boot uses it.
 */
export class TimeZoneLink implements TimeZone {
  readonly #link: string;
  readonly #zones: string;

  /** @param zones folder of the time zone database, for tests */
  constructor(link: string, zones = ZONES) {
    this.#link = link;
    this.#zones = zones;
  }

  async set(zone: string): Promise<boolean> {
    const target = join(this.#zones, await this.#databaseName(zone));
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

  /** The name of a zone in the database, which may have renamed zones under their new name only. */
  async #databaseName(zone: string): Promise<string> {
    const hasData = async (name: string) =>
      (await stat(join(this.#zones, name)).catch(() => undefined))?.isFile() === true;
    // Checked before Intl, whose first use is slow (0.4 s in QEMU).
    if (await hasData(zone)) return zone;
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions();
    if (await hasData(timeZone)) return timeZone;
    throw new Error(`this system has no data for the time zone ${zone}`);
  }
}
