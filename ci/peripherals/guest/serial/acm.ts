/** A serial port by USB (CDC-ACM) by the kernel's gadget, with a model at the other end of its tty. */
import { execFileSync } from 'node:child_process';
import { constants, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LabIdentity, type LabUsbDevice, usbIdentity } from '../usb/identity.ts';
import type { SerialModel } from './models.ts';

const ROOT = '/sys/kernel/config/usb_gadget';
const READ_BYTES = 16 * 1024;
/** Until the tty is opened again after it was hung up, in ms. */
const RETRY_MS = 50;

export class AcmDevice implements LabUsbDevice {
  readonly #model: SerialModel;
  readonly #controller: string;
  readonly #folder: string;

  /** @param name of its folder in configfs */
  constructor(name: string, controller: string, identity: LabIdentity, model: SerialModel) {
    this.#model = model;
    this.#controller = controller;
    this.#folder = `${ROOT}/${name}`;
    const { vendor, product, release, manufacturer, productName, serialNumber = '' } = usbIdentity(identity);
    const put = (path: string, value: string): void => writeFileSync(`${this.#folder}/${path}`, value);
    const hex = (value: number): string => `0x${value.toString(16).padStart(4, '0')}`;
    mkdirSync(`${this.#folder}/strings/0x409`, { recursive: true });
    put('idVendor', hex(vendor));
    put('idProduct', hex(product));
    put('bcdDevice', hex(release));
    put('bcdUSB', '0x0200');
    put('strings/0x409/manufacturer', manufacturer);
    put('strings/0x409/product', productName);
    put('strings/0x409/serialnumber', serialNumber);
    mkdirSync(`${this.#folder}/configs/c.1`);
    mkdirSync(`${this.#folder}/functions/acm.lab`);
    symlinkSync(`${this.#folder}/functions/acm.lab`, `${this.#folder}/configs/c.1/function`);
    const number = readFileSync(`${this.#folder}/functions/acm.lab/port_num`, 'utf8').trim();
    void this.#serve(`/dev/ttyGS${number}`);
  }

  plug(): void {
    writeFileSync(`${this.#folder}/UDC`, this.#controller);
  }

  unplug(): void {
    writeFileSync(`${this.#folder}/UDC`, '\n');
  }

  take(): Buffer {
    return this.#model.take?.() ?? Buffer.alloc(0);
  }

  /** Opens the tty again whenever it was hung up, as it is when the device is unplugged. */
  async #serve(path: string): Promise<void> {
    for (;;) {
      try {
        // Without CLOCAL a host that lowers DTR would hang it up.
        execFileSync('stty', ['-F', path, 'raw', '-echo', '-iexten', 'clocal'], { stdio: 'ignore' });
        await this.#exchange(path);
      } catch {
        // It does not exist yet, or was hung up in a transfer.
      }
      await sleep(RETRY_MS);
    }
  }

  async #exchange(path: string): Promise<void> {
    const tty = await open(path, constants.O_RDWR | constants.O_NOCTTY);
    try {
      const bytes = Buffer.alloc(READ_BYTES);
      for (;;) {
        const { bytesRead } = await tty.read(bytes, 0, READ_BYTES, null);
        if (bytesRead === 0) return;
        const answer = this.#model.receive(bytes.subarray(0, bytesRead));
        for (let at = 0; at < answer.length; ) {
          at += (await tty.write(answer, at, answer.length - at, null)).bytesWritten;
        }
      }
    } finally {
      await tty.close();
    }
  }
}
