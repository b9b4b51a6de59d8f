/** What an open USB device is judged by: the configuration that is selected, and the drivers that use it now. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { field } from '../../../../testing/field.ts';
import type { UsbPeripheral } from './ports.ts';
import { nameOf, POLICY, seen, stage, USB } from './tests/page-stage.ts';

/** Interface 0 is mass storage in the second configuration. */
function withDisk(): UsbPeripheral {
  const [first] = USB.configurations;
  if (!first) throw new Error('there is no configuration');
  const interfaces = first.interfaces.map(({ number, alternates }) => ({
    number,
    alternates: alternates.map((one) => ({ ...one, classCode: 8 })),
  }));
  return { ...USB, configurations: [first, { value: 2, name: null, interfaces }] };
}

test('after a configuration was selected, its interfaces are judged, also while it is being selected', async () => {
  const { open, opened, call, request, answerTo, io } = stage([withDisk()]);
  open();
  const device = await opened('usb');
  io.usb.held.add('select_configuration');
  const selecting = request('usb.select_configuration', { device, value: 2 });
  const claim = () => call('usb.claim_interface', { device, interface: 0 });
  assert.equal(nameOf(await claim()), 'InvalidStateError');
  io.usb.calls.at(-1)?.answer.resolve({});
  assert.deepEqual(field(await answerTo(selecting), 'result'), {});
  assert.equal(nameOf(await claim()), 'SecurityError');
  const setup = { requestType: 'class', recipient: 'device', request: 0xfe, value: 0, index: 0 };
  const asked = await call('usb.control_in', { device, setup, length: 1 });
  assert.equal(nameOf(asked), 'SecurityError');
  assert.deepEqual(io.usb.log, ['open 1 /dev/bus/usb/001/002', 'select_configuration 1 2']);
});

test('a configuration that something else has selected since the list was read counts', async () => {
  const { open, opened, call, inventory } = stage([withDisk()]);
  open();
  inventory.plugged = [{ ...withDisk(), configuration: 2 }];
  const device = await opened('usb');
  assert.equal(nameOf(await call('usb.claim_interface', { device, interface: 0 })), 'SecurityError');
});

test('a driver that has come since the list was read is not detached unless that is allowed', async () => {
  const { open, opened, call, io, rules, inventory } = stage([USB]);
  open();
  inventory.plugged = [{ ...USB, drivers: new Map([[0, 'cdc_acm']]) }];
  const device = await opened('usb');
  const claim = () => call('usb.claim_interface', { device, interface: 0 });
  assert.equal(nameOf(await claim()), 'NetworkError');
  rules.policy = { ...POLICY, usb: { ...POLICY.usb, allow_driver_detach: true } };
  assert.deepEqual(field(await claim(), 'result'), {});
  assert.equal(io.usb.log.at(-1), 'claim_interface 1 0 true');
});

test('a device is closed when detaching is forbidden while a driver is being detached', async () => {
  const { all, open, opened, request, answerTo, io, rules } = stage([
    { ...USB, drivers: new Map([[0, 'cdc_acm']]) },
  ]);
  rules.policy = { ...POLICY, usb: { ...POLICY.usb, allow_driver_detach: true } };
  open();
  const device = await opened('usb');
  io.usb.held.add('claim_interface');
  const claiming = request('usb.claim_interface', { device, interface: 0 });
  await seen(() => io.usb.log.at(-1) === 'claim_interface 1 0 true', 'the claim');
  rules.policy = POLICY;
  all.refresh();
  assert.equal(all.opened.size, 0);
  await seen(() => io.usb.log.at(-1) === 'close 1', 'the close');
  io.usb.calls.find(({ command }) => command === 'claim_interface')?.answer.resolve({});
  await answerTo(claiming);
});
