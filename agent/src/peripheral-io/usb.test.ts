import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { waitFor } from '../../../testing/wait.ts';
import { unwatched } from '../base/watch.ts';
import type { IoEvent } from './driver.ts';
import { MAX_HANDLES, MAX_PENDING } from './handles.ts';
import { UsbDriver } from './usb.ts';
import type { Done, LibusbDevice, TransferTarget, UsbLibrary } from './usb-library.ts';

const WAIT = { timeoutMs: 20_000, intervalMs: 5 };
const NODE = '/dev/bus/usb/001/004';

/** A modem: one driver has its interfaces 0 and 1. Interface 5 has none. */
class ModelDevice implements LibusbDevice {
  readonly busNumber = 1;
  readonly deviceAddress = 4;
  readonly calls: string[] = [];
  readonly claimed = new Set<number>();
  configuration = 1;
  driven = true;
  isOpen = false;

  get configDescriptor() {
    const endpoint = (bEndpointAddress: number, bmAttributes: number) => ({ bEndpointAddress, bmAttributes });
    return {
      bConfigurationValue: this.configuration,
      interfaces: [
        [{ bInterfaceNumber: 0, bAlternateSetting: 0, endpoints: [endpoint(0x83, 3)] }],
        [{ bInterfaceNumber: 1, bAlternateSetting: 0, endpoints: [endpoint(0x81, 2), endpoint(0x01, 2)] }],
        [
          { bInterfaceNumber: 5, bAlternateSetting: 0, endpoints: [] },
          { bInterfaceNumber: 5, bAlternateSetting: 1, endpoints: [endpoint(0x85, 2), endpoint(0x86, 1)] },
        ],
      ],
    };
  }
  open(): void {
    this.isOpen = true;
  }
  close(): void {
    if (this.claimed.size > 0) throw new Error('claimed');
    this.isOpen = false;
  }
  reset(done: Done): void {
    this.#do('reset', done);
  }
  __setConfiguration(value: number, done: Done): void {
    if (this.driven || this.claimed.size > 0) done(new Error('LIBUSB_ERROR_BUSY'));
    else {
      this.configuration = value;
      this.#do(`configuration ${value}`, done);
    }
  }
  __claimInterface(number: number): void {
    if (this.__isKernelDriverActive(number)) throw new Error('LIBUSB_ERROR_BUSY');
    this.calls.push(`claim ${number}`);
    this.claimed.add(number);
  }
  __releaseInterface(number: number, done: Done): void {
    this.claimed.delete(number);
    this.#do(`release ${number}`, done);
  }
  __setInterface(number: number, alternate: number, done: Done): void {
    this.#do(`alternate ${number} ${alternate}`, done);
  }
  __clearHalt(address: number, done: Done): void {
    this.#do(`clear ${address.toString(16)}`, done);
  }
  __isKernelDriverActive(number: number): boolean {
    return this.driven && number < 2;
  }
  __detachKernelDriver(number: number): void {
    this.calls.push(`detach ${number}`);
    this.driven = false;
  }
  /** The driver is found by the interface 0, and needs both. */
  __attachKernelDriver(number: number): void {
    if (this.claimed.has(0) || this.claimed.has(1)) throw new Error('LIBUSB_ERROR_BUSY');
    this.calls.push(`attach ${number}`);
    if (number === 0) this.driven = true;
  }
  #do(call: string, done: Done): void {
    this.calls.push(call);
    setImmediate(done);
  }
}

interface Begun {
  target: TransferTarget;
  bytes: Buffer;
  end(errno: number, length: number): void;
}

let device: ModelDevice;
let events: IoEvent[];
let transfers: Begun[];
let detach: (device: LibusbDevice) => void;
let driver: UsbDriver;

beforeEach(() => {
  device = new ModelDevice();
  events = [];
  transfers = [];
  const library: UsbLibrary = {
    devices: () => [device],
    onDetach: (listener) => {
      detach = listener;
    },
    transfer: (target, bytes, done) => {
      const end = (errno: number, length: number): void => {
        transfers = transfers.filter((each) => each !== begun);
        done(errno === 0 ? undefined : Object.assign(new Error(`status ${errno}`), { errno }), bytes, length);
      };
      const begun = { target, bytes, end };
      transfers.push(begun);
      return { cancel: () => setImmediate(() => end(3, 0)) };
    },
  };
  driver = new UsbDriver({ emit: (event) => events.push(event), watch: unwatched }, () => library);
});

const call = (command: string, fields: object = {}): Promise<object> =>
  driver.execute(command, { handle: 1, ...fields });
const openDevice = (): Promise<object> => call('open', { node: NODE });
const claim = (number: number, mayDetach = false): Promise<object> =>
  call('claim_interface', { interface: number, detach: mayDetach });
const started = (count = 1): Promise<Begun> =>
  waitFor(() => (transfers.length === count ? transfers.at(-1) : undefined), { ...WAIT, what: 'a transfer' });

test('a driver is detached only if allowed, and gets all its interfaces back when none is claimed', async () => {
  await openDevice();
  await assert.rejects(claim(1), { name: 'NetworkError' });
  await claim(1, true);
  await claim(0, true);
  assert.deepEqual(device.calls.splice(0), ['detach 1', 'claim 1', 'claim 0']);
  await call('release_interface', { interface: 0 });
  assert.equal(device.driven, false);
  await call('close');
  assert.deepEqual(device.calls.splice(0), ['release 0', 'release 1', 'attach 0']);
  assert.deepEqual([device.driven, device.isOpen, events.length], [true, false, 0]);
});

test('the end of the connection closes everything', async () => {
  await openDevice();
  await claim(0, true);
  const reading = assert.rejects(call('transfer_in', { endpoint: 3, length: 8 }), { name: 'AbortError' });
  await started();
  await driver.closeAll();
  await reading;
  assert.deepEqual([device.driven, device.isOpen, device.claimed.size, events.length], [true, false, 0, 0]);
});

test('a device that is being closed is opened after that', async () => {
  await openDevice();
  await claim(0, true);
  const closing = call('close');
  await driver.execute('open', { handle: 2, node: NODE });
  await closing;
  assert.deepEqual([device.isOpen, device.driven], [true, true]);
});

test('transfers go to endpoints of claimed interfaces only', async () => {
  await openDevice();
  const read = (endpoint: number): Promise<object> => call('transfer_in', { endpoint, length: 64 });
  await assert.rejects(read(5), { name: 'NotFoundError' });
  await claim(5);
  await assert.rejects(read(5), { name: 'NotFoundError' }, 'of another alternate');
  await call('select_alternate', { interface: 5, alternate: 1 });
  await assert.rejects(read(6), { name: 'NotFoundError' }, 'isochronous');
  const reading = read(5);
  const { target, bytes, end } = await started();
  assert.deepEqual([target.address, target.type, target.timeoutMs, bytes.length], [0x85, 2, 0, 64]);
  bytes.write('abc');
  end(0, 3);
  assert.deepEqual(await reading, { status: 'ok', data: Buffer.from('abc').toString('base64') });
  await call('clear_halt', { direction: 'in', endpoint: 5 });
  await assert.rejects(call('clear_halt', { direction: 'in', endpoint: 1 }), { name: 'NotFoundError' });
  assert.equal(device.calls.at(-1), 'clear 85');
});

test('stall and babble are statuses, other failures are errors', async () => {
  await openDevice();
  await claim(0, true);
  for (const [errno, status] of [
    [4, 'stall'],
    [6, 'babble'],
  ] as const) {
    const reading = call('transfer_in', { endpoint: 3, length: 8 });
    (await started()).end(errno, 2);
    assert.deepEqual(await reading, { status, data: 'AAA=' });
  }
  for (const errno of [1, 5]) {
    const reading = assert.rejects(call('transfer_in', { endpoint: 3, length: 8 }), { name: 'NetworkError' });
    (await started()).end(errno, 0);
    await reading;
  }
});

test('control transfers have their setup and a timeout, and only claimed recipients', async () => {
  await openDevice();
  const setup = { requestType: 'vendor', recipient: 'device', request: 0x51, value: 0x1234, index: 5 };
  const writing = call('control_out', { setup, data: 'AQI=' });
  const out = await started();
  assert.equal(out.bytes.toString('hex'), '40513412050002000102');
  assert.deepEqual([out.target.address, out.target.type, out.target.timeoutMs], [0, 0, 5000]);
  out.end(0, 2);
  assert.deepEqual(await writing, { status: 'ok', bytes_written: 2 });

  const reading = call('control_in', { setup: { ...setup, requestType: 'class' }, length: 4 });
  const { bytes, end } = await started();
  assert.equal(bytes.toString('hex'), 'a051341205000400'.concat('00000000'));
  bytes.write('ab', 8);
  end(0, 2);
  assert.deepEqual(await reading, { status: 'ok', data: Buffer.from('ab').toString('base64') });

  const toInterface = { setup: { ...setup, recipient: 'interface' }, length: 4 };
  await assert.rejects(call('control_in', toInterface), { name: 'InvalidStateError' });
  const toEndpoint = { setup: { ...setup, recipient: 'endpoint', index: 0x81 }, length: 4 };
  await assert.rejects(call('control_in', toEndpoint), { name: 'NotFoundError' });
});

test('a configuration is set when no interface is in the way', async () => {
  await openDevice();
  await call('select_configuration', { value: 1 });
  await assert.rejects(call('select_configuration', { value: 2 }), { name: 'NetworkError' });
  await claim(0, true);
  await call('select_configuration', { value: 2 });
  assert.deepEqual(device.calls, ['detach 0', 'claim 0', 'release 0', 'configuration 2']);
  await assert.rejects(call('transfer_in', { endpoint: 3, length: 8 }), { name: 'NotFoundError' });
});

test('a device that is unplugged during a transfer is reported once', async () => {
  await openDevice();
  await claim(5);
  await call('select_alternate', { interface: 5, alternate: 1 });
  const reading = assert.rejects(call('transfer_in', { endpoint: 5, length: 8 }), { name: 'NetworkError' });
  await started();
  detach(device);
  detach(device);
  await reading;
  await call('close');
  assert.deepEqual(
    events.map(({ event, handle }) => [event, handle]),
    [['closed', 1]],
  );
  // Plugged in again, under a new handle.
  await driver.execute('open', { handle: 2, node: NODE });
});

test('handles and what waits are limited', async () => {
  await openDevice();
  await assert.rejects(driver.execute('open', { handle: 2, node: NODE }), { name: 'InvalidStateError' });
  await assert.rejects(driver.execute('open', { handle: 2, node: '/dev/sda' }), { name: 'NotFoundError' });
  const opening = Array.from({ length: MAX_HANDLES }, (_, at) =>
    driver
      .execute('open', { handle: 10 + at, node: `/dev/bus/usb/009/0${10 + at}` })
      .catch((error: Error) => error.name),
  );
  assert.equal(await opening.at(-1), 'NetworkError');
  await claim(0, true);
  const reads = Array.from({ length: MAX_PENDING }, () => call('transfer_in', { endpoint: 3, length: 8 }));
  await assert.rejects(call('transfer_in', { endpoint: 3, length: 8 }), { name: 'OperationError' });
  (await started(MAX_PENDING)).end(0, 0);
  await reads.at(-1);
  const settled = Promise.allSettled(reads);
  await driver.closeAll();
  assert.equal((await settled).filter(({ status }) => status === 'rejected').length, MAX_PENDING - 1);
  assert.deepEqual(await Promise.all(opening.slice(0, -1)), Array(MAX_HANDLES - 1).fill('NotFoundError'));
});
