/** Transfers of a USB device that are longer than the agent takes at a time. */
import type { UsbStatus } from '../../src/resources/peripherals/page-protocol.ts';
import type { PeripheralCall } from './bridge.ts';
import {
  ByteArray,
  bareObject,
  domException,
  fromBase64,
  min,
  setBytes,
  subarray,
  toBase64,
} from './builtins.ts';

/**
 * A multiple of every size of a packet, so that a transfer in parts is the same on the bus as a whole one, and within
 * what the agent takes (512 KiB).
 */
const PART_BYTES = 256 * 1024;
/** As in Chromium. */
const MAX_BYTES = 32 * 1024 * 1024;

/** @throws DataError if a transfer is too long */
export function checkLength(length: number): void {
  if (length > MAX_BYTES) throw domException('DataError', `A transfer has at most ${MAX_BYTES} bytes.`);
}

/** The bulk and interrupt transfers of a device. Those in parts are not mixed with others of the same endpoint. */
export class Transfers {
  readonly #call: PeripheralCall;
  /** The transfer in parts that others of the same direction and endpoint wait for, by `in3`. */
  readonly #tails = bareObject<Promise<unknown> | undefined>();

  constructor(call: PeripheralCall) {
    this.#call = call;
  }

  async read(
    endpoint: number,
    length: number,
  ): Promise<{ status: UsbStatus; data: Uint8Array<ArrayBuffer> }> {
    return await this.#inOrder(`in${endpoint}`, length, async () => {
      if (length <= PART_BYTES) return await this.#readPart(endpoint, length);
      const all = new ByteArray(length);
      let received = 0;
      let status: UsbStatus = 'ok';
      while (received < length && status === 'ok') {
        const wanted = min(length - received, PART_BYTES);
        const part = await this.#readPart(endpoint, wanted);
        setBytes(all, part.data, received);
        received += part.data.length;
        status = part.status;
        // A short packet ends the transfer.
        if (part.data.length < wanted) break;
      }
      return { status, data: new ByteArray(subarray(all, 0, received)) };
    });
  }

  async write(
    endpoint: number,
    bytes: Uint8Array<ArrayBuffer>,
  ): Promise<{ status: UsbStatus; written: number }> {
    return await this.#inOrder(`out${endpoint}`, bytes.length, async () => {
      let written = 0;
      for (;;) {
        const part = subarray(bytes, written, min(written + PART_BYTES, bytes.length));
        const result = await this.#call('usb.transfer_out', {
          endpoint,
          data: toBase64(part),
        });
        written += result.bytes_written;
        if (result.status !== 'ok' || result.bytes_written < part.length || written >= bytes.length)
          return { status: result.status, written };
      }
    });
  }

  async #readPart(endpoint: number, length: number) {
    const { status, data } = await this.#call('usb.transfer_in', {
      endpoint,
      length,
    });
    return { status, data: fromBase64(data) };
  }

  async #inOrder<T>(key: string, length: number, transfer: () => Promise<T>): Promise<T> {
    const before = this.#tails[key];
    if (!before && length <= PART_BYTES) return await transfer();
    const run = async (): Promise<T> => {
      try {
        await before;
      } catch {
        // That one's page has the error.
      }
      return await transfer();
    };
    const own = run();
    this.#tails[key] = own;
    try {
      return await own;
    } finally {
      if (this.#tails[key] === own) delete this.#tails[key];
    }
  }
}
