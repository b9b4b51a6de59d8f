import { statfsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserData } from '../resources/display/ports.ts';

/** One origin is refused more at 60 % of the browser's share (browser/src/storage.c): tell it shortly before. */
const BROWSER_NEAR = 0.55;
const PARTITION_NEAR = 0.9;

/** The folder in which the browser keeps cookies, storage and caches: /data/kiosk. */
export class BrowserFolder implements BrowserData {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Works on a full disk, too. The folder itself, with its owner and its quota, stays. */
  async clear(): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      await rm(join(this.#folder, name), { recursive: true, force: true });
    }
  }
}

/**
 * What is nearly full, as sentences for `health`; mostly none. Costs two system calls without a look at the disk.
 * @param browserFolder a folder with a quota tells of the quota as if it were the whole file system
 * @param look `statfsSync`; another in tests
 */
export function fullnessProblems(
  dataFolder: string,
  browserFolder: string,
  look: (path: string) => Fullness = statfsSync,
): string[] {
  const problems: string[] = [];
  try {
    const [all, browser] = [look(dataFolder), look(browserFolder)];
    const isLimited = browser.blocks < all.blocks;
    if (isLimited && used(browser) >= BROWSER_NEAR) {
      problems.push(
        `What pages have stored, with the browser's caches, takes ${percent(browser)} of its share of the data ` +
          'partition, of which one origin can have 60 %: pages may fail to store more. POST /display/clear-data takes ' +
          'it all away.',
      );
    }
    if (used(all) >= PARTITION_NEAR) problems.push(`The data partition is ${percent(all)} full.`);
  } catch {
    // Without the folders there is nothing that could be full.
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
