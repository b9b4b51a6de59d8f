/** The tests of WebHID, with devices by uhid. */
import assert from 'node:assert/strict';
import type { LabHid } from '../../ci/peripherals/peripherals-lab.ts';
import { waitFor } from '../../testing/wait.ts';
import {
  begin,
  call,
  configureDevices,
  errorOf,
  findsNothing,
  frameOutcome,
  framePage,
  isOf,
  killUserOf,
  openSoon,
  peripheralPage,
  peripherals,
  showPage,
  takenAway,
  WAIT_MS,
  waitForPageEvent,
} from './peripheral-device.ts';
import type { PeripheralContext } from './peripheral-tests.ts';

const USAGE_PAGE = 0xff00;
const REPORT = '0102030405060708';
/** The identity of the device's own gadget, which its own emulated host sees. */
const GADGET = { vendor: 0x1d6b, product: 0x0104 };

export async function hidTests({ device, test, pages, lab, view, other }: PeripheralContext): Promise<void> {
  const html = await peripheralPage('hid');
  const url = pages.add(html);
  const vendor = await lab.hid('vendor', { product: 1 });
  const isVendor = isOf(vendor, 'hid');
  const entry = { vendorId: vendor.vendor, productId: vendor.product };
  const whole = { ...entry, usagePage: USAGE_PAGE, usage: 1 };
  const allow = (allowed: object[], more: object = {}): Promise<void> =>
    configureDevices(device, { origins: [pages.origin], hid: { enabled: true, allow: allowed }, ...more });
  const isOpen = async (origin: string | null): Promise<void> => {
    await view.has(`the device opened by ${origin}`, (each) => isVendor(each) && each.open_by === origin);
  };

  await test('what is plugged in is listed with the entry that would allow it, or as protected', async () => {
    const { state, suggestion, usages, rule, origins, open_by } = await view.has('the device', isVendor);
    assert.deepEqual([state, rule, origins, open_by], ['not_allowed', null, [], null]);
    assert.partialDeepStrictEqual(suggestion, entry);
    assert.deepEqual(usages, [{ usage_page: USAGE_PAGE, usage: 1 }]);
    const key = await lab.hid('fido', { product: 0x10 });
    const fido = await view.has('a security key', isOf(key, 'hid'));
    assert.deepEqual([fido.state, fido.suggestion], ['protected', null]);
    await key.unplug();
    await view.hasNot('the security key', isOf(key, 'hid'));
    const { host_port, peripherals: all } = await peripherals(device);
    assert.equal(host_port, true);
    const own = all.filter((each) => isOf(GADGET, each.kind)(each));
    assert.ok(own.length > 0, JSON.stringify(all));
    for (const each of own) assert.deepEqual([each.state, each.suggestion], ['protected', null]);
    assert.ok(!all.some(({ id }) => id.startsWith('ttyGS')));
  });

  await test('a page of an allowed origin uses the device that the suggested entry allows', async () => {
    const { suggestion } = await view.has('the device', isVendor);
    await configureDevices(device, { hid: { allow: [suggestion] } });
    const disabled = await view.has('a disabled one', (each) => isVendor(each) && each.state === 'disabled');
    assert.deepEqual([disabled.rule, disabled.origins], [0, []]);
    await configureDevices(device, { origins: [pages.origin], hid: { enabled: true } });
    const allowed = await view.has('an allowed one', (each) => isVendor(each) && each.state === 'allowed');
    assert.deepEqual(
      [allowed.rule, allowed.reason, allowed.suggestion, allowed.origins],
      [0, null, null, [pages.origin]],
    );

    await showPage(device, url);
    assert.equal((await peripherals(device)).page_origin, pages.origin);
    assert.deepEqual(await call(device, 'found'), [
      { ...entry, productName: 'Lab vendor', collections: [[USAGE_PAGE, 1]] },
    ]);
    assert.deepEqual(await call(device, 'requested', [{ vendorId: vendor.vendor }]), ['Lab vendor']);
    assert.deepEqual(await call(device, 'requested', [{ vendorId: 0x1234 }]), []);
    assert.equal(await call(device, 'open'), true);
    await isOpen(pages.origin);
    await vendor.sent();
    assert.deepEqual(await call(device, 'echo', 0, REPORT), { id: 0, data: REPORT });
    assert.equal(await call(device, 'feature', 0), '09080706');
    await call(device, 'sendFeature', 0, '0a0b0c0d');
    assert.deepEqual(await vendor.sent(), [
      { kind: 'output', reportId: 0, data: REPORT },
      { kind: 'feature', reportId: 0, data: '0a0b0c0d' },
    ]);
    assert.equal(await call(device, 'feature', 0), '0a0b0c0d');
    await call(device, 'close');
    await isOpen(null);
    assert.equal(await errorOf(device, 'send', 0, REPORT), 'InvalidStateError');
  });

  await test('an entry that misses in one field, or a kind that is not enabled, allows nothing', async () => {
    const cases: [string, object, object?][] = [
      ['another vendor', { ...whole, vendorId: entry.vendorId + 1 }],
      ['another product', { ...whole, productId: entry.productId + 1 }],
      ['another usage page', { ...whole, usagePage: USAGE_PAGE + 1 }],
      ['another usage', { ...whole, usage: 2 }],
      ['not enabled', whole, { hid: { enabled: false } }],
    ];
    for (const [why, missing, more] of cases) {
      await allow([missing], more);
      await findsNothing(device, why);
    }
    await allow([whole]);
    await showPage(device, url);
    assert.equal(await call(device, 'open'), true, 'with the whole entry');
  });

  await test('other origins, frames and the next page find nothing, and a navigation closes the device', async () => {
    await isOpen(pages.origin);
    const unlisted = other.add(html);
    await showPage(device, unlisted);
    assert.equal(await call(device, 'found'), null, 'the next page, of an origin that is not listed');
    await isOpen(null);
    for (const [why, framed] of [
      ['a frame of the same origin', url],
      ['a frame of another origin', unlisted],
    ] as const) {
      await showPage(device, pages.add(framePage(framed, 'found')));
      assert.deepEqual(await frameOutcome(device), { result: null }, why);
    }
    await showPage(device, other.add(framePage(url, 'found')));
    assert.deepEqual(await frameOutcome(device), { result: null }, 'an allowed page in a frame of another');
    const { port, hostname } = new URL(pages.origin);
    for (const origin of [`https://${hostname}:${port}`, `http://${hostname}:${Number(port) + 1}`]) {
      await allow([whole], { origins: [origin] });
      await showPage(device, url);
      assert.equal(await call(device, 'found'), null, `only ${origin} is allowed`);
    }
    await allow([whole]);
    await showPage(device, url);
    assert.equal(await call(device, 'open'), true, 'allowed again');
  });

  await test('a keyboard beside a vendor’s collection: pages see and reach the latter only', async () => {
    const composite = await lab.hid('composite', { product: 2 });
    await allow([{ vendorId: composite.vendor, productId: composite.product }]);
    await view.has('the keyboard', (each) => isOf(composite, 'hid')(each) && each.state === 'allowed');
    await showPage(device, url);
    assert.partialDeepStrictEqual(await call(device, 'found'), [
      { productName: 'Lab composite', collections: [[USAGE_PAGE, 1]] },
    ]);
    await call(device, 'open');
    assert.deepEqual(await call(device, 'shape'), [[[2], [2], [2]]]);
    assert.match(String(await errorOf(device, 'send', 1, '01')), /Error$/);
    await composite.sent();
    // A key is pressed and released before the answer comes.
    await composite.input(Buffer.from('010000040000000000', 'hex'));
    await composite.input(Buffer.from('010000000000000000', 'hex'));
    assert.deepEqual(await call(device, 'echo', 2, REPORT), { id: 2, data: REPORT });
    assert.equal(await device.runScript("events.includes('report 1')"), false);
    assert.deepEqual(await composite.sent(), [{ kind: 'output', reportId: 2, data: REPORT }]);
    await composite.unplug();
  });

  await test('a device is taken away in use: not allowed any more, unplugged, its program killed', async () => {
    await allow([whole]);
    await showPage(device, url);
    const use = async (): Promise<void> => {
      await openSoon(device);
      await begin(device, 'sendForever');
      await waitForReports(vendor);
    };
    await use();
    await allow([{ ...whole, usage: 2 }]);
    await takenAway(device);
    await isOpen(null);
    await findsNothing(device, 'after the entry was changed');
    await allow([whole]);

    await use();
    await vendor.unplug();
    await takenAway(device);
    await waitForPageEvent(device, 'disconnect Lab vendor');
    await view.hasNot('the device', isVendor);
    await vendor.plug();
    await waitForPageEvent(device, 'connect Lab vendor');

    await use();
    const { id } = await view.has('the device', (each) => isVendor(each) && each.open_by !== null);
    await killUserOf(device, `/dev/${id}`);
    await takenAway(device);
    await openSoon(device);
    assert.deepEqual(await call(device, 'echo', 0, REPORT), { id: 0, data: REPORT });
    await call(device, 'close');
  });
  await vendor.unplug();
}

async function waitForReports(device: LabHid): Promise<void> {
  await device.sent();
  await waitFor(async () => (await device.sent()).length > 0, {
    timeoutMs: WAIT_MS,
    what: 'reports of the page',
  });
}
