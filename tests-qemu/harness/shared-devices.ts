import type { QemuDevice } from './qemu-device.ts';
import type { SavedDevice } from './saved-device.ts';

/**
 * Devices that several scenarios use one after the other. An emulated machine becomes faster as it is used, because QEMU
 * translates the guest's code when it first runs, and a restored one starts without translated code. So a device whose
 * scenario left it in its initial state is used again, as long as more such scenarios follow.
 */
export class SharedDevices {
  readonly #saved: SavedDevice;
  readonly #idle: QemuDevice[] = [];
  #remainingUses: number;

  /** @param uses number of scenarios that will each take a device */
  constructor(saved: SavedDevice, uses: number) {
    this.#saved = saved;
    this.#remainingUses = uses;
  }

  /** A running device; undefined when none can be restored. */
  async take(): Promise<QemuDevice | undefined> {
    this.#remainingUses -= 1;
    const used = this.#idle.pop();
    if (this.#remainingUses === 0) await this.end();
    await used?.resume();
    return used ?? (await this.#saved.restore());
  }

  /** Takes back a device that is in its initial state. */
  async giveBack(device: QemuDevice): Promise<void> {
    if (this.#remainingUses > this.#idle.length) {
      await device.pause();
      this.#idle.push(device);
    } else await device.discard();
  }

  /** Ends the unused devices. */
  async end(): Promise<void> {
    for (const device of this.#idle.splice(0)) await device.discard();
  }
}
