import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../base/atomic-file.ts';

/** The chain of overlay/usr/lib/vitrine/firewall.nft in which pages are kept from the cable's host. */
const OPEN = 'flush chain inet vitrine to_cable_host\n';

/** The part of the firewall that the configuration changes: a file which its rules include when they are loaded. */
export class Firewall {
  readonly #file: string;
  readonly #load: () => Promise<void>;
  #problem: string | undefined;

  /**
   * @param folder that the rules include, for example /run/vitrine/firewall
   * @param load loads the rules anew
   */
  constructor(folder: string, load: () => Promise<void>) {
    this.#file = join(folder, 'host-services.nft');
    this.#load = load;
  }

  /**
   * Whether displayed pages reach the services of the host at the other end of the cable; after a boot they do not.
   * @throws Error when the rules could not be loaded
   */
  async allowHostServices(allowed: boolean): Promise<void> {
    // The file stays, empty, once it was there: the rules in force may be older than it.
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

  /** What an operator should know, as sentences. */
  problems(): string[] {
    return this.#problem === undefined ? [] : [this.#problem];
  }
}
