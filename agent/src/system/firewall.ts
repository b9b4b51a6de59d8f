import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../base/atomic-file.ts';

/** Empties the chain of overlay/usr/lib/vitrine/firewall.nft that keeps pages from the cable's host. */
const OPEN = 'flush chain inet vitrine to_cable_host\n';

/** The configurable part of the firewall: files that its rules include. */
export class Firewall {
  readonly #folder: string;
  readonly #load: () => Promise<void>;
  #problem: string | undefined;

  /**
   * @param folder whose files the rules include, for example /run/vitrine/firewall
   * @param load reloads the rules
   */
  constructor(folder: string, load: () => Promise<void>) {
    this.#folder = folder;
    this.#load = load;
  }

  /**
   * Lets displayed pages reach services of the host at the other end of the cable, or not, as after a boot.
   * @throws Error when the rules could not be loaded
   */
  async allowHostServices(allowed: boolean): Promise<void> {
    try {
      await this.#replace('host-services.nft', allowed ? OPEN : '');
      this.#problem = undefined;
    } catch (error) {
      const wanted = allowed ? 'reach' : 'are kept from';
      this.#problem = `The firewall could not be changed so that pages ${wanted} services of the host.`;
      throw error;
    }
  }

  /**
   * Lets stations of the access point on an interface ask for an address; undefined: no stations.
   * @throws Error when the rules could not be loaded
   */
  async allowStations(interfaceName: string | undefined): Promise<void> {
    const rule = `add rule inet vitrine from_stations iifname "${interfaceName}" udp dport 67 accept\n`;
    await this.#replace('access-point.nft', interfaceName === undefined ? '' : rule);
  }

  async #replace(name: string, rules: string): Promise<void> {
    const file = join(this.#folder, name);
    // An existing file is emptied, not skipped: the loaded rules may still be the open ones.
    if (rules === '' && !existsSync(file)) return;
    await writeFileAtomic(file, rules);
    await this.#load();
  }

  /** Sentences for `health`. */
  problems(): string[] {
    return this.#problem === undefined ? [] : [this.#problem];
  }
}
