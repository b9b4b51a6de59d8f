/** A USB device in user space: the kernel's functionfs with configfs (Documentation/usb/functionfs.rst, linux/usb/functionfs.h). */
import { execFileSync } from 'node:child_process';
import {
  constants,
  existsSync,
  mkdirSync,
  openSync,
  read,
  readdirSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  write,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';

const readAsync = promisify(read);
const writeAsync = promisify(write);
const ROOT = '/sys/kernel/config/usb_gadget';
const DESCRIPTORS_MAGIC = 3;
const STRINGS_MAGIC = 2;
const FULL_AND_HIGH_SPEED = 3;
/** Requests to the device come, too (FUNCTIONFS_ALL_CTRL_RECIP). */
const ALL_RECIPIENTS = 64;
const ENGLISH = 0x0409;
const EVENT_BYTES = 12;
const SETUP = 4;
const TO_HOST = 0x80;

export interface UsbIdentity {
  vendor: number;
  product: number;
  /** bcdDevice. */
  release: number;
  manufacturer: string;
  productName: string;
  serialNumber?: string;
  /** Class, subclass and protocol of the device; without them, each interface has its own. */
  classCodes?: readonly [number, number, number];
}

/** A control request (USB 2.0, 9.3). */
export interface Setup {
  type: number;
  request: number;
  value: number;
  index: number;
  /** Bytes. */
  length: number;
}

export interface GadgetOptions {
  name: string;
  /** The device controller that it is connected to. */
  controller: string;
  identity: UsbIdentity;
  /** Interface and endpoint descriptors, at full and at high speed. */
  full: readonly Buffer[];
  high: readonly Buffer[];
  endpoints: number;
  /** Requests to the device itself come, too. */
  allRecipients?: boolean;
  /**
   * Answers a control request: with data for the host, or with what takes the data of the host. undefined: it is not known, and
   * refused by a stall.
   */
  control(setup: Setup): Buffer | ((data: Buffer) => void) | undefined;
}

export function interfaceDescriptor({
  number = 0,
  endpoints,
  classCode,
  subclass = 0,
  protocol = 0,
}: {
  number?: number;
  endpoints: number;
  classCode: number;
  subclass?: number;
  protocol?: number;
}): Buffer {
  return Buffer.from([9, 4, number, 0, endpoints, classCode, subclass, protocol, 0]);
}

export function endpointDescriptor(address: number, type: number, bytes: number, interval: number): Buffer {
  return Buffer.from([7, 5, address, type, bytes & 0xff, bytes >> 8, interval]);
}

function words(...values: number[]): Buffer {
  const out = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) out.writeUInt32LE(value, 4 * index);
  return out;
}

function setupOf(event: Buffer): Setup {
  return {
    type: event.readUInt8(0),
    request: event.readUInt8(1),
    value: event.readUInt16LE(2),
    index: event.readUInt16LE(4),
    length: event.readUInt16LE(6),
  };
}

/** Each read or write that waits holds a thread of libuv. */
export class UsbGadget {
  readonly #options: GadgetOptions;
  readonly #folder: string;
  readonly #mount: string;
  #endpoints: number[] = [];

  constructor(options: GadgetOptions) {
    this.#options = options;
    this.#folder = `${ROOT}/${options.name}`;
    this.#mount = `/run/functionfs-${options.name}`;
  }

  /** Makes the device; it is not connected yet. Takes one away that a killed process left. */
  start(): void {
    this.remove();
    const { name, identity, full, high, endpoints, allRecipients = false } = this.#options;
    const put = (path: string, value: string): void => writeFileSync(`${this.#folder}/${path}`, value);
    const hex = (value: number): string => `0x${value.toString(16).padStart(4, '0')}`;
    mkdirSync(this.#folder);
    put('idVendor', hex(identity.vendor));
    put('idProduct', hex(identity.product));
    put('bcdDevice', hex(identity.release));
    put('bcdUSB', '0x0200');
    mkdirSync(`${this.#folder}/strings/0x409`);
    put('strings/0x409/manufacturer', identity.manufacturer);
    put('strings/0x409/product', identity.productName);
    if (identity.serialNumber !== undefined) put('strings/0x409/serialnumber', identity.serialNumber);
    const [classCode = 0, subclass = 0, protocol = 0] = identity.classCodes ?? [];
    put('bDeviceClass', hex(classCode));
    put('bDeviceSubClass', hex(subclass));
    put('bDeviceProtocol', hex(protocol));
    mkdirSync(`${this.#folder}/configs/c.1`);
    mkdirSync(`${this.#folder}/functions/ffs.${name}`);
    symlinkSync(`${this.#folder}/functions/ffs.${name}`, `${this.#folder}/configs/c.1/function`);
    mkdirSync(this.#mount, { recursive: true });
    execFileSync('mount', ['-t', 'functionfs', name, this.#mount]);
    const control = openSync(`${this.#mount}/ep0`, constants.O_RDWR);
    const body = Buffer.concat([words(full.length, high.length), ...full, ...high]);
    const flags = FULL_AND_HIGH_SPEED | (allRecipients ? ALL_RECIPIENTS : 0);
    const head = words(DESCRIPTORS_MAGIC, 12 + body.length, flags);
    writeSync(control, Buffer.concat([head, body]));
    const text = Buffer.from(`${identity.productName}\0`);
    const strings = Buffer.concat([Buffer.from([ENGLISH & 0xff, ENGLISH >> 8]), text]);
    writeSync(control, Buffer.concat([words(STRINGS_MAGIC, 16 + strings.length, 1, 1), strings]));
    this.#endpoints = Array.from({ length: endpoints }, (_, index) =>
      openSync(`${this.#mount}/ep${index + 1}`, constants.O_RDWR),
    );
    void this.#answerControl(control);
  }

  plug(): void {
    writeFileSync(`${this.#folder}/UDC`, this.#options.controller);
  }

  unplug(): void {
    writeFileSync(`${this.#folder}/UDC`, '\n');
  }

  /** Takes the device apart, as far as nothing holds it. */
  remove(): void {
    if (!existsSync(this.#folder)) return;
    const quietly = (work: () => void): void => {
      try {
        work();
      } catch {
        // It is not there, or not connected.
      }
    };
    quietly(() => this.unplug());
    quietly(() => execFileSync('umount', ['-l', this.#mount], { stdio: 'ignore' }));
    quietly(() => unlinkSync(`${this.#folder}/configs/c.1/function`));
    quietly(() => rmdirSync(`${this.#folder}/configs/c.1`));
    for (const name of readdirSync(`${this.#folder}/functions`)) {
      quietly(() => rmdirSync(`${this.#folder}/functions/${name}`));
    }
    quietly(() => rmdirSync(`${this.#folder}/strings/0x409`));
    quietly(() => rmdirSync(this.#folder));
  }

  /** Waits for a transfer of the host. @param endpoint from 1, in the order of the descriptors */
  async receive(endpoint: number, most: number): Promise<Buffer> {
    const bytes = Buffer.alloc(most);
    const { bytesRead } = await readAsync(this.#endpoints[endpoint - 1] ?? -1, bytes, 0, most, null);
    return bytes.subarray(0, bytesRead);
  }

  /** Waits until the host has fetched it. */
  async send(endpoint: number, bytes: Buffer): Promise<void> {
    await writeAsync(this.#endpoints[endpoint - 1] ?? -1, bytes, 0, bytes.length, null);
  }

  /** Lets transfers of an endpoint to the host stall until the host clears that. Nothing may wait at the endpoint. */
  async halt(endpoint: number): Promise<void> {
    // A transfer in the wrong direction does it, and fails.
    await readAsync(this.#endpoints[endpoint - 1] ?? -1, Buffer.alloc(1), 0, 1, null).catch(() => undefined);
  }

  async #answerControl(control: number): Promise<void> {
    const event = Buffer.alloc(EVENT_BYTES);
    for (;;) {
      try {
        await readAsync(control, event, 0, EVENT_BYTES, null);
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined;
        if (code === 'EINTR' || code === 'EIDRM') continue;
        return;
      }
      if (event[8] === SETUP) await this.#answer(control, setupOf(event)).catch(() => undefined);
    }
  }

  async #answer(control: number, setup: Setup): Promise<void> {
    const answer = this.#options.control(setup);
    // Of a length of 0 the kernel would see nothing. It gives as much as the host sends.
    const bytes = Buffer.alloc(Math.max(1, setup.length));
    const isToHost = (setup.type & TO_HOST) !== 0;
    if (isToHost && Buffer.isBuffer(answer)) {
      const data = answer.subarray(0, setup.length);
      await writeAsync(control, data, 0, data.length, null);
    } else if (!isToHost && typeof answer === 'function') {
      const { bytesRead } = await readAsync(control, bytes, 0, bytes.length, null);
      answer(bytes.subarray(0, bytesRead));
    } else if (isToHost) {
      // A transfer in the wrong direction makes functionfs refuse the request; it then fails here.
      await readAsync(control, bytes, 0, bytes.length, null);
    } else {
      await writeAsync(control, Buffer.alloc(0), 0, 0, null);
    }
  }
}
