/** Maintenance: what is asked of the device is confirmed by what the agent asks of its power supply, and by files. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { strFromU8, unzipSync } from 'fflate';
import { FakePage } from '../../testing/fake-page.ts';
import { solidPng } from '../../testing/make-png.ts';
import { waitFor } from '../../testing/wait.ts';
import { contentOf } from './app-browser.ts';
import { Appliance } from './appliance.ts';
import {
  checkAccessibility,
  checkTargets,
  checkWidth,
  LANGUAGES,
  Stage,
  savePicture,
  WIDTHS,
  waitForView,
} from './stage.ts';

const SOON = { timeoutMs: 60_000, intervalMs: 50 };

let appliance: Appliance;
let stage: Stage;
/** The browser of the device after its first restart. */
let screen: FakePage | undefined;
before(async () => {
  stage = await Stage.create(async () => {
    appliance = await Appliance.start();
    return appliance;
  });
});
after(async () => {
  screen?.close();
  await stage.close();
});

/** Starts the system again, with a browser, so that its start is confirmed. */
async function boot(): Promise<void> {
  screen?.close();
  await appliance.boot();
  screen = new FakePage(appliance.folder, stage.page.picture);
}

test('the archive has state, settings without secrets and a picture', async () => {
  const psk = 'correct horse battery';
  await stage.client.patch('/config', { json: { wifi: { ap: { ssid: 'Lobby', psk } } } });
  const page = await stage.open({ path: '/maintenance' });
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  const file = await download;
  assert.match(file.suggestedFilename(), /^vitrine-serial-1-[\d-]+\.zip$/);
  const files = unzipSync(await contentOf(file));
  const config = strFromU8(files['config.json'] ?? new Uint8Array());
  assert.match(config, /"Lobby"/);
  assert.ok(!config.includes(psk));
  assert.match(strFromU8(files['device.json'] ?? new Uint8Array()), /"serial-1"/);
  assert.deepEqual([...(files['screen.png'] ?? [])].slice(1, 4), [...Buffer.from('PNG')]);
  await page.getByText('The file is in the downloads of this browser.').waitFor();
  await page.close();
});

test('a logo is checked, shown before it is used, set and removed', async () => {
  const page = await stage.open({ path: '/maintenance' });
  const builtIn = await stage.client.download('/files/splash');
  const [boot] = await page.locator('input[type=file]').all();
  assert.ok(boot);
  await boot.setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: Buffer.from('GIF89a, really') });
  await page.getByText('This file is not a PNG picture.').waitFor();
  const logo = solidPng(320, 180, [20, 120, 90]);
  await boot.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: logo });
  await page.getByRole('dialog').getByRole('img', { name: 'logo.png' }).waitFor();
  await checkAccessibility(page, 'maintenance-logo');
  await savePicture(page, 'maintenance-logo-1440');
  await page.getByRole('button', { name: 'Use this picture' }).click();
  await page.getByText('The device has the picture now.').waitFor();
  assert.deepEqual(Buffer.from(await stage.client.download('/files/splash')), logo);
  const what = 'Remove the picture: At the start and on the waiting page';
  await page.getByRole('button', { name: what, exact: true }).click();
  await page.getByText('The picture was removed.').waitFor();
  assert.deepEqual(await stage.client.download('/files/splash'), builtIn);
  await page.close();
});

test('the browser is restarted, which is done when the same is on the screen again', async () => {
  const page = await stage.open({ path: '/maintenance' });
  await stage.client.post('/display/navigate', { json: { url: 'http://a.example/menu' } });
  await waitFor(async () => !(await stage.client.get('/display')).loading, { ...SOON, what: 'the page' });
  const before = (await stage.client.get('/device/health')).browser.restarts;
  await page.getByRole('button', { name: 'Restart the browser', exact: true }).click();
  await waitFor(async () => (await stage.client.get('/display')).loading, { ...SOON, what: 'the restart' });
  stage.page.close();
  screen = new FakePage(appliance.folder, stage.page.picture);
  await page.getByText('The browser has restarted').waitFor();
  assert.equal((await stage.client.get('/display')).target_url, 'http://a.example/menu');
  assert.ok((await stage.client.get('/device/health')).browser.restarts > before);
  await page.close();
});

test('the device is restarted: away, and back with a smaller uptime', async () => {
  const page = await stage.open({ path: '/maintenance' });
  await page.getByRole('button', { name: 'Restart the device', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Restart the device?' });
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual(appliance.ended, []);
  await page.getByRole('button', { name: 'Restart the device', exact: true }).click();
  await dialog.getByRole('button', { name: 'Restart the device' }).click();
  await dialog.waitFor({ state: 'detached' });
  const uptime = (await stage.client.get('/device/health')).uptime_s;
  await appliance.goDown('reboot');
  await page.getByText(/The device is rebooting, \d+ sec so far/).waitFor();
  await checkAccessibility(page, 'maintenance-away');
  await savePicture(page, 'maintenance-away-1440');
  await boot();
  await page.getByText(/The device has restarted and is back after .* Version 1\.0\.0 runs\./).waitFor();
  await page.getByText(/The device is rebooting/).waitFor({ state: 'detached' });
  assert.ok((await stage.client.get('/device/health')).uptime_s < uptime);
  await page.close();
});

test('a lost connection is no restart', async () => {
  const page = await stage.open({ path: '/maintenance' });
  await page.getByRole('button', { name: 'Restart the device', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restart the device' }).click();
  await waitFor(() => appliance.ended[0] === 'reboot', { ...SOON, what: 'the request' });
  appliance.ended.splice(0);
  stage.gate.cut();
  await page.getByText(/The device is rebooting/).waitFor();
  stage.gate.mend();
  await page.getByText('Only the connection was lost').waitFor();
  await page.close();
});

test('a reset needs the serial number, and says what is deleted and what is kept', async () => {
  await stage.client.patch('/config', { json: { device: { name: 'Lobby' } } });
  const page = await stage.open({ path: '/maintenance', width: 360, height: 640 });
  await page.getByRole('button', { name: 'Reset to factory settings', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete everything on this device?' });
  await dialog.getByRole('heading', { name: 'Kept' }).waitFor();
  await checkAccessibility(page, 'maintenance-reset');
  await checkTargets(page, 'maintenance-reset');
  await savePicture(page, 'maintenance-reset-360');
  const confirm = dialog.getByRole('button', { name: 'Reset to factory settings' });
  const field = dialog.getByLabel('Type the serial number of the device');
  await field.fill('serial-2');
  assert.equal(await confirm.isDisabled(), true);
  await field.fill('serial-1');
  await field.press('Enter');
  await appliance.goDown('reboot');
  assert.equal(appliance.isReset, true);
  await page.getByText(/The device is being reset, \d+ sec so far/).waitFor();
  await boot();
  await page.getByText(/The device was reset and is back after/).waitFor();
  assert.equal((await stage.client.get('/device')).name, 'Vitrine');
  await page.close();
});

test('the device is switched off', async () => {
  const page = await stage.open({ path: '/maintenance' });
  await page.getByRole('button', { name: 'Switch the device off', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Switch the device off' }).click();
  await appliance.goDown('shutdown');
  await page.getByText(/The device was switched off \d+ sec ago/).waitFor();
  await page.close();
});

test('nothing is wider than the window', async () => {
  await boot();
  for (const language of LANGUAGES) {
    const page = await stage.open({ path: '/maintenance', language });
    await waitForView(page);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await checkWidth(page, `${language}, ${width}`);
      await checkTargets(page, `${language}, ${width}`);
      if (language === 'de') await savePicture(page, `maintenance-de-${width}`);
    }
    await checkAccessibility(page, language);
    await page.close();
  }
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
