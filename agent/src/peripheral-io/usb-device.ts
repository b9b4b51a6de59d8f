import { promisify } from 'node:util';
import { Mutex } from '../base/mutex.ts';
import type { Watch } from '../base/watch.ts';
import type { Valid } from '../validation/validator.ts';
import { CommandError, orElse } from './errors.ts';
import type { Closable } from './handles.ts';
import type { COMMANDS, TransferredIn, TransferredOut } from './protocol.ts';
import type { Alternate, Done, LibusbDevice, UsbLibrary } from './usb-library.ts';

/** Time for a control transfer, in ms. */
const CONTROL_MS = 5000;
const IN = 0x80;
const CONTROL_SETUP_BYTES = 8;
/** Types of endpoints, and of transfers in libusb. */
const CONTROL = 0;
const BULK = 2;
const INTERRUPT = 3;
/** libusb_transfer_status; negative numbers are libusb_error. */
const CANCELLED = 3;
const STALL = 4;
const OVERFLOW = 6;
const REQUEST_TYPE = { standard: 0, class: 0x20, vendor: 0x40 };
const RECIPIENT = { device: 0, interface: 1, endpoint: 2, other: 3 };

export type Setup = Valid<typeof COMMANDS.usb.control_in>['setup'];
type In = Valid<typeof TransferredIn>;
type Out = Valid<typeof TransferredOut>;
/** An open USB device. */
export class UsbDevice implements Closable {
  readonly device: LibusbDevice;
  readonly #library: UsbLibrary;
  readonly #watch: Watch;
  /** Everything but transfers happens one after the other. */
  readonly #changes = new Mutex();
  readonly #transfers = new Set<{ cancel(): unknown }>();
  /** The selected alternate of each claimed interface, by number. */
  readonly #claimed = new Map<number, number>();
  /** Interfaces that lost their kernel driver to us. */
  readonly #detached = new Set<number>();
  #idle: (() => void) | undefined;
  #isClosed = false;

  constructor(device: LibusbDevice, library: UsbLibrary, watch: Watch) {
    this.device = device;
    this.#library = library;
    this.#watch = watch;
  }

  /** The kernel refuses the active configuration while drivers use it; it needs not be set again. */
  async selectConfiguration(value: number): Promise<void> {
    await this.#change('Unable to set device configuration.', async () => {
      if (this.device.configDescriptor?.bConfigurationValue === value) return;
      // Drivers that got their interfaces back would be in the way.
      await this.#releaseAll();
      try {
        await this.#native('Selecting a configuration', (done) =>
          this.device.__setConfiguration(value, done),
        );
        this.#detached.clear();
      } finally {
        this.#attach();
      }
    });
  }

  async claim(number: number, detach: boolean): Promise<void> {
    await this.#change('Unable to claim interface.', () => {
      if (this.#claimed.has(number)) return;
      this.#alternates(number);
      if (detach) this.#detach(number);
      try {
        this.device.__claimInterface(number);
      } catch (error) {
        this.#attach();
        throw error;
      }
      this.#claimed.set(number, 0);
    });
  }

  async release(number: number): Promise<void> {
    await this.#change('Unable to release interface.', async () => {
      if (!this.#claimed.delete(number)) return;
      await this.#native('Releasing an interface', (done) => this.device.__releaseInterface(number, done));
      this.#attach();
    });
  }

  async selectAlternate(number: number, alternate: number): Promise<void> {
    await this.#change('Unable to set device interface.', async () => {
      this.#mustBeClaimed(number);
      await this.#native('Selecting an alternate', (done) =>
        this.device.__setInterface(number, alternate, done),
      );
      this.#claimed.set(number, alternate);
    });
  }

  async clearHalt(direction: 'in' | 'out', endpoint: number): Promise<void> {
    await this.#change('Unable to clear endpoint.', async () => {
      const { address } = this.#endpoint(direction, endpoint);
      await this.#native('Clearing a halt', (done) => this.device.__clearHalt(address, done));
    });
  }

  /** Also ends what is pending. libusb claims the interfaces again, and detaches drivers that were faster. */
  async reset(): Promise<void> {
    await this.#change('Unable to reset the device.', () =>
      this.#native('Resetting a device', (done) => this.device.reset(done)),
    );
  }

  async controlIn(setup: Setup, length: number): Promise<In> {
    const result = await this.#control(setup, IN, Buffer.alloc(length));
    return inOf(result.status, result.bytes.subarray(CONTROL_SETUP_BYTES), result.length);
  }

  async controlOut(setup: Setup, data: Buffer): Promise<Out> {
    const { status, length } = await this.#control(setup, 0, data);
    return { status, bytes_written: length };
  }

  /** Waits until data comes, or the device is closed. */
  async transferIn(endpoint: number, length: number): Promise<In> {
    const result = await this.#transfer(this.#endpoint('in', endpoint), Buffer.alloc(length));
    return inOf(result.status, result.bytes, result.length);
  }

  async transferOut(endpoint: number, data: Buffer): Promise<Out> {
    const { status, length } = await this.#transfer(this.#endpoint('out', endpoint), data);
    return { status, bytes_written: length };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const idle = new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
    for (const transfer of this.#transfers) {
      try {
        transfer.cancel();
      } catch {
        // It ends by itself: the device is gone.
      }
    }
    if (this.#transfers.size > 0) await this.#watch('Cancelling transfers', idle).catch(() => undefined);
    await this.#changes.run(async () => {
      await this.#releaseAll();
      this.#attach();
      try {
        this.device.close();
      } catch {
        // It is gone.
      }
    });
  }

  async #releaseAll(): Promise<void> {
    const numbers = [...this.#claimed.keys()];
    this.#claimed.clear();
    for (const number of numbers) {
      const release = this.#native('Releasing an interface', (done) =>
        this.device.__releaseInterface(number, done),
      );
      await release.catch(() => undefined);
    }
  }

  /** One driver may have several interfaces: it loses all of them at once. */
  #detach(number: number): void {
    const driven = this.#numbers().filter((each) => this.#isDriven(each));
    if (!driven.includes(number)) return;
    this.device.__detachKernelDriver(number);
    for (const each of driven) if (!this.#isDriven(each)) this.#detached.add(each);
  }

  /** Gives interfaces that are not claimed any more back to their drivers. A driver that needs several takes them later. */
  #attach(): void {
    for (const number of this.#detached) {
      if (this.#claimed.has(number)) continue;
      try {
        if (!this.#isDriven(number)) this.device.__attachKernelDriver(number);
      } catch {
        // Its driver needs another interface that is still claimed, or the device is gone.
      }
      if (this.#isDriven(number)) this.#detached.delete(number);
    }
  }

  #isDriven(number: number): boolean {
    try {
      return this.device.__isKernelDriverActive(number);
    } catch {
      return false;
    }
  }

  #numbers(): number[] {
    const interfaces = this.device.configDescriptor?.interfaces ?? [];
    return interfaces.flatMap(([first]) => (first ? [first.bInterfaceNumber] : []));
  }

  /** @throws CommandError `NotFoundError` */
  #alternates(number: number): Alternate[] {
    const interfaces = this.device.configDescriptor?.interfaces ?? [];
    const found = interfaces.find(([first]) => first?.bInterfaceNumber === number);
    if (found) return found;
    throw new CommandError('NotFoundError', 'The device has no such interface.');
  }

  /** Without a claim the kernel would claim the interface itself. @throws CommandError */
  #mustBeClaimed(number: number): void {
    this.#alternates(number);
    if (this.#claimed.has(number)) return;
    throw new CommandError('InvalidStateError', 'The interface is not claimed.');
  }

  /** An endpoint of a claimed interface. @throws CommandError `NotFoundError` */
  #endpoint(direction: 'in' | 'out', number: number): { address: number; type: number } {
    const address = number | (direction === 'in' ? IN : 0);
    for (const [claimed, alternate] of this.#claimed) {
      const endpoint = this.#alternates(claimed)
        .find(({ bAlternateSetting }) => bAlternateSetting === alternate)
        ?.endpoints.find(({ bEndpointAddress }) => bEndpointAddress === address);
      if (!endpoint) continue;
      const type = endpoint.bmAttributes & 3;
      if (type === BULK || type === INTERRUPT) return { address, type };
    }
    throw new CommandError('NotFoundError', 'No claimed interface has this endpoint.');
  }

  async #control(setup: Setup, direction: number, data: Buffer): Promise<Result> {
    const { requestType, recipient, request, value, index } = setup;
    if (recipient === 'interface') this.#mustBeClaimed(index & 0xff);
    if (recipient === 'endpoint' && (index & 0xf) !== 0) {
      this.#endpoint((index & IN) !== 0 ? 'in' : 'out', index & 0xf);
    }
    const head = Buffer.alloc(CONTROL_SETUP_BYTES);
    head.writeUInt8(direction | REQUEST_TYPE[requestType] | RECIPIENT[recipient], 0);
    head.writeUInt8(request, 1);
    head.writeUInt16LE(value, 2);
    head.writeUInt16LE(index, 4);
    head.writeUInt16LE(data.length, 6);
    return await this.#transfer({ address: 0, type: CONTROL }, Buffer.concat([head, data]), CONTROL_MS);
  }

  async #transfer(
    endpoint: { address: number; type: number },
    bytes: Buffer,
    timeoutMs = 0,
  ): Promise<Result> {
    if (this.#isClosed) throw new CommandError('AbortError', 'It was closed.');
    return await orElse('NetworkError', 'A transfer error has occurred.', () => {
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      const target = { device: this.device, ...endpoint, timeoutMs };
      const transfer = this.#library.transfer(target, bytes, (error, filled, length) => {
        this.#transfers.delete(transfer);
        if (this.#transfers.size === 0) this.#idle?.();
        const status = statusOf(error);
        if (status) resolve({ status, bytes: filled, length });
        else reject(errnoOf(error) === CANCELLED ? new CommandError('AbortError', 'It was ended.') : error);
      });
      this.#transfers.add(transfer);
      return promise;
    });
  }

  async #change<T>(failure: string, change: () => T | Promise<T>): Promise<T> {
    return await this.#changes.run(() => {
      if (this.#isClosed) throw new CommandError('AbortError', 'It was closed.');
      return orElse('NetworkError', failure, change);
    });
  }

  async #native(what: string, call: (done: Done) => void): Promise<void> {
    await this.#watch(what, promisify<void>((done) => call((error) => done(error ?? null)))());
  }
}

interface Result {
  status: In['status'];
  bytes: Buffer;
  /** Without the setup of a control transfer. */
  length: number;
}

/** @returns undefined for a transfer that failed */
function statusOf(error: unknown): In['status'] | undefined {
  if (!error) return 'ok';
  const errno = errnoOf(error);
  if (errno === STALL) return 'stall';
  return errno === OVERFLOW ? 'babble' : undefined;
}

function errnoOf(error: unknown): unknown {
  return error instanceof Error && 'errno' in error ? error.errno : undefined;
}

function inOf(status: In['status'], bytes: Buffer, length: number): In {
  return { status, data: bytes.subarray(0, length).toString('base64') };
}
