import type { Setup } from '../../../lab/guest/usb-gadget.ts';

const TO_HOST = 0x80;
const TYPE = 0x60;
const CLASS = 0x20;
const VENDOR = 0x40;

type Answer = Buffer | ((data: Buffer) => void) | undefined;

/**
 * The control requests of the lab's vendor, to any recipient: 1 gives value and index of the request back, 2 keeps the data,
 * 3 gives what was kept. All others stall.
 */
export class VendorRequests {
  #kept = Buffer.alloc(0);

  answer({ type, request, value, index }: Setup): Answer {
    if ((type & TYPE) !== VENDOR) return undefined;
    const isToHost = (type & TO_HOST) !== 0;
    if (request === 1 && isToHost) {
      return Buffer.from([value & 0xff, value >> 8, index & 0xff, index >> 8]);
    }
    if (request === 3 && isToHost) return this.#kept;
    if (request !== 2 || isToHost) return undefined;
    return (data) => {
      this.#kept = Buffer.from(data);
    };
  }
}

const GET_DEVICE_ID = 0;
const GET_PORT_STATUS = 1;
const SOFT_RESET = 2;
/** Not in error, selected, paper not empty. */
const READY = 0x18;
const DEVICE_ID = 'MFG:Lab;MDL:Receipts;CMD:ESC/POS;CLS:PRINTER;';

/** The control requests of the USB printer class (1.1, chapter 4.2). */
export class PrinterClass {
  answer({ type, request }: Setup): Answer {
    if ((type & TYPE) !== CLASS) return undefined;
    const isToHost = (type & TO_HOST) !== 0;
    if (request === GET_DEVICE_ID && isToHost) {
      const text = Buffer.from(DEVICE_ID, 'latin1');
      const length = Buffer.alloc(2);
      length.writeUInt16BE(text.length + length.length);
      return Buffer.concat([length, text]);
    }
    if (request === GET_PORT_STATUS && isToHost) return Buffer.from([READY]);
    return request === SOFT_RESET && !isToHost ? () => undefined : undefined;
  }
}
