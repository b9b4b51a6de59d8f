import { statfsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserData } from '../../resources/display/ports.ts';

/** One origin gets no more than 60 % of the browser's share (browser/src/storage.c): warn shortly before. */
const BROWSER_WARNING = 0.55;
const PARTITION_WARNING = 0.9;

/** The folder in which the browser keeps cookies, storage and caches: /data/kiosk. */
export class BrowserFolder implements BrowserData {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Also works on a full disk. The folder itself stays, with its owner and quota. */
  async clear(): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      await rm(join(this.#folder, name), { recursive: true, force: true });
    }
  }
}

/**
 * Problems for `health` when something is nearly full; usually none. Two system calls that do not read the disk.
 * @param browserFolder when it has a quota, statfs reports the quota as the file system's size
 * @param statfs `statfsSync`; replaced in tests
 */
export function fullnessProblems(
  dataFolder: string,
  browserFolder: string,
  statfs: (path: string) => Fullness = statfsSync,
): string[] {
  const problems: string[] = [];
  try {
    const [all, browser] = [statfs(dataFolder), statfs(browserFolder)];
    // On a disk that something else fills, the kernel reports what is left of the disk instead of the quota.
    const isLimited = browser.blocks < all.blocks && browser.bavail < all.bavail;
    if (isLimited && used(browser) >= BROWSER_WARNING) {
      problems.push(
        `The data stored by pages and the browser's caches take ${percent(browser)} of their share of the data ` +
          'partition, and one origin can have 60 %: pages may fail to store more. POST /display/clear-data ' +
          'deletes all of it.',
      );
    }
    if (used(all) >= PARTITION_WARNING) problems.push(`The data partition is ${percent(all)} full.`);
  } catch {
    // The folders do not exist on every computer.
  }
  return problems;
}

interface Fullness {
  blocks: number;
  bavail: number;
}

function used({ blocks, bavail }: Fullness): number {
  return blocks === 0 ? 0 : 1 - bavail / blocks;
}

function percent(fullness: Fullness): string {
  return `${Math.floor(used(fullness) * 100)} %`;
}
