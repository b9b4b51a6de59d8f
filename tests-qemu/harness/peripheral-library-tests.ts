/** Libraries from npm, unchanged, against models of the devices that they are for. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { MAC } from '../../ci/peripherals/guest/serial/esp-rom.ts';
import type { LabUsb } from '../../ci/peripherals/peripherals-lab.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import { call, configureDevices, isOf, peripheralPage, showPage, WAIT_MS } from './peripheral-device.ts';
import type { PeripheralContext } from './peripheral-tests.ts';

const HONEYWELL = { vendor: 0x0c2e, product: 0x0b61 };
const EPSON = { vendor: 0x04b8, product: 0x0e15 };
const SERIAL_PRINTER = { vendor: 0x1209, product: 0x50 };
const ESPRESSIF = { vendor: 0x303a, product: 0x1001 };
const EAN = '4006381333931';
/** What Honeywell's scanners call EAN-13. */
const EAN_SYMBOLOGY = 100;
const FLASH_OFFSET = 0x1000;
const IMAGE = Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7) & 0xff));
/** DLE EOT 1. */
const STATUS_REQUEST = '100401';
const PRINTER_WORKS = '12';

export async function libraryTests({
  device,
  test,
  longTest,
  pages,
  lab,
  view,
}: PeripheralContext): Promise<void> {
  const url = pages.add(await peripheralPage('libraries'));
  await configureDevices(device, {
    origins: [pages.origin],
    hid: { enabled: true, allow: [{ vendorId: HONEYWELL.vendor, productId: HONEYWELL.product }] },
    serial: {
      enabled: true,
      allow: [SERIAL_PRINTER, ESPRESSIF].map(({ vendor, product }) => ({
        usbVendorId: vendor,
        usbProductId: product,
      })),
    },
    usb: {
      enabled: true,
      allow_driver_detach: true,
      allow: [{ vendorId: EPSON.vendor, productId: EPSON.product, classCode: 7, subclass: 1, protocol: 2 }],
    },
  });
  const use = async (kind: 'serial' | 'usb', usb: LabUsb, work: () => Promise<void>): Promise<void> => {
    await usb.plug();
    try {
      await view.has('the device', (each) => isOf(usb, kind)(each) && each.state === 'allowed');
      await showPage(device, url);
      await work();
    } finally {
      await usb.unplug();
      await view.hasNot('the device', isOf(usb, kind));
    }
  };
  const printed = async (usb: LabUsb, result: unknown): Promise<void> => {
    const expected = `${String(field(result, 'receipt'))}${STATUS_REQUEST}`;
    let got = '';
    await waitFor(
      async () => {
        got += (await usb.take()).toString('hex');
        return got.length >= expected.length;
      },
      { timeoutMs: WAIT_MS, what: 'the receipt' },
    );
    assert.equal(got, expected);
    assert.equal(field(result, 'answer'), PRINTER_WORKS);
  };

  // On a device the fast run has esptool-js only; peripheral-pages.test.ts runs all of them with the same models.
  await longTest('@point-of-sale/webhid-barcode-scanner reads a bar code', async () => {
    const scanner = await lab.hid('scanner', HONEYWELL);
    await view.has('the scanner', (each) => isOf(scanner, 'hid')(each) && each.state === 'allowed');
    await showPage(device, url);
    assert.equal(await call(device, 'scanner'), 'Lab scanner');
    assert.deepEqual(await scanner.sent(), [{ kind: 'feature', reportId: 254, data: '01' }]);
    await scanner.scan(EAN, ']E0', EAN_SYMBOLOGY);
    assert.deepEqual(await call(device, 'scanned'), [EAN, 'ean13']);
    await scanner.unplug();
  });

  await longTest('@point-of-sale/webusb-receipt-printer prints and reads the status', async () => {
    const printer = await lab.usb('printer', EPSON);
    await use('usb', printer, async () => {
      const result = await call(device, 'printByUsb');
      assert.equal(field(result, 'type'), 'usb');
      await printed(printer, result);
    });
  });

  await longTest('@point-of-sale/webserial-receipt-printer prints and reads the status', async () => {
    const printer = await lab.serial('printer', SERIAL_PRINTER);
    await use('serial', printer, async () => {
      const result = await call(device, 'printBySerial');
      assert.equal(field(result, 'type'), 'serial');
      await printed(printer, result);
    });
  });

  await test('esptool-js finds a chip, reads its address and writes its flash', async () => {
    const chip = await lab.serial('esp', ESPRESSIF);
    await use('serial', chip, async () => {
      const result = await call(device, 'flash', FLASH_OFFSET, IMAGE.toString('hex'));
      const digest = createHash('md5').update(IMAGE).digest('hex');
      assert.deepEqual(result, { chip: 'ESP32-C3', mac: MAC, digest });
      const flash = await chip.take();
      assert.deepEqual(flash.subarray(FLASH_OFFSET, FLASH_OFFSET + IMAGE.length), IMAGE);
    });
  });
  await configureDevices(device, null);
}
