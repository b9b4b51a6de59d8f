/**
 * Peripherals of a page on emulated hardware: HID devices by uhid, serial ports and USB devices by gadgets, behind the kernel's
 * interfaces (ci/peripherals/). The programs that drive them, their native modules and the browser are those of the image.
 */
import assert from 'node:assert/strict';
import { PeripheralsLab } from '../../ci/peripherals/peripherals-lab.ts';
import { PageServer } from '../harness/pages.ts';
import {
  call,
  configureDevices,
  PeripheralView,
  peripheralPage,
  peripherals,
  showPage,
} from '../harness/peripheral-device.ts';
import { hidTests } from '../harness/peripheral-hid-tests.ts';
import { hostileTests } from '../harness/peripheral-hostile-tests.ts';
import { libraryTests } from '../harness/peripheral-library-tests.ts';
import { serialTests } from '../harness/peripheral-serial-tests.ts';
import { usbTests } from '../harness/peripheral-usb-tests.ts';
import { scenario } from '../harness/suite.ts';

export default scenario({
  title:
    'WebHID, Web Serial and WebUSB: pages use what the policy allows, and find nothing else; libraries run unchanged',
  needs: 'machine',
  parts: ['peripherals', 'gadget'],
  machine: 'restored',
  run: async (context) => {
    const { device, pages, test } = context;
    // Scripts wait for pages and devices, which take long on an emulated device.
    await device.act('PATCH', '/config', { browser: { script_timeout_ms: 60_000 } });
    await test('on a new device pages have no interface', async () => {
      await showPage(device, pages.add(await peripheralPage('hid')));
      assert.equal(await call(device, 'found'), null);
      assert.ok((await peripherals(device)).peripherals.every(({ open_by }) => open_by === null));
    });
    const other = await PageServer.start();
    const lab = await PeripheralsLab.start(device.shell);
    const view = await PeripheralView.open(device);
    try {
      const shared = { ...context, lab, view, other };
      await hidTests(shared);
      await serialTests(shared);
      await usbTests(shared);
      await libraryTests(shared);
      await hostileTests(shared);
    } finally {
      await view.close();
      await lab.stop();
      await other.close();
      await configureDevices(device, null);
      await device.act('PATCH', '/config', { browser: null });
      await device.showWaiting();
    }
  },
});
