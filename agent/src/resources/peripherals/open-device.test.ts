/** That a page gets the device that the rules have judged, and no other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { field } from '../../../../testing/field.ts';
import { HID, nameOf, OPTIONS, seen, stage } from './tests/page-stage.ts';

test('the page does not choose the node, nor anything else of the command', async () => {
  const { open, opened, io } = stage();
  open();
  const mine = { node: '/dev/ttyACM9', handle: 9, id: 9, command: 'close' };
  await opened('serial', { options: { ...OPTIONS, ...mine } });
  const [{ command, fields } = assert.fail()] = io.serial.calls;
  assert.deepEqual([command, fields], ['open', { ...OPTIONS, node: '/dev/ttyACM0', handle: 1 }]);
});

test('of a node that belongs to another device by now, the page gets nothing', async () => {
  const { all, open, call, request, answerTo, io, inventory, received } = stage();
  open();
  const device = field(await call('list', { kind: 'hid' }), 'result.devices.0.device');
  inventory.plugged = [{ ...HID, instance: 'hid-2', productId: 9 }];
  const { promise, resolve } = Promise.withResolvers<void>();
  inventory.reads = promise;
  const opening = request('hid.open', { device });
  await seen(() => io.hid.calls.length > 0, 'open');
  await new Promise(setImmediate);
  io.hid.emit({ event: 'input', handle: 1, report_id: 2, data: 'b2s=' });
  assert.equal(
    nameOf(await call('hid.send_report', { device, report_id: 2, data: 'AA==' })),
    'InvalidStateError',
  );
  resolve();
  assert.equal(nameOf(await answerTo(opening)), 'AbortError');
  assert.deepEqual(io.hid.log, ['open 1 /dev/hidraw0', 'close 1']);
  assert.equal(all.opened.size, 0);
  assert.ok(!received.some(({ event }) => event === 'hid.input'));
});

test('what cannot be read after an open is closed', async () => {
  const { all, open, call, io, inventory } = stage();
  open();
  const device = field(await call('list', { kind: 'hid' }), 'result.devices.0.device');
  inventory.failure = new Error('no sysfs');
  assert.equal(nameOf(await call('hid.open', { device })), 'OperationError');
  assert.deepEqual(io.hid.log, ['open 1 /dev/hidraw0', 'close 1']);
  assert.equal(all.opened.size, 0);
});
