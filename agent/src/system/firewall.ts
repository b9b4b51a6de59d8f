import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../base/atomic-file.ts';

/** Empties the chain of overlay/usr/lib/vitrine/firewall.nft that keeps pages from the cable's host. */
const OPEN = 'flush chain inet vitrine to_cable_host\n';

/** The configurable part of the firewall: a file that its rules include. */
export class Firewall {
  readonly #file: string;
  readonly #load: () => Promise<void>;
  #problem: string | undefined;

  /**
   * @param folder whose files the rules include, for example /run/vitrine/firewall
   * @param load reloads the rules
   */
  constructor(folder: string, load: () => Promise<void>) {
    this.#file = join(folder, 'host-services.nft');
    this.#load = load;
  }

  /**
   * Lets displayed pages reach services of the host at the other end of the cable, or not, as after a boot.
   * @throws Error when the rules could not be loaded
   */
  async allowHostServices(allowed: boolean): Promise<void> {
    // An existing file is emptied, not skipped: the loaded rules may still be the open ones.
    if (!allowed && !existsSync(this.#file)) return;
    try {
      await writeFileAtomic(this.#file, allowed ? OPEN : '');
      await this.#load();
      this.#problem = undefined;
    } catch (error) {
      const wanted = allowed ? 'reach' : 'are kept from';
      this.#problem = `The firewall could not be changed so that pages ${wanted} services of the host.`;
      throw error;
    }
  }

  /** Sentences for `health`. */
  problems(): string[] {
    return this.#problem === undefined ? [] : [this.#problem];
  }
}
