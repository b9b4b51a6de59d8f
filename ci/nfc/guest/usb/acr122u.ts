import { setTimeout as sleep } from 'node:timers/promises';
import { endpointDescriptor, interfaceDescriptor, UsbGadget } from '../../../lab/guest/usb-gadget.ts';
import type { Field } from '../chip/field.ts';
import { Acr122uModel } from './ccid.ts';

/** What libccid's list of readers (readers/ACR122U_PICC.txt) records of real ones. */
const IDENTITY = {
  vendor: 0x072f,
  product: 0x2200,
  release: 0x0214,
  manufacturer: 'ACS',
  productName: 'ACR122U PICC Interface',
};
const SMART_CARD = 0x0b;
const INTERRUPT = 3;
const BULK = 2;
/** The endpoints in the order of their descriptors. */
const TO_HOST_EVENTS = 1;
const FROM_HOST = 2;
const TO_HOST = 3;
const ABORT = 1;
const CLASS_REQUEST = 0x21;
const MOST_BYTES = 512;
/** Until the next attempt while it is not plugged in, in ms. */
const RETRY_MS = 50;

/** Class descriptor of CCID (5.1): one slot, T=0 and T=1, short APDUs, messages of at most 271 bytes. */
function classDescriptor(): Buffer {
  const out = Buffer.alloc(54);
  out.set([out.length, 0x21, 0x00, 0x01, 0x00, 0x07]);
  out.writeUInt32LE(2, 6);
  out.writeUInt32LE(4000, 10);
  out.writeUInt32LE(4000, 14);
  out.writeUInt32LE(10_752, 19);
  out.writeUInt32LE(250_000, 23);
  out.writeUInt32LE(256, 28);
  out.writeUInt32LE(0x0002_0040, 40);
  out.writeUInt32LE(271, 44);
  out[53] = 1;
  return out;
}

/** An ACR122U on the emulated USB, which libccid takes for a real one. */
export class Acr122u {
  readonly model: Acr122uModel;
  readonly #gadget: UsbGadget;
  #isPlugged = false;
  /** The last message of the interrupt endpoint that waits for the one before. */
  #next: Buffer | undefined;
  #isNotifying = false;

  /** @param controller a USB device controller that nothing else uses */
  constructor(field: Field, controller: string) {
    this.model = new Acr122uModel(field);
    const descriptors = (bulk: number, interval: number): Buffer[] => [
      interfaceDescriptor({ endpoints: 3, classCode: SMART_CARD }),
      classDescriptor(),
      endpointDescriptor(0x81, INTERRUPT, 8, interval),
      endpointDescriptor(0x02, BULK, bulk, 0),
      endpointDescriptor(0x82, BULK, bulk, 0),
    ];
    this.#gadget = new UsbGadget({
      name: 'acr122u',
      controller,
      identity: IDENTITY,
      full: descriptors(64, 16),
      high: descriptors(MOST_BYTES, 7),
      endpoints: 3,
      control: ({ type, request }) =>
        type === CLASS_REQUEST && request === ABORT ? () => undefined : undefined,
    });
    this.model.notify = (message) => void this.#notify(message);
  }

  start(): void {
    this.#gadget.start();
    void this.#serve();
  }

  plug(): void {
    if (this.#isPlugged) return;
    this.#gadget.plug();
    this.#isPlugged = true;
  }

  unplug(): void {
    if (!this.#isPlugged) return;
    this.#isPlugged = false;
    this.#gadget.unplug();
  }

  stop(): void {
    this.#isPlugged = false;
    this.#gadget.remove();
  }

  /** One message at a time: each waits in a thread until the host has fetched it. */
  async #notify(message: Buffer): Promise<void> {
    this.#next = message;
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    while (this.#next && this.#isPlugged) {
      const sent = this.#next;
      this.#next = undefined;
      await this.#gadget.send(TO_HOST_EVENTS, sent).catch(() => undefined);
    }
    this.#isNotifying = false;
  }

  async #serve(): Promise<void> {
    for (;;) {
      try {
        const message = await this.#gadget.receive(FROM_HOST, MOST_BYTES);
        if (message.length >= 10) await this.#gadget.send(TO_HOST, this.model.message(message));
      } catch {
        // It is unplugged, or the host has not chosen it yet.
        await sleep(RETRY_MS);
      }
    }
  }
}
