import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir, readlink, rename, rm, symlink } from 'node:fs/promises';
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
    const target = join(this.#zones, zone);
    if (!hasData(this.#zones, zone)) throw new Error(`this system has no data for the time zone ${zone}`);
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
}

/**
 * Whether a time zone may be configured. Browsers still report names that the database has replaced (`Asia/Calcutta`),
 * so the image has the old names, too.
 * @param ownsSystem on another computer, which may lack old names, those that browsers report are known as well
 * @param zones folder of the time zone database, for tests
 */
export function knownTimeZones(ownsSystem: boolean, zones = ZONES): (name: string) => boolean {
  return (name) => hasData(zones, name) || (!ownsSystem && Intl.supportedValuesOf('timeZone').includes(name));
}

function hasData(zones: string, name: string): boolean {
  try {
    return statSync(join(zones, name)).isFile();
  } catch {
    return false;
  }
}
