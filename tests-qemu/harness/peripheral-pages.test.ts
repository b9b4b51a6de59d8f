/**
 * The test pages, and the libraries in one of them, against the models of their devices behind the smallest interfaces of a browser
 * that they need. It shows mistakes of pages and models without a machine.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import { hidShape, scanReports } from '../../ci/peripherals/guest/hid/descriptors.ts';
import { HidModel } from '../../ci/peripherals/guest/hid/model.ts';
import { ReceiptPrinter } from '../../ci/peripherals/guest/receipt-printer.ts';
import { MAC } from '../../ci/peripherals/guest/serial/esp-rom.ts';
import {
  type SerialModel,
  type SerialModelName,
  serialModel,
} from '../../ci/peripherals/guest/serial/models.ts';
import { VendorRequests } from '../../ci/peripherals/guest/usb/requests.ts';
import { field } from '../../testing/field.ts';
import { peripheralPage } from './peripheral-device.ts';

const TEST_MS = 60_000;

class UsbIn {
  readonly status = 'ok';
  readonly data: DataView;

  constructor(bytes: Buffer) {
    this.data = viewOf(bytes);
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(new Uint8Array(bytes).buffer);
}

function bytesOf(data: unknown): Buffer {
  assert.ok(ArrayBuffer.isView(data));
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

/** A HID device that only runs its model. */
class Hid extends EventTarget {
  readonly model: HidModel;
  readonly vendorId: number;
  readonly productId = 1;
  readonly productName = 'Lab';
  readonly collections: object[];
  opened = false;
  readonly #hasIds: boolean;

  constructor(kind: 'vendor' | 'scanner', vendorId: number, collections: object[]) {
    super();
    const shape = hidShape(kind);
    this.model = new HidModel(shape, true);
    this.#hasIds = shape.hasIds;
    this.vendorId = vendorId;
    this.collections = collections;
  }

  async open(): Promise<void> {
    this.opened = true;
  }

  async sendReport(reportId: number, data: unknown): Promise<void> {
    const report = Buffer.concat([Buffer.from([reportId]), bytesOf(data)]);
    for (const event of this.model.answer({ kind: 'output', report })) this.input(event.subarray(6));
  }

  async sendFeatureReport(reportId: number, data: unknown): Promise<void> {
    const report = Buffer.concat([Buffer.from([reportId]), bytesOf(data)]);
    this.model.answer({ kind: 'set_report', id: 1, report });
  }

  async receiveFeatureReport(reportId: number): Promise<DataView> {
    const [reply] = this.model.answer({ kind: 'get_report', id: 1, reportId });
    return viewOf(reply?.subarray(13) ?? Buffer.alloc(0));
  }

  input(report: Buffer): void {
    const [reportId = 0] = this.#hasIds ? report : [];
    const data = viewOf(this.#hasIds ? report.subarray(1) : report);
    this.dispatchEvent(Object.assign(new Event('inputreport'), { device: this, reportId, data }));
  }
}

/** A serial port that only runs a model. */
function portOf(model: SerialModel): object {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, output) => {
      const answer = model.receive(Buffer.from(chunk));
      if (answer.length > 0) output.enqueue(new Uint8Array(answer));
    },
  });
  const done = async (): Promise<void> => undefined;
  const getInfo = () => ({ usbVendorId: 0x303a, usbProductId: 0x1001 });
  return Object.assign(new EventTarget(), {
    ...{ readable, writable, getInfo },
    ...{ open: done, close: done, setSignals: done, getSignals: async () => ({}) },
  });
}

/** A USB device that gives back what it gets, or a printer. */
function usbOf(printer: ReceiptPrinter | undefined): object {
  const waiting: ((result: UsbIn) => void)[] = [];
  const ready: UsbIn[] = [];
  const requests = new VendorRequests();
  const alternate = {
    endpoints: [
      { endpointNumber: 1, direction: 'out', type: 'bulk' },
      { endpointNumber: 2, direction: 'in', type: 'bulk' },
    ],
    interfaceClass: 255,
  };
  const configuration = { interfaces: [{ interfaceNumber: 0, alternate }] };
  const done = async (): Promise<void> => undefined;
  return {
    ...{
      vendorId: 0x04b8,
      productId: 0x0e15,
      productName: 'Lab',
      manufacturerName: 'Lab',
      serialNumber: '1',
    },
    ...{ configuration, configurations: [configuration], opened: true },
    ...{ open: done, close: done, selectConfiguration: done, claimInterface: done, reset: done },
    transferOut: async (_endpoint: number, data: unknown) => {
      const answer = printer ? printer.receive(bytesOf(data)) : bytesOf(data);
      if (answer.length > 0) {
        const resolve = waiting.shift();
        if (resolve) resolve(new UsbIn(answer));
        else ready.push(new UsbIn(answer));
      }
      return { status: 'ok', bytesWritten: bytesOf(data).length };
    },
    transferIn: (): Promise<UsbIn> => {
      const next = ready.shift();
      return next ? Promise.resolve(next) : new Promise((resolve) => waiting.push(resolve));
    },
    controlTransferIn: async (setup: { request: number; value: number; index: number }, length: number) => {
      const answer = requests.answer({ type: 0xc0, length, ...setup });
      return Buffer.isBuffer(answer) ? new UsbIn(answer) : { status: 'stall' };
    },
  };
}

/** An interface of `navigator` with one device. */
function domain(device: object): EventTarget {
  return Object.assign(new EventTarget(), {
    getDevices: async () => [device],
    requestDevice: async () => (device instanceof Hid ? [device] : device),
    getPorts: async () => [device],
    requestPort: async () => device,
  });
}

/** Loads a page and gives what its scripts see. */
async function load(
  name: Parameters<typeof peripheralPage>[0],
  navigator: object,
): Promise<(script: string) => Promise<unknown>> {
  const html = await peripheralPage(name);
  const context = createContext({
    ...{ navigator, Uint8Array, ArrayBuffer, DataView, TextEncoder, TextDecoder, EventTarget, Event },
    ...{
      performance,
      setTimeout,
      clearTimeout,
      console: { log: () => undefined },
      USBInTransferResult: UsbIn,
      ImageData: Object,
      structuredClone,
    },
  });
  Object.assign(context, { window: context, self: context });
  Object.assign(context, { parent: context });
  runInContext(/<script>(.*)<\/script>/s.exec(html)?.[1] ?? '', context);
  // Through JSON, as the results of scripts in a device.
  return async (script) => {
    const result: unknown = await runInContext(`(async () => (${script}))()`, context);
    return JSON.parse(JSON.stringify(result ?? null));
  };
}

test('the page for HID finds, echoes, and reads and writes feature reports', {
  timeout: TEST_MS,
}, async () => {
  const device = new Hid('vendor', 0x1209, [{ usagePage: 0xff00, usage: 1 }]);
  const run = await load('hid', { hid: domain(device) });
  assert.partialDeepStrictEqual(await run('await page.found()'), [
    { vendorId: 0x1209, collections: [[0xff00, 1]] },
  ]);
  assert.equal(await run('await page.open()'), true);
  assert.deepEqual(await run("await page.echo(0, '0102')"), { id: 0, data: '0102' });
  assert.equal(await run('await page.feature(0)'), '09080706');
  await run("await page.sendFeature(0, '01')");
  assert.equal(await run('await page.feature(0)'), '01');
  assert.equal(await run("(await page.echoTimes(2, 3, '05')).length"), 2);
  const none = await load('hid', {});
  assert.equal(await none('await page.found()'), null);
});

test('the page for serial ports: lines of a scale, and bytes to and fro', { timeout: TEST_MS }, async () => {
  const scale = await load('serial', { serial: domain(portOf(serialModel('scale'))) });
  await scale('await page.open(9600)');
  assert.equal(await scale("await page.line('W')"), 'ST,GS,  1.234 kg');
  const echo = await load('serial', { serial: domain(portOf(serialModel('echo'))) });
  await echo('await page.open(9600)');
  assert.equal(field(await echo('await page.echo(10000)'), 'same'), 10_000);
});

test('the page for USB: bulk transfers to and fro, and control requests', { timeout: TEST_MS }, async () => {
  const run = await load('usb', { usb: domain(usbOf(undefined)) });
  assert.deepEqual(await run('await page.open()'), [[[0, 255]]]);
  assert.equal(await run('await page.echo(40000)'), 40_000);
  assert.deepEqual(await run('await page.controlIn(1, 0x1234, 0x5678, 8)'), ['ok', '34127856']);
});

test('libraries: a scanner, printers and a chip', { timeout: TEST_MS }, async () => {
  const scanner = new Hid('scanner', 0x0c2e, [{ usagePage: 0x8c, usage: 2 }]);
  const hid = await load('libraries', {
    ...{ hid: domain(scanner), serial: domain({}), usb: domain({}) },
  });
  assert.equal(await hid('await page.scanner()'), 'Lab');
  assert.deepEqual(scanner.model.takeSent(), [{ kind: 'feature', reportId: 254, data: '01' }]);
  for (const report of scanReports('4006381333931', ']E0', 100)) scanner.input(report);
  assert.deepEqual(await hid('await page.scanned()'), ['4006381333931', 'ean13']);

  const printer = new ReceiptPrinter();
  const usb = await load('libraries', { usb: domain(usbOf(printer)) });
  const byUsb = await usb('await page.printByUsb()');
  assert.equal(field(byUsb, 'answer'), '12');
  assert.equal(printer.take().toString('hex'), `${String(field(byUsb, 'receipt'))}100401`);

  const withModel = async (name: SerialModelName, script: string): Promise<[unknown, SerialModel]> => {
    const model = serialModel(name);
    const run = await load('libraries', { serial: domain(portOf(model)) });
    return [await run(script), model];
  };
  const [bySerial, paper] = await withModel('printer', 'await page.printBySerial()');
  assert.equal(field(bySerial, 'answer'), '12');
  assert.equal(paper.take?.().toString('hex'), `${String(field(bySerial, 'receipt'))}100401`);

  const image = Buffer.alloc(3000, 0xdb);
  const [flashed, chip] = await withModel('esp', `await page.flash(4096, '${image.toString('hex')}')`);
  const digest = createHash('md5').update(image).digest('hex');
  assert.deepEqual(flashed, { chip: 'ESP32-C3', mac: MAC, digest });
  assert.deepEqual(chip.take?.().subarray(4096, 7096), image);
});

test('the hostile page runs to its end on its own device', { timeout: TEST_MS }, async () => {
  const device = new Hid('vendor', 0x1209, [{ usagePage: 0xff00, usage: 1 }]);
  const run = await load('hostile', { hid: domain(device) });
  await run('await page.flood(300)');
  assert.deepEqual(await run('await page.progress()'), { made: 300, ended: 300 });
  assert.equal(device.model.takeSent().length, 100);
  assert.equal(await run("await page.tamper('https://own.example')"), 30);
  assert.equal(device.model.takeSent().length, 30);
});
