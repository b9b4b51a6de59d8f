/** Updates: a bundle is installed, started and confirmed, or given up, with the agent's own rules. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { FakePage } from '../../testing/fake-page.ts';
import { waitFor } from '../../testing/wait.ts';
import { Appliance } from './appliance.ts';
import {
  checkAccessibility,
  checkTargets,
  checkWidth,
  LANGUAGES,
  Stage,
  savePicture,
  WIDTHS,
} from './stage.ts';

const SOON = { timeoutMs: 60_000, intervalMs: 50 };

let appliance: Appliance;
let stage: Stage;
before(async () => {
  stage = await Stage.create(async () => {
    appliance = await Appliance.start();
    return appliance;
  });
});
after(() => stage.close());

/** A bundle as far as the app and the agent look at it: superblock, signature with the manifest, its size. */
function bundle(version: string, bytes = 300_000): { name: string; mimeType: string; buffer: Buffer } {
  const payload = Buffer.alloc(bytes);
  payload.write('hsqs');
  payload.writeBigUInt64LE(BigInt(bytes - 4096), 40);
  const signature = Buffer.from(`\x30[update]\ncompatible=vitrine-test\nversion=${version}\n\n`, 'latin1');
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(signature.length));
  const buffer = Buffer.concat([payload, signature, size]);
  return { name: `vitrine-${version}.raucb`, mimeType: 'application/octet-stream', buffer };
}

async function choose(page: Page, file: ReturnType<typeof bundle>): Promise<void> {
  await page.locator('input[type=file]').setInputFiles(file);
}

/** A step of the update. */
function step(page: Page, state: string, text: string) {
  return page.locator(`.step-${state}`, { hasText: text });
}

async function confirmed(): Promise<void> {
  await waitFor(
    async () => {
      const { active_slot, slots } = await stage.client.get('/update');
      return slots[active_slot].state === 'good';
    },
    { ...SOON, what: 'the boot to be confirmed' },
  );
}

test('a file that is no whole bundle is not sent', async () => {
  await confirmed();
  const page = await stage.open({ path: '/update' });
  const whole = bundle('1.1.0');
  await choose(page, { ...whole, buffer: Buffer.from('PK\x03\x04 an archive') });
  await page.getByText('This file is not an update bundle.').waitFor();
  await choose(page, { ...whole, buffer: whole.buffer.subarray(0, 200_000) });
  await page.getByText('A part of this bundle is missing.').waitFor();
  await choose(page, whole);
  await page.getByText('vitrine-test').waitFor();
  await page.getByRole('button', { name: 'Another file' }).click();
  assert.equal(appliance.slots.request, undefined);
  assert.equal((await stage.client.get('/update')).pending, null);
  await page.close();
});

test('a bundle is sent and can be cancelled; one that RAUC refuses gives the reason', async () => {
  const page = await stage.open({ path: '/update' });
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  const limits = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 400_000 };
  await network.send('Network.emulateNetworkConditions', limits);
  await choose(page, bundle('1.1.0', 4_000_000));
  await page.getByRole('button', { name: 'Install', exact: true }).click();
  await step(page, 'running', 'Send').waitFor();
  await page.getByText(/ of 4 MB, .* per second/).waitFor();
  await savePicture(page, 'update-sending-1440');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Install', exact: true }).waitFor();
  assert.equal(await page.locator('.field-error').count(), 0);
  await network.send('Network.emulateNetworkConditions', { ...limits, uploadThroughput: -1 });
  await page.getByRole('button', { name: 'Install', exact: true }).click();
  await appliance.slots.begun();
  await step(page, 'running', 'Verify').waitFor();
  appliance.slots.fail('signature verification failed: no signer');
  await step(page, 'failed', 'Verify').waitFor();
  await page.getByText('The device does not accept this bundle').waitFor();
  await page.getByText('signature verification failed').waitFor();
  await checkAccessibility(page, 'update-refused');
  await savePicture(page, 'update-refused-1440');
  await page.close();
});

test('an update is verified, written, started later, and confirmed; a second tab sees it', async () => {
  const page = await stage.open({ path: '/update' });
  const second = await stage.open({ path: '/update', width: 360, height: 640 });
  await choose(page, bundle('1.1.0'));
  await page.getByRole('button', { name: 'Install', exact: true }).click();
  await appliance.slots.begun();
  await step(page, 'running', 'Verify').waitFor();
  appliance.slots.progress(0.7);
  await step(page, 'running', 'Write').waitFor();
  await step(second, 'running', 'Write').waitFor();
  await page.getByText('Being written').waitFor();
  await savePicture(second, 'update-writing-360');
  appliance.slots.finish('1.1.0');
  await page.getByText('Version 1.1.0 is installed.').waitFor();
  assert.equal((await stage.client.get('/update')).pending, '1.1.0');
  await savePicture(page, 'update-pending-1440');
  await page.getByRole('button', { name: 'Restart now', exact: true }).click();
  await appliance.goDown('reboot');
  await page.getByText(/The device starts the update, \d+ sec so far/).waitFor();
  await second.getByText(/The device starts the update, \d+ sec so far/).waitFor();
  await checkAccessibility(page, 'update-away');
  await savePicture(page, 'update-away-1440');
  await appliance.boot();
  // Nothing has appeared on the screen yet.
  await page.getByText('Not confirmed yet', { exact: true }).waitFor();
  await step(page, 'running', 'Confirm').waitFor();
  await savePicture(page, 'update-trial-1440');
  const screen = new FakePage(appliance.folder, stage.page.picture);
  await page.getByText('version 1.1.0 runs and is confirmed').waitFor();
  await page.getByText('The device has version 1.1.0 now.').waitFor();
  await page.getByText('Version 1.1.0 was started from slot B').waitFor();
  const status = await stage.client.get('/update');
  assert.deepEqual([status.active_slot, status.last_result?.outcome], ['b', 'success']);
  await second.getByText('Version 1.1.0 was started from slot B').waitFor();
  await savePicture(second, 'update-done-360');
  screen.close();
  await second.close();
  await page.close();
});

test('an update that restarts at once, and does not start, is given up with the reason', async () => {
  const screen = new FakePage(appliance.folder, stage.page.picture);
  await confirmed();
  const page = await stage.open({ path: '/update' });
  await choose(page, bundle('1.2.0'));
  await page.getByLabel('Restart as soon as it is installed').check();
  await page.getByRole('button', { name: 'Install', exact: true }).click();
  await appliance.slots.begun();
  appliance.slots.finish('1.2.0');
  await appliance.goDown('reboot');
  screen.close();
  await appliance.boot({ worksNot: true });
  const again = new FakePage(appliance.folder, stage.page.picture);
  await step(page, 'failed', 'Confirm').waitFor();
  await page.getByText('Version 1.2.0 in slot A did not work.').first().waitFor();
  await page.getByText('It has not started in three attempts.').first().waitFor();
  await page.getByText('Bad, does not start').waitFor();
  assert.equal((await stage.client.get('/update')).last_result?.outcome, 'rolled_back');
  assert.equal((await stage.client.get('/device')).version, '1.1.0');
  await checkAccessibility(page, 'update-given-up');
  await savePicture(page, 'update-given-up-1440');
  again.close();
  await page.close();
});

test('the fleet server is shown with what it waits for', async () => {
  const page = await stage.open({ path: '/update' });
  await page.getByText('No update server').waitFor();
  await stage.client.patch('/config', { json: { update: { hawkbit: { url: 'http://127.0.0.1:9' } } } });
  await page.reload();
  await page.getByText('The server cannot be reached').waitFor();
  await savePicture(page, 'update-fleet-1440');
  await stage.client.patch('/config', { json: { update: { hawkbit: { url: null } } } });
  await page.close();
});

test('nothing is wider than the window', async () => {
  for (const language of LANGUAGES) {
    const page = await stage.open({ path: '/update', language });
    await choose(page, bundle('1.3.0'));
    await page.getByText('vitrine-1.3.0.raucb').waitFor();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await checkWidth(page, `${language}, ${width}`);
      await checkTargets(page, `${language}, ${width}`);
    }
    await page.close();
  }
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
