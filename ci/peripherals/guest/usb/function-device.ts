import { setTimeout as sleep } from 'node:timers/promises';
import {
  endpointDescriptor,
  interfaceDescriptor,
  type Setup,
  UsbGadget,
} from '../../../lab/guest/usb-gadget.ts';
import { ReceiptPrinter } from '../receipt-printer.ts';
import { type LabIdentity, type LabUsbDevice, usbIdentity } from './identity.ts';
import { PrinterClass, VendorRequests } from './requests.ts';

const BULK = 2;
const INTERRUPT = 3;
/** The endpoints in the order of their descriptors. */
const FROM_HOST = 1;
const TO_HOST = 2;
const EVENTS_TO_HOST = 3;
const VENDOR_CLASS = 0xff;
const PRINTER_CLASS = { classCode: 7, subclass: 1, protocol: 2 };
const INTERRUPT_BYTES = 64;
const TRANSFER_BYTES = 16 * 1024;
/** Until the next attempt while it is not plugged in, in ms. */
const RETRY_MS = 50;

export interface FunctionOptions {
  /** Of its folder in configfs. */
  name: string;
  controller: string;
  identity: LabIdentity;
  kind: 'loopback' | 'printer';
  /** Class of a second interface, which has one interrupt endpoint. */
  secondClass?: number;
}

function descriptors(
  { kind, secondClass }: FunctionOptions,
  bulkBytes: number,
  interval: number,
): { list: Buffer[]; endpoints: number } {
  const bulk = [endpointDescriptor(0x01, BULK, bulkBytes, 0), endpointDescriptor(0x82, BULK, bulkBytes, 0)];
  if (kind === 'printer') {
    return { list: [interfaceDescriptor({ endpoints: 2, ...PRINTER_CLASS }), ...bulk], endpoints: 2 };
  }
  const events = endpointDescriptor(0x83, INTERRUPT, INTERRUPT_BYTES, interval);
  const first = [interfaceDescriptor({ endpoints: 3, classCode: VENDOR_CLASS }), ...bulk, events];
  if (secondClass === undefined) return { list: first, endpoints: 3 };
  const second = interfaceDescriptor({ number: 1, endpoints: 1, classCode: secondClass });
  return {
    list: [...first, second, endpointDescriptor(0x84, INTERRUPT, INTERRUPT_BYTES, interval)],
    endpoints: 4,
  };
}

/**
 * A USB device with an interface of a vendor, which gives back what it gets (bulk), sends events (interrupt) and knows the requests
 * of {@link VendorRequests}; or a receipt printer (USB printer class).
 */
export class FunctionDevice implements LabUsbDevice {
  readonly #gadget: UsbGadget;
  readonly #printer: ReceiptPrinter | undefined;

  constructor(options: FunctionOptions) {
    const { name, controller, identity, kind } = options;
    const full = descriptors(options, 64, 4);
    const high = descriptors(options, 512, 4);
    const requests = kind === 'printer' ? new PrinterClass() : new VendorRequests();
    this.#printer = kind === 'printer' ? new ReceiptPrinter() : undefined;
    this.#gadget = new UsbGadget({
      ...{ name, controller, identity: usbIdentity(identity) },
      ...{ full: full.list, high: high.list, endpoints: high.endpoints },
      allRecipients: true,
      control: (setup: Setup) => requests.answer(setup),
    });
    this.#gadget.start();
    void this.#serve();
  }

  plug(): void {
    this.#gadget.plug();
  }

  unplug(): void {
    this.#gadget.unplug();
  }

  take(): Buffer {
    return this.#printer?.take() ?? Buffer.alloc(0);
  }

  /** Resolves when the host has fetched the event. */
  async sendEvent(bytes: Buffer): Promise<void> {
    await this.#gadget.send(EVENTS_TO_HOST, bytes);
  }

  /** Lets bulk transfers to the host stall until it clears that. */
  async stall(): Promise<void> {
    await this.#gadget.halt(TO_HOST);
  }

  async #serve(): Promise<void> {
    for (;;) {
      try {
        const bytes = await this.#gadget.receive(FROM_HOST, TRANSFER_BYTES);
        const answer = this.#printer ? this.#printer.receive(bytes) : bytes;
        if (answer.length > 0) await this.#gadget.send(TO_HOST, answer);
      } catch {
        // It is unplugged, or the host has not chosen it yet.
        await sleep(RETRY_MS);
      }
    }
  }
}
