/** The tests of WebUSB, with devices by functionfs. */
import assert from 'node:assert/strict';
import type { LabUsb } from '../../ci/peripherals/peripherals-lab.ts';
import { waitFor } from '../../testing/wait.ts';
import {
  begin,
  call,
  configureDevices,
  errorOf,
  findsNothing,
  isOf,
  killUserOf,
  openSoon,
  peripheralPage,
  showPage,
  takenAway,
  WAIT_MS,
  waitForPageEvent,
} from './peripheral-device.ts';
import type { PeripheralContext } from './peripheral-tests.ts';

const ECHO_BYTES = 64 * 1024;
const VENDOR_CLASS = 0xff;
const HID_CLASS = 0x03;
const STORAGE_CLASS = 0x08;

export async function usbTests({
  device,
  test,
  longTest,
  pages,
  lab,
  view,
}: PeripheralContext): Promise<void> {
  const url = pages.add(await peripheralPage('usb'));
  const loopback = await lab.usb('loopback', { serialNumber: 'A-1', classCodes: [VENDOR_CLASS, 1, 2] });
  const isLoopback = isOf(loopback, 'usb');
  const entry = { vendorId: loopback.vendor, productId: loopback.product };
  const whole = { ...entry, classCode: VENDOR_CLASS, subclass: 1, protocol: 2, serialNumber: 'A-1' };
  const allow = (allowed: object[], enabled = true): Promise<void> =>
    configureDevices(device, { origins: [pages.origin], usb: { enabled, allow: allowed } });

  await test('a page uses the bulk, interrupt and control transfers of an allowed USB device', async () => {
    await loopback.plug();
    const listed = await view.has('the device', isLoopback);
    assert.deepEqual([listed.state, listed.serial_number], ['not_allowed', 'A-1']);
    assert.partialDeepStrictEqual(listed.suggestion, entry);
    assert.deepEqual(listed.class, { class_code: VENDOR_CLASS, subclass: 1, protocol: 2 });
    assert.deepEqual(listed.interfaces, [
      { number: 0, class_code: VENDOR_CLASS, subclass: 0, protocol: 0, driver: null },
    ]);
    await allow([listed.suggestion ?? {}]);
    await view.has('an allowed one', (each) => isLoopback(each) && each.state === 'allowed');
    await allow([whole]);
    await showPage(device, url);
    assert.deepEqual(await call(device, 'found'), [
      { ...entry, productName: 'Lab loopback', serialNumber: 'A-1' },
    ]);
    assert.equal(await call(device, 'requested', [entry]), 'Lab loopback');
    assert.equal(await errorOf(device, 'requested', [{ vendorId: 1 }]), 'NotFoundError');
    assert.deepEqual(await call(device, 'open'), [[[0, VENDOR_CLASS]]]);
    await view.has('the device in use', (each) => isLoopback(each) && each.open_by === pages.origin);
    // Not before the interface is claimed.
    assert.match(String(await errorOf(device, 'receive')), /^(NotFoundError|InvalidStateError)$/);
    await call(device, 'claim', 0);
    assert.equal(await call(device, 'echo', ECHO_BYTES), ECHO_BYTES);
    assert.deepEqual(await call(device, 'controlIn', 1, 0x1234, 0x5678, 8), ['ok', '34127856']);
    assert.deepEqual(await call(device, 'controlOut', 2, '0a0b0c'), ['ok', 3]);
    assert.deepEqual(await call(device, 'controlIn', 3, 0, 0, 64), ['ok', '0a0b0c']);
    assert.partialDeepStrictEqual(await call(device, 'controlIn', 9, 0, 0, 8), ['stall']);
    await begin(device, 'event');
    await loopback.event(Buffer.from('c0ffee', 'hex'));
    assert.deepEqual(await device.runScript('await ended()'), { result: 'c0ffee' });
    await loopback.stall();
    assert.equal(await call(device, 'receive'), 'stall');
    await call(device, 'clear');
    assert.equal(await call(device, 'echo', 100), 100);
    await call(device, 'close');
    await view.has('the device closed', (each) => isLoopback(each) && each.open_by === null);
  });

  await test('an entry that misses in one field, or a kind that is not enabled, allows no USB device', async () => {
    const cases: [string, object, boolean?][] = [
      ['another vendor', { ...whole, vendorId: whole.vendorId + 1 }],
      ['another product', { ...whole, productId: whole.productId + 1 }],
      ['another class', { ...whole, classCode: 0xfe }],
      ['another subclass', { ...whole, subclass: 2 }],
      ['another protocol', { ...whole, protocol: 1 }],
      ['another serial number', { ...whole, serialNumber: 'A-10' }],
      ['not enabled', whole, false],
    ];
    for (const [why, missing, enabled] of cases) {
      await allow([missing], enabled);
      await findsNothing(device, why);
    }
    await allow([whole]);
    await showPage(device, url);
    await call(device, 'open');
    await call(device, 'close');
  });

  const use = async (): Promise<void> => {
    await openSoon(device);
    await call(device, 'claim', 0);
    assert.equal(await call(device, 'echo', 100), 100);
    await begin(device, 'receive');
  };

  await test('a USB device is unplugged in use, and used again', async () => {
    await use();
    await loopback.unplug();
    await takenAway(device);
    await waitForPageEvent(device, 'disconnect Lab loopback');
    await view.hasNot('the device', isLoopback);
    await loopback.plug();
    await waitForPageEvent(device, 'connect Lab loopback');
    await use();
    await showPage(device, url);
    await view.has('the device closed', (each) => isLoopback(each) && each.open_by === null);
  });

  // The agent does the same for each kind; the fast run does it with a HID device.
  await longTest('a USB device is taken away in use: not allowed any more, its program killed', async () => {
    await use();
    await allow([{ ...whole, protocol: 1 }]);
    await takenAway(device);
    await findsNothing(device, 'after the entry was changed');
    await allow([whole]);

    await use();
    const { id } = await view.has('the device', (each) => isLoopback(each) && each.open_by !== null);
    const node = await device.shell.ok(
      `cd /sys/bus/usb/devices/${id} && printf /dev/bus/usb/%03d/%03d "$(cat busnum)" "$(cat devnum)"`,
    );
    await killUserOf(device, node);
    await takenAway(device);
    await use();
    await showPage(device, url);
    await view.has('the device closed', (each) => isLoopback(each) && each.open_by === null);
  });
  await loopback.unplug();

  await test('interfaces of protected classes, and those that a driver has, are refused', async () => {
    const plugged = async (usb: LabUsb, more: object = {}): Promise<void> => {
      await usb.plug();
      const usbEntry = { vendorId: usb.vendor, productId: usb.product };
      await configureDevices(device, { usb: { allow: [usbEntry], ...more } });
      await view.has('the device', (each) => isOf(usb, 'usb')(each) && each.state === 'allowed');
      await showPage(device, url);
      await call(device, 'open');
    };
    const unplugged = async (usb: LabUsb): Promise<void> => {
      await usb.unplug();
      await view.hasNot('the device', isOf(usb, 'usb'));
    };
    for (const secondClass of [HID_CLASS, STORAGE_CLASS]) {
      const product = 0x20 + secondClass;
      const usb = await lab.usb('loopback', { product }, secondClass);
      await plugged(usb);
      assert.equal(await errorOf(device, 'claim', 1), 'SecurityError', `class ${secondClass}`);
      await call(device, 'claim', 0);
      assert.equal(await call(device, 'echo', 100), 100);
      await unplugged(usb);
    }
    const printer = await lab.usb('printer', { product: 0x40 });
    await plugged(printer);
    const driver = async (): Promise<unknown> =>
      (await view.has('the printer', isOf(printer, 'usb'))).interfaces?.map((each) => each.driver);
    assert.deepEqual(await driver(), ['usblp']);
    assert.equal(await errorOf(device, 'claim', 0), 'NetworkError', 'usblp has it');
    await configureDevices(device, { usb: { allow_driver_detach: true } });
    await call(device, 'claim', 0);
    await call(device, 'close');
    await waitFor(async () => (await device.shell.run('ls -d /sys/bus/usb/drivers/usblp/*:*')).code === 0, {
      timeoutMs: WAIT_MS,
      what: 'the driver to have the printer again',
    });
    await configureDevices(device, { usb: { allow_driver_detach: false } });
    await unplugged(printer);
  });
}
