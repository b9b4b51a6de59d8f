import { constants, openSync, read, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { HidShape } from './descriptors.ts';
import { HidModel } from './model.ts';
import {
  createEvent,
  destroyEvent,
  EVENT_BYTES,
  inputEvent,
  readRequest,
  type UhidIdentity,
} from './uhid.ts';

const readAsync = promisify(read);

/** A HID device of the guest's kernel. It holds a thread. */
export class HidDevice {
  readonly model: HidModel;
  readonly #create: Buffer;
  readonly #file: number;
  #isPlugged = false;

  /** @param echoes it gives output reports back as input reports */
  constructor(identity: UhidIdentity, shape: HidShape, echoes: boolean) {
    this.model = new HidModel(shape, echoes);
    this.#create = createEvent(identity, shape.descriptor);
    this.#file = openSync('/dev/uhid', constants.O_RDWR);
    void this.#serve();
  }

  plug(): void {
    if (this.#isPlugged) return;
    writeSync(this.#file, this.#create);
    this.#isPlugged = true;
  }

  unplug(): void {
    if (!this.#isPlugged) return;
    this.#isPlugged = false;
    writeSync(this.#file, destroyEvent());
  }

  /** Sends an input report. @param report begins with its id only if the device's reports have ids */
  input(report: Buffer): void {
    writeSync(this.#file, inputEvent(report));
  }

  async #serve(): Promise<void> {
    const event = Buffer.alloc(EVENT_BYTES);
    for (;;) {
      await readAsync(this.#file, event, 0, EVENT_BYTES, null);
      try {
        for (const answer of this.model.answer(readRequest(event))) writeSync(this.#file, answer);
      } catch (error) {
        // It was unplugged meanwhile.
        if (this.#isPlugged) throw error;
      }
    }
  }
}
