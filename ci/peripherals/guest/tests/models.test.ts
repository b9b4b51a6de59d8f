/** What the models must do as real devices do, because the tests of the device rely on it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hidShape, scanReports } from '../hid/descriptors.ts';
import { HidModel } from '../hid/model.ts';
import { createEvent, inputEvent, readRequest } from '../hid/uhid.ts';
import { ReceiptPrinter } from '../receipt-printer.ts';
import { serialModel } from '../serial/models.ts';
import { PrinterClass, VendorRequests } from '../usb/requests.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** An event of the kernel with an output report. */
function outputEvent(report: Buffer): Buffer {
  const event = Buffer.alloc(4380);
  event.writeUInt32LE(6, 0);
  report.copy(event, 4);
  event.writeUInt16LE(report.length, 4 + 4096);
  return event;
}

test('HID: output reports come back without an id, and with theirs; feature reports are kept', () => {
  const plain = new HidModel(hidShape('vendor'), true);
  const [echo] = plain.answer(readRequest(outputEvent(hex('00 01 02 03'))));
  assert.equal(echo?.toString('hex'), inputEvent(hex('01 02 03')).toString('hex'));
  const composite = new HidModel(hidShape('composite'), true);
  const [numbered] = composite.answer(readRequest(outputEvent(hex('02 aa'))));
  assert.equal(numbered?.toString('hex'), '0c000000020002aa');
  assert.deepEqual(composite.takeSent(), [{ kind: 'output', reportId: 2, data: 'aa' }]);

  const get = Buffer.alloc(4380);
  get.set([9, 0, 0, 0, 7, 0, 0, 0, 2, 0]);
  assert.equal(composite.answer(readRequest(get))[0]?.toString('hex'), '0a00000007000000000005000209080706');
  const set = Buffer.alloc(4380);
  set.set([13, 0, 0, 0, 8, 0, 0, 0, 2, 0, 3, 0, 2, 5, 5]);
  assert.equal(composite.answer(readRequest(set))[0]?.toString('hex'), '0e000000080000000000');
  assert.equal(composite.answer(readRequest(get))[0]?.subarray(12).toString('hex'), '020505');
  // A report that it does not have fails.
  get[8] = 9;
  assert.equal(composite.answer(readRequest(get))[0]?.readUInt16LE(8), 5);
});

test('HID: the event that makes a device has names and descriptor where the kernel expects them', () => {
  const { descriptor } = hidShape('fido');
  const identity = { name: 'Key', vendor: 0x1209, product: 0x1234, serialNumber: 'S' };
  const event = createEvent(identity, descriptor);
  assert.equal(event.readUInt32LE(0), 11);
  assert.equal(event.subarray(4, 8).toString('latin1'), 'Key\0');
  assert.equal(event.readUInt16LE(260), descriptor.length);
  assert.deepEqual([event.readUInt32LE(264), event.readUInt32LE(268)], [0x1209, 0x1234]);
  assert.deepEqual(event.subarray(280), descriptor);
});

test('HID: a scan longer than a report continues in the next', () => {
  const reports = scanReports('x'.repeat(57), ']C1', 106);
  assert.deepEqual(
    reports.map((report) => [report.length, report[0], report[1], report[63]]),
    [
      [64, 2, 56, 1],
      [64, 2, 1, 0],
    ],
  );
  assert.equal(reports[0]?.subarray(2, 6).toString(), ']C1x');
  assert.equal(reports[1]?.[61], 106);
});

test('serial: a scale answers whole lines only', () => {
  const scale = serialModel('scale');
  assert.equal(scale.receive(Buffer.from('W\r')).toString(), '');
  assert.equal(scale.receive(Buffer.from('\nT\r\nW')).toString(), 'ST,GS,  1.234 kg\r\nES\r\n');
});

test('a printer keeps all bytes and answers each request for its status once, also in two parts', () => {
  const printer = new ReceiptPrinter();
  assert.equal(printer.receive(hex('1b40 1004')).length, 0);
  assert.equal(printer.receive(hex('01 41')).toString('hex'), '12');
  assert.equal(printer.receive(hex('42')).length, 0);
  assert.equal(printer.receive(hex('100402 100401')).toString('hex'), '1212');
  assert.equal(printer.take().toString('hex'), '1b401004014142100402100401');
  assert.equal(printer.take().length, 0);
});

test('USB: the requests of vendor and printer class, and that others stall', () => {
  const vendor = new VendorRequests();
  const setup = { type: 0xc0, request: 1, value: 0x1234, index: 0x5678, length: 4 };
  assert.deepEqual(vendor.answer(setup), hex('3412 7856'));
  const take = vendor.answer({ ...setup, type: 0x40, request: 2 });
  assert.ok(typeof take === 'function');
  take(hex('0a0b'));
  assert.deepEqual(vendor.answer({ ...setup, request: 3 }), hex('0a0b'));
  for (const unknown of [{ request: 4 }, { type: 0xa0 }, { type: 0x40 }, { request: 2 }]) {
    assert.equal(vendor.answer({ ...setup, ...unknown }), undefined);
  }
  const id = new PrinterClass().answer({ ...setup, type: 0xa1, request: 0 });
  assert.ok(Buffer.isBuffer(id) && id.readUInt16BE(0) === id.length);
});
