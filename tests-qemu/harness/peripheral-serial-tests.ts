/** The tests of Web Serial, with serial ports by the kernel's ACM gadget. */
import assert from 'node:assert/strict';
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
  waitForPageEvent,
} from './peripheral-device.ts';
import type { PeripheralContext } from './peripheral-tests.ts';

const BAUD = 115_200;
const ECHO_BYTES = 64 * 1024;

export async function serialTests({
  device,
  test,
  longTest,
  pages,
  lab,
  view,
}: PeripheralContext): Promise<void> {
  const url = pages.add(await peripheralPage('serial'));
  const scale = await lab.serial('scale');
  const echo = await lab.serial('echo');
  const isPort = isOf(echo, 'serial');
  const entry = { usbVendorId: echo.vendor, usbProductId: echo.product };
  const allow = (allowed: object[], enabled = true): Promise<void> =>
    configureDevices(device, { origins: [pages.origin], serial: { enabled, allow: allowed } });

  await test('a page asks a scale on a serial port for its weight', async () => {
    await scale.plug();
    const { state, suggestion, usb_device, serial_number } = await view.has('the port', isPort);
    assert.deepEqual([state, suggestion, serial_number], ['not_allowed', entry, 'TTY-1']);
    await view.has('the USB device of the port', ({ kind, id }) => kind === 'usb' && id === usb_device);
    await allow([entry]);
    await view.has('an allowed one', (each) => isPort(each) && each.state === 'allowed' && each.rule === 0);
    await showPage(device, url);
    assert.deepEqual(await call(device, 'found'), [entry]);
    assert.deepEqual(await call(device, 'requested', [entry]), entry);
    assert.equal(await errorOf(device, 'requested', [{ usbVendorId: 1 }]), 'NotFoundError');
    await call(device, 'open', BAUD);
    await view.has('the port in use', (each) => isPort(each) && each.open_by === pages.origin);
    assert.equal(await errorOf(device, 'open', BAUD), 'InvalidStateError');
    assert.equal(await call(device, 'line', 'W'), 'ST,GS,  1.234 kg');
    assert.equal(await call(device, 'line', 'X'), 'ES');
    const signals = await call(device, 'signals', { dataTerminalReady: true, requestToSend: true });
    assert.ok(typeof signals === 'object' && signals !== null);
    assert.deepEqual(Object.keys(signals).sort(), [
      'clearToSend',
      'dataCarrierDetect',
      'dataSetReady',
      'ringIndicator',
    ]);
    await call(device, 'close');
    await view.has('the port closed', (each) => isPort(each) && each.open_by === null);
    await scale.unplug();
    await waitForPageEvent(device, 'disconnect');
    await view.hasNot('the port', isPort);
  });

  await test('an entry that misses in one field, or a kind that is not enabled, allows no port', async () => {
    await echo.plug();
    await view.has('the port', (each) => isPort(each) && each.state === 'allowed');
    const cases: [string, object, boolean][] = [
      ['another vendor', { ...entry, usbVendorId: entry.usbVendorId + 1 }, true],
      ['another product', { ...entry, usbProductId: entry.usbProductId + 1 }, true],
      ['not enabled', entry, false],
    ];
    for (const [why, missing, enabled] of cases) {
      await allow([missing], enabled);
      await findsNothing(device, why);
    }
    await allow([entry]);
    await showPage(device, url);
    assert.deepEqual(await call(device, 'found'), [entry]);
  });

  await test('64 KiB go and come back as they were, at once', async () => {
    await call(device, 'open', BAUD);
    const result = await call(device, 'echo', ECHO_BYTES);
    assert.partialDeepStrictEqual(result, { same: ECHO_BYTES });
    device.say(`64 KiB to and fro: ${JSON.stringify(result)}`);
    await call(device, 'close');
  });

  const use = async (): Promise<void> => {
    await openSoon(device, BAUD);
    // The port may still have what it sent when it was closed.
    await call(device, 'settle');
    assert.partialDeepStrictEqual(await call(device, 'echo', 100), { same: 100 });
    await begin(device, 'echoForever');
  };

  await test('a port is unplugged in use, and used again', async () => {
    await use();
    await device.runScript('events.splice(0); 0');
    await echo.unplug();
    await takenAway(device);
    await waitForPageEvent(device, 'disconnect');
    await view.hasNot('the port', isPort);
    await echo.plug();
    await waitForPageEvent(device, 'connect');
    await use();
    await showPage(device, url);
    await view.has('the port closed', (each) => isPort(each) && each.open_by === null);
  });

  // The agent does the same for each kind; the fast run does it with a HID device.
  await longTest('a port is taken away in use: not allowed any more, its program killed', async () => {
    await use();
    await allow([]);
    await takenAway(device);
    await view.has('the port that is not allowed', (each) => isPort(each) && each.state === 'not_allowed');
    await findsNothing(device, 'without the entry');
    await allow([entry]);

    await use();
    const { id } = await view.has('the port in use', (each) => isPort(each) && each.open_by !== null);
    await killUserOf(device, `/dev/${id}`);
    await takenAway(device);
    await use();
    await showPage(device, url);
    await view.has('the port closed', (each) => isPort(each) && each.open_by === null);
  });
  await echo.unplug();
}
