import type { Device } from './device.ts';
import type { SavedDevice } from './saved-device.ts';

/**
 * Devices that scenarios hand on to each other. An emulated machine becomes quicker as it is used, because QEMU
 * translates the guest's code when it first runs; a restored one begins without any of it. So a device that a scenario
 * left as it found it is used again, as long as scenarios of the kind are to come.
 */
export class SharedDevices {
  readonly #saved: SavedDevice;
  readonly #idle: Device[] = [];
  #toCome: number;

  /** @param uses how many scenarios will each take a device */
  constructor(saved: SavedDevice, uses: number) {
    this.#saved = saved;
    this.#toCome = uses;
  }

  /** A device that is up; undefined when none can be restored. */
  async take(): Promise<Device | undefined> {
    this.#toCome -= 1;
    const used = this.#idle.pop();
    if (this.#toCome === 0) await this.end();
    return used ?? (await this.#saved.restore());
  }

  /** Takes a device back that is as it was found. */
  async giveBack(device: Device): Promise<void> {
    // An idle device keeps a part of a processor busy.
    if (this.#toCome > this.#idle.length) this.#idle.push(device);
    else await device.discard();
  }

  /** Ends the devices that nobody uses. */
  async end(): Promise<void> {
    for (const device of this.#idle.splice(0)) await device.discard();
  }
}
