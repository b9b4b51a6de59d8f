/** The view "Wi-Fi" with a fake radio: what is done by clicking is confirmed at the radio and in the configuration. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { SeenNetwork } from '../../agent/src/resources/wifi/ports.ts';
import { waitFor } from '../../testing/wait.ts';
import { wifiSettingsIn } from '../src/views/wifi/wifi-settings.ts';
import {
  checkAccessibility,
  checkTargets,
  checkWidth,
  LANGUAGES,
  Stage,
  savePicture,
  THEMES,
  WIDTHS,
  waitForView,
} from './stage.ts';
import { WifiStandIn } from './wifi-stand-in.ts';

const SOON = { timeoutMs: 60_000, intervalMs: 50 };
const NO_WIFI = { wifi: null };

let stage: Stage;
let wifi: WifiStandIn;
before(async () => {
  stage = await Stage.create();
  await stage.client.patch('/config', { json: { device: { name: 'Lobby screen' } } });
});
after(async () => {
  await wifi?.stop();
  await stage.close();
});

/** The view, with a radio and a configuration as new. */
async function open(config: object = NO_WIFI, options: Parameters<Stage['open']>[0] = {}): Promise<Page> {
  await stage.client.patch('/config', { json: NO_WIFI });
  await stage.client.patch('/config', { json: { ...config } });
  await wifi?.stop();
  wifi = await WifiStandIn.open(stage.client);
  return await reopen(options);
}

async function reopen(options: Parameters<Stage['open']>[0] = {}): Promise<Page> {
  const page = await stage.open({ path: '/wifi', prepare: (one) => wifi.serve(one), ...options });
  await waitForView(page);
  return page;
}

const settings = async () => wifiSettingsIn(await stage.client.get('/config'));
const seen = (ssid: string, signalDbm: number, security: SeenNetwork['security'] = 'wpa2'): SeenNetwork => ({
  ...{ ssid, signalDbm, security },
  ...{ bssid: '02:00:00:00:00:01', frequencyMhz: 2412 },
});
const SEEN = [
  seen('Shop', -48),
  seen('<b>Café</b> "Zürich"', -62, 'wpa3'),
  seen('Guests', -70, 'open'),
  seen('Office', -79, 'enterprise'),
  seen('', -60),
];
const SHOP = { ssid: 'Shop', psk: 'correct horse', priority: 1 };
const ON = { wifi: { enabled: true, country: 'DE', networks: [SHOP] } };

async function scan(page: Page): Promise<void> {
  const { scans } = wifi.radio;
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('progressbar', { name: 'Searching' }).waitFor();
  await waitFor(() => wifi.radio.scans > scans, { ...SOON, what: 'a scan' });
  wifi.radio.endScan(SEEN);
  await page.getByText('4 networks found. 1 access point hides its name.').waitFor();
}

test('Wi-Fi is switched on for a country; a wrong passphrase is told and not kept, the right one joins', async () => {
  const page = await open();
  await page.getByText('Wi-Fi is off').first().waitFor();
  await page.getByLabel('Country').selectOption('CH');
  await page.getByRole('button', { name: 'Switch Wi-Fi on', exact: true }).click();
  await page.getByText('No stored network').waitFor();
  assert.deepEqual([(await settings()).country, wifi.radio.runs], ['CH', true]);

  await scan(page);
  const usual = wifi.radio.answer;
  wifi.radio.answer = () => ({ type: 'failed', code: 'wrong_passphrase' });
  await page.getByRole('button', { name: 'Join Shop' }).click();
  const form = page.getByRole('form', { name: 'Join Shop' });
  await form.getByLabel('Passphrase', { exact: true }).fill('short');
  await form.getByRole('button', { name: 'Join', exact: true }).click();
  await form.getByText('A passphrase has 8 to 63 characters').waitFor();
  await scan(page);
  assert.equal(await form.getByLabel('Passphrase', { exact: true }).inputValue(), 'short');
  await form.getByLabel('Passphrase', { exact: true }).fill('wrong horse');
  await page.keyboard.press('Enter');
  await form.getByText('The passphrase is wrong. Type it again').waitFor();
  assert.deepEqual((await settings()).networks, []);
  await savePicture(page, 'wifi-wrong-light-1440');

  wifi.radio.answer = usual;
  await form.getByLabel('Passphrase', { exact: true }).fill('correct horse');
  await page.keyboard.press('Enter');
  await page.getByText('Connected to Shop').first().waitFor();
  await form.waitFor({ state: 'detached' });
  assert.deepEqual((await settings()).networks, [{ ...SHOP, priority: 0 }]);
  await page.locator('.toast-good', { hasText: 'Connected to Shop' }).waitFor();
  // Not necessarily the last one: once joined, the other stored networks are allowed again.
  const isJoined = wifi.radio.setups.some(
    (one) => one?.mode === 'station' && one.only === 'Shop' && one.networks[0]?.psk === SHOP.psk,
  );
  assert.ok(isJoined);
  await page.close();
});

test('a hidden network is stored, preferred and removed; a lost connection is seen at once', async () => {
  const page = await open(ON);
  await page.getByText('Connected to Shop').waitFor();
  await page.getByRole('button', { name: 'Hidden network' }).click();
  const form = page.getByRole('form', { name: 'Hidden network' });
  await form.getByLabel('Name of the network').fill('Back office');
  await form.getByLabel('Passphrase', { exact: true }).fill('battery staple');
  await form.getByRole('button', { name: 'Save without joining', exact: true }).click();
  await page.getByRole('button', { name: 'Prefer Back office' }).click();
  const order = page.getByRole('list', { name: 'Stored networks' }).locator('.item-title');
  await waitFor(async () => (await order.allTextContents()).join() === 'Back office,Shop', {
    ...SOON,
    what: 'the order',
  });
  await page.getByRole('button', { name: 'Remove Shop' }).click();
  await page.getByRole('dialog').getByText('The device does not join it any more').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.deepEqual((await settings()).networks, [
    { ssid: 'Back office', psk: 'battery staple', priority: 1 },
  ]);
  await page.getByText('Connected to Back office').waitFor();
  wifi.radio.emit({ type: 'link', link: { phase: 'searching' } });
  wifi.radio.emit({ type: 'failed', code: 'refused' });
  await page.getByText('The access point refuses this device.').waitFor();
  await page.close();
});

test('who reaches the device over this network is warned before leaving it', async () => {
  const page = await open(ON);
  wifi.addresses = ['127.0.0.1'];
  await page.reload();
  await page.getByText('Connected to Shop').waitFor();
  await page.getByRole('button', { name: 'Switch Wi-Fi off', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('This page reaches the device over this network').waitFor();
  await checkAccessibility(page, 'wifi-cut');
  await dialog.getByRole('button', { name: 'Switch Wi-Fi off', exact: true }).click();
  await page.getByText('Choose the country where the device is').waitFor();
  assert.deepEqual([(await settings()).enabled, wifi.radio.runs], [false, false]);
  await page.close();
});

test('the access point starts after a question, shows how to join it, and stops', async () => {
  const page = await open(ON);
  const form = page.getByRole('form', { name: 'Access point' });
  await form.getByRole('button', { name: 'Start the access point', exact: true }).click();
  await form.getByText('A passphrase has 8 to 63 characters').waitFor();
  await form.getByRole('button', { name: 'Suggest a passphrase' }).click();
  const psk = await form.getByLabel('Passphrase', { exact: true }).inputValue();
  await form.getByLabel('Name (SSID)').fill('Café; "Lobby"');
  await form.getByLabel('Also after a restart of the device').check();
  await form.getByRole('button', { name: 'Start the access point', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Leave Shop?' });
  await dialog.getByRole('button', { name: 'Start the access point', exact: true }).click();
  await page.getByText('The device is the access point Café; "Lobby"').waitFor();
  await page.locator('.toast-good', { hasText: 'The access point is on' }).waitFor();
  const setup = wifi.radio.setups.at(-1);
  assert.ok(setup?.mode === 'ap' && setup.ssid === 'Café; "Lobby"' && setup.psk === psk);
  assert.equal((await settings()).mode, 'ap');
  wifi.radio.emit({ type: 'stations', count: 2 });
  await page.getByText('2 devices').waitFor();
  await page.getByText('How to join').click();
  await page.getByRole('img', { name: /QR code to join Café; "Lobby"/ }).waitFor();
  await page.getByText(psk).waitFor();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await savePicture(page, `wifi-ap-light-${width}`);
  }
  await page.getByRole('button', { name: 'Switch the access point off', exact: true }).click();
  await page.getByText('Connected to Shop').waitFor();
  await page.locator('.toast-good', { hasText: 'The access point is off' }).waitFor();
  assert.equal((await settings()).mode, 'station');
  await page.close();
});

test('axe finds nothing while Wi-Fi is on, and nothing is cut off', async () => {
  const page = await open(ON);
  await scan(page);
  await page.getByRole('button', { name: /^Join <b>Café/ }).click();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      await savePicture(page, `wifi-on-${theme}-${width}`);
      await checkAccessibility(page, `wifi-on-${theme}-${width}`);
    }
    await checkTargets(page, `wifi-on-${width}`);
    await checkWidth(page, `wifi-on-${width}`);
  }
  await page.close();
  for (const language of LANGUAGES) {
    const other = await reopen({ language, width: 360 });
    await checkWidth(other, `wifi-on-${language}`);
    await savePicture(other, `wifi-on-${language}-360`);
    await other.close();
  }
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
