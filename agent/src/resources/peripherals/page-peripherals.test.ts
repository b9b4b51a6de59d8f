import assert from 'node:assert/strict';
import { test } from 'node:test';
import { field } from '../../../../testing/field.ts';
import { PageError } from '../page/page-error.ts';
import type { HidPeripheral } from './ports.ts';
import { HID, nameOf, OPTIONS, ORIGIN, POLICY, seen, stage, vendorCollection } from './tests/page-stage.ts';

test('a page that is not served gets no credits, and its requests no answers', async () => {
  const { open, request, page, received, call } = stage();
  open('https://other.example');
  assert.equal(page.credits, 0);
  const ignored = request('list', { kind: 'hid' });
  open();
  assert.equal(nameOf(await call('nfc.scan')), 'NotAllowedError');
  assert.ok(!received.some(({ id }) => id === ignored));
});

test('a HID device: its protected collection and reports do not pass', async () => {
  const { open, call, opened, io, received } = stage();
  open();
  const device = await opened('hid');
  const [listed] = received;
  assert.deepEqual(field(listed, 'result.devices.0.collections'), [vendorCollection]);
  assert.equal(
    nameOf(await call('hid.send_report', { device, report_id: 1, data: 'AA==' })),
    'NotAllowedError',
  );
  assert.deepEqual(
    field(await call('hid.send_report', { device, report_id: 2, data: 'AA==' }), 'result'),
    {},
  );
  assert.deepEqual(io.hid.log, ['open 1 /dev/hidraw0', 'write 1 2 AA==']);
  io.hid.emit({ event: 'input', handle: 1, report_id: 1, data: 'a2V5' });
  io.hid.emit({ event: 'input', handle: 1, report_id: 2, data: 'b2s=' });
  await seen(() => received.some(({ event }) => event === 'hid.input'), 'report');
  assert.deepEqual(received.at(-1), { event: 'hid.input', device, report_id: 2, data: 'b2s=' });
  assert.ok(!received.some((each) => each.data === 'a2V5'));
});

test('what the rules do not allow any more is closed at once, during a transfer', async () => {
  const { all, open, opened, request, answerTo, call, io, rules, received } = stage();
  open();
  const device = await opened('usb');
  assert.deepEqual(field(await call('usb.claim_interface', { device, interface: 0 }), 'result'), {});
  io.usb.held.add('transfer_in');
  const reading = request('usb.transfer_in', { device, endpoint: 1, length: 64 });
  assert.equal(all.opened.get('1-1'), ORIGIN);
  rules.policy = { ...POLICY, usb: { ...POLICY.usb, allow: [] } };
  all.refresh();
  await seen(() => io.usb.log.at(-1) === 'close 1', 'close');
  assert.equal(all.opened.size, 0);
  io.usb.calls
    .find(({ command }) => command === 'transfer_in')
    ?.answer.reject(new PageError('AbortError', 'closed'));
  assert.equal(nameOf(await answerTo(reading)), 'AbortError');
  assert.ok(received.some(({ event }) => event === 'closed'));
  assert.ok(received.some(({ event }) => event === 'disconnect'));
  assert.equal(nameOf(await call('usb.open', { device })), 'NotFoundError');
  assert.equal(
    nameOf(await call('usb.transfer_out', { device, endpoint: 2, data: '' })),
    'InvalidStateError',
  );
  rules.policy = POLICY;
  all.refresh();
  await seen(() => received.some(({ event }) => event === 'connect'), 'the device that is allowed again');
  assert.equal(
    field(received.at(-1), 'device.device'),
    Number(device) + 1,
    'a number that the page has not seen',
  );
});

test('a navigation closes everything, also what is being opened; the next page has numbers of its own', async () => {
  const { all, open, close, request, opened, call, io } = stage();
  open();
  const device = field(await call('list', { kind: 'serial' }), 'result.devices.0.device');
  io.serial.held.add('open');
  request('serial.open', { device, options: OPTIONS });
  await seen(() => io.serial.calls.length > 0, 'open');
  close();
  assert.equal(all.opened.size, 0);
  io.serial.calls[0]?.answer.resolve({});
  await seen(() => io.serial.log.includes('close 1'), 'close');
  await seen(() => !io.serial.isRunning, 'the end of the idle program');
  io.serial.held.clear();
  open();
  assert.equal(
    nameOf(await call('serial.open', { device: 1, options: OPTIONS })),
    'NotFoundError',
    'not listed yet',
  );
  await opened('serial', { options: OPTIONS });
  assert.equal(io.serial.log.filter((each) => each.startsWith('open 2 ')).length, 1);
});

test('a serial port is read as far as the page asks, and a window ahead of it', async () => {
  const { open, opened, call, io, page, received } = stage();
  open();
  const device = await opened('serial', { options: OPTIONS });
  await call('serial.credit', { device, bytes: 1_000_000 });
  const credits = () =>
    io.serial.calls.filter(({ command }) => command === 'credit').map(({ fields }) => field(fields, 'bytes'));
  assert.deepEqual(credits(), [65_536]);
  const { promise, resolve } = Promise.withResolvers<void>();
  page.reads = promise;
  io.serial.emit({ event: 'data', handle: 1, data: Buffer.alloc(3000).toString('base64') });
  await new Promise(setImmediate);
  assert.deepEqual(credits(), [65_536], 'the page has not got them yet');
  resolve();
  await seen(() => received.some(({ event }) => event === 'serial.data'), 'data');
  await seen(() => credits().length === 2, 'a further credit');
  assert.deepEqual(credits(), [65_536, 3000]);
});

test('a serial port that sends single bytes and errors does not fill the queue of a page that is busy', async () => {
  const { open, opened, io, page, received, answerTo, request } = stage();
  open();
  const device = await opened('serial', { options: OPTIONS });
  const { promise, resolve } = Promise.withResolvers<void>();
  page.reads = promise;
  const sent = Buffer.from(Array.from({ length: 10_000 }, (_, at) => at % 251));
  for (const byte of sent) {
    io.serial.emit({ event: 'data', handle: 1, data: Buffer.of(byte).toString('base64') });
    io.serial.emit({ event: 'receive_error', handle: 1, name: 'ParityError' });
  }
  const answered = request('serial.get_signals', { device });
  resolve();
  await answerTo(answered);
  const got = () =>
    Buffer.concat(
      received
        .filter(({ event }) => event === 'serial.data')
        .map(({ data }) => Buffer.from(String(data), 'base64')),
    );
  await seen(() => got().length >= sent.length, 'the data');
  assert.deepEqual(got(), sent);
  assert.ok(received.filter(({ event }) => event === 'serial.error').length < 10);
});

test('USB: interfaces have to be claimed, endpoints belong to them, and reads are bounded', async () => {
  const { open, opened, call, request, answerTo, io } = stage();
  open();
  const device = await opened('usb');
  const read = { device, endpoint: 1, length: 64 };
  assert.equal(nameOf(await call('usb.transfer_in', read)), 'NotFoundError', 'not claimed');
  assert.equal(nameOf(await call('usb.claim_interface', { device, interface: 7 })), 'NotFoundError');
  await call('usb.claim_interface', { device, interface: 0 });
  assert.equal(
    nameOf(await call('usb.transfer_in', { ...read, endpoint: 2 })),
    'NotFoundError',
    'an OUT endpoint',
  );
  const setup = { requestType: 'standard', recipient: 'device', request: 9, value: 1, index: 0 };
  assert.equal(nameOf(await call('usb.control_out', { device, setup, data: '' })), 'SecurityError');
  io.usb.held.add('transfer_in');
  for (let at = 0; at < 16; at += 1) request('usb.transfer_in', read);
  assert.equal(nameOf(await call('usb.transfer_in', read)), 'OperationError');
  await call('usb.release_interface', { device, interface: 0 });
  assert.equal(
    nameOf(await answerTo(request('usb.clear_halt', { device, direction: 'in', endpoint: 1 }))),
    'NotFoundError',
  );
});

test('a page that floods has no more than its window under way, and nothing malformed reaches a program', async () => {
  const { open, post, page, received, io } = stage();
  open();
  assert.equal(page.credits, 64);
  const { promise, resolve } = Promise.withResolvers<void>();
  page.reads = promise;
  for (let at = 0; at < 64; at += 1) post(JSON.stringify({ id: at, call: 'list', kind: 'hid' }));
  await new Promise(setImmediate);
  assert.equal(page.credits, 0, 'the answers have not been taken');
  resolve();
  await seen(() => page.credits === 64, 'the credits of what is done');
  for (const bad of [
    '',
    '[]',
    '{"id":-1,"call":"list"}',
    '{"id":1,"call":"constructor"}',
    '{"id":2,"call":"hid.open","device":"1"}',
  ])
    post(bad);
  await seen(() => received.some(({ id }) => id === 2 && received.length > 64), 'the answer');
  assert.equal(nameOf(received.at(-1)), 'TypeError');
  assert.deepEqual(io.hid.log, []);
});

test('a page whose transfers wait for the device can still close it', async () => {
  const { open, opened, call, request, page, io } = stage();
  open();
  const device = await opened('usb');
  await call('usb.claim_interface', { device, interface: 0 });
  io.usb.held.add('transfer_out');
  for (let at = 0; at < 100; at += 1) {
    if (page.credits > 0) request('usb.transfer_out', { device, endpoint: 2, data: '' });
  }
  assert.ok(page.credits > 0);
  assert.deepEqual(field(await call('usb.close', { device }), 'result'), {});
  // Whatever the page sends, what waits is bounded.
  await opened('serial', { options: OPTIONS });
  io.serial.held.add('write');
  for (let at = 0; at < 1000 && page.credits > 0; at += 1) request('serial.write', { device: 2, data: '' });
  assert.equal(page.credits, 0);
  assert.ok(io.serial.calls.length <= 128 + 64);
});

test('an answer that is too large for a message is an error', async () => {
  const large = { ...vendorCollection, children: Array.from({ length: 10_000 }, () => vendorCollection) };
  const { open, call } = stage([{ ...HID, collections: [large] }]);
  open();
  assert.equal(nameOf(await call('list', { kind: 'hid' })), 'OperationError');
});

test('unplugged: one event each, also when the program says so first; plugged in again it is another device', async () => {
  const { all, open, opened, rules, received, io, call } = stage();
  open();
  const device = await opened('hid');
  io.hid.emit({ event: 'closed', handle: 1, reason: 'unplugged' });
  rules.peripherals = [];
  all.refresh();
  rules.peripherals = [{ ...HID, instance: 'hid-2' }];
  all.refresh();
  await seen(() => received.some(({ event }) => event === 'connect'), 'connect');
  const events = received.filter(({ event }) => event !== undefined).map((each) => [each.event, each.device]);
  assert.deepEqual(
    events.map(([event, what]) => [event, field({ what }, 'what.device') ?? what]),
    [
      ['closed', device],
      ['disconnect', device],
      ['connect', 2],
    ],
  );
  assert.ok(!io.hid.log.includes('close 1'));
  assert.equal(nameOf(await call('hid.open', { device })), 'NotFoundError');
});

test('a page has at most eight peripherals open, and what it has forgotten is gone for it', async () => {
  const many = Array.from(
    { length: 9 },
    (_, at): HidPeripheral => ({
      ...HID,
      id: `hidraw${at}`,
      instance: `hid-${at}`,
      node: `/dev/hidraw${at}`,
    }),
  );
  const { all, open, call } = stage(many);
  open();
  await call('list', { kind: 'hid' });
  for (let device = 1; device <= 8; device += 1) await call('hid.open', { device });
  assert.equal(nameOf(await call('hid.open', { device: 9 })), 'NetworkError');
  assert.equal(nameOf(await call('hid.open', { device: 1 })), 'InvalidStateError', 'open already');
  await call('forget', { device: 1 });
  assert.equal(all.opened.size, 7);
  assert.equal(nameOf(await call('hid.open', { device: 1 })), 'NotFoundError');
  const listed = field(await call('list', { kind: 'hid' }), 'result.devices');
  assert.equal(Array.isArray(listed) && listed.length, 8);
});

test('NFC: only with permission, which ends what is pending when it ends', async () => {
  const { all, open, call, request, answerTo, nfc, rules, received } = stage();
  open();
  assert.equal(nameOf(await call('nfc.scan')), 'NotAllowedError');
  assert.ok(!nfc.isScanned);
  rules.mayUseTags = true;
  await call('nfc.scan');
  nfc.read({ event: 'nfc.reading', serial_number: '04:a1', message: '' });
  await seen(() => received.some(({ event }) => event === 'nfc.reading'), 'reading');
  assert.equal(field(await call('nfc.transceive', { apdu: 'AKQEAA==' }), 'result.response'), 'kAA=');
  const writing = request('nfc.write', { message: '0AAA', overwrite: true });
  await seen(() => nfc.writing !== undefined, 'write');
  all.refresh();
  assert.equal(nfc.ends, 0);
  rules.mayUseTags = false;
  all.refresh();
  assert.equal(nameOf(await answerTo(writing)), 'AbortError');
  assert.ok(!nfc.isScanned);
});
