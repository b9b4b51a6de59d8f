/** Pages that try to reach more than they are allowed, or to exhaust the agent. */
import assert from 'node:assert/strict';
import { errorMessage } from '../../agent/src/base/system-error.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import {
  agentMemory,
  begin,
  call,
  configureDevices,
  frameOutcome,
  framePage,
  isOf,
  peripheralPage,
  peripherals,
  showPage,
} from './peripheral-device.ts';
import type { PeripheralContext } from './peripheral-tests.ts';

const MESSAGES = 100_000;
/** Time limit for the page's calls when all are made. Those that have not ended then end with the page. */
const FLOOD_MS = 20_000;
/** Time limit for making all calls on a busy computer. */
const MAKE_MS = 400_000;
const MOST_GROWTH_MIB = 16;

export async function hostileTests({
  device,
  test,
  longTest,
  pages,
  lab,
  view,
  other,
}: PeripheralContext): Promise<void> {
  const html = await peripheralPage('hostile');
  const url = pages.add(html);
  const own = await lab.hid('vendor', { product: 0x60, name: 'Lab own' });
  const wanted = await lab.hid('vendor', { product: 0x61, name: 'Lab wanted' });
  await configureDevices(device, {
    origins: [pages.origin],
    hid: { enabled: true, allow: [{ vendorId: own.vendor, productId: own.product }] },
  });
  await view.has('the allowed device', (each) => isOf(own, 'hid')(each) && each.state === 'allowed');
  await showPage(device, url);
  const isUntouched = async (why: string): Promise<void> => {
    assert.deepEqual(await wanted.sent(), [], why);
    const { peripherals: all } = await peripherals(device);
    assert.equal(all.find(isOf(wanted, 'hid'))?.open_by, null, why);
  };

  // In the fast run page-peripherals.test.ts has the agent's bound, and browser-probe-devices.ts that of the browser.
  await longTest(`${MESSAGES} messages leave the agent as large as it was, and it answers`, async () => {
    await call(device, 'found');
    const before = await agentMemory(device);
    let most = before;
    let progress: unknown;
    let madeAt: number | undefined;
    await begin(device, 'flood', MESSAGES);
    await waitFor(
      async () => {
        most = Math.max(most, await agentMemory(device));
        await device.get('/device/peripherals');
        progress = await call(device, 'progress');
        if (field(progress, 'made') === MESSAGES) madeAt ??= performance.now();
        const isOver = madeAt !== undefined && performance.now() > madeAt + FLOOD_MS;
        return isOver || field(progress, 'ended') === MESSAGES;
      },
      { timeoutMs: MAKE_MS + FLOOD_MS, what: 'the flood to end', intervalMs: 500 },
    ).catch((error: unknown) => {
      throw new Error(`${errorMessage(error)}; calls: ${JSON.stringify(progress)}`);
    });
    device.say(`calls: ${JSON.stringify(progress)}`);
    await showPage(device, pages.add('<title>after the flood</title>'));
    const after = await agentMemory(device);
    device.say(`agent: ${before.toFixed(1)} MiB, at most ${most.toFixed(1)}, then ${after.toFixed(1)}`);
    assert.ok(most - before <= MOST_GROWTH_MIB, `it grew by ${(most - before).toFixed(1)} MiB`);
    await view.has('the device closed', (each) => isOf(own, 'hid')(each) && each.open_by === null);
    await isUntouched('flood');
  });

  await test('a page that replaces navigator.hid and what the shims use reaches no other device', async () => {
    await showPage(device, url);
    device.say(`${String(await call(device, 'tamper', pages.origin))} uses of its own device`);
    await isUntouched('tampered');
    await showPage(device, url);
    assert.equal(await call(device, 'found'), 1, 'the next page is as before');
  });

  await test('forged messages of a page that is not allowed, with an origin that is, reach nothing', async () => {
    await own.sent();
    await showPage(device, other.add(html));
    assert.equal(await call(device, 'found'), null);
    device.say(`the page sees ${String(await call(device, 'forge', pages.origin))} handlers of the browser`);
    // The answer of a later request shows that earlier messages have been handled.
    await device.get('/device/peripherals');
    assert.deepEqual(await own.sent(), []);
    await isUntouched('forged by another origin');
    await showPage(device, url);
    await call(device, 'forge', 'https://other.example');
    await device.get('/device/peripherals');
    await isUntouched('forged by the allowed origin');
    assert.equal(await call(device, 'found'), 1);
  });

  await test('a frame of another origin gets none of the objects of the page around it', async () => {
    await showPage(device, pages.add(framePage(other.add(html), 'parents')));
    const names = ['navigator', 'page', 'webkit', 'vitrine', 'document'];
    assert.deepEqual(await frameOutcome(device), { result: names.map((name) => `${name} SecurityError`) });
    await showPage(device, pages.add(framePage(other.add(html), 'found')));
    assert.deepEqual(await frameOutcome(device), { result: null });
    await isUntouched('from a frame');
  });

  await own.unplug();
  await wanted.unplug();
  await configureDevices(device, null);
}
