/** The view "Settings": what is changed there is confirmed at the device, and the other way round. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Page } from 'playwright-core';
import { waitFor } from '../../testing/wait.ts';
import { valueAt } from '../src/views/settings/json.ts';
import { contentOf, type OpenOptions } from './app-browser.ts';
import {
  checkAccessibility,
  checkTargets,
  checkWidth,
  LANGUAGES,
  Stage,
  savePicture,
  waitForView,
} from './stage.ts';

const SOON = { timeoutMs: 60_000, intervalMs: 50 };
/** Contrasts depend on the theme, and the rest on the size. */
const LOOKS = [
  { theme: 'light', size: { width: 360, height: 640 } },
  { theme: 'dark', size: { width: 1440, height: 900 } },
] as const;
const PSK = 'correct horse battery';

let stage: Stage;
before(async () => {
  stage = await Stage.create();
});
beforeEach(async () => {
  const groups = ['device', 'display', 'browser', 'audio', 'wifi', 'nfc', 'ui'];
  await stage.client.patch('/config', { json: Object.fromEntries(groups.map((name) => [name, null])) });
});
after(() => stage.close());

/** A value of the device. */
async function stored(name: string): Promise<unknown> {
  return valueAt(await stage.client.get('/config'), name.split('.'));
}

/** The view, with the settings that a search finds. */
async function open(query = '', options: OpenOptions = {}): Promise<Page> {
  const page = await stage.open({ path: '/settings', ...options });
  await waitForView(page);
  if (query !== '') await control(page, 'Search').fill(query);
  return page;
}

/** The bodies of the patches that a page sends. */
function patchesOf(page: Page): unknown[] {
  const bodies: unknown[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') bodies.push(request.postDataJSON());
  });
  return bodies;
}

const control = (page: Page, label: string) => page.getByLabel(label, { exact: true });
const save = (page: Page) => page.getByRole('button', { name: 'Save changes', exact: true });

test('fields of several kinds are found, changed and saved in one patch of what has changed', async () => {
  const page = await open();
  const sent = patchesOf(page);
  await page.getByRole('button', { name: /^Browser/ }).click();
  await control(page, 'browser.zoom').check();
  await control(page, 'browser.pointer').selectOption('never');
  await control(page, 'browser.languages').fill('de-CH\nfr\n');
  await control(page, 'Search').fill('memory of one page');
  await page.getByRole('group', { name: 'browser.memory_limit_mb' }).getByLabel('Own value').check();
  await page.getByText('1 of them has a mistake.').waitFor();
  await control(page, 'Own value of browser.memory_limit_mb').fill('512');
  await page.getByText('4 changes are not saved').waitFor();
  await control(page, 'Search').fill('power_schedule');
  await control(page, 'display.power_schedule').fill('[{"days": ["mon"], "on": "08:00", "off": "18:00"}');
  await page.getByText('This is not JSON.').waitFor();
  assert.ok(await save(page).isDisabled());
  await control(page, 'display.power_schedule').press('End');
  await control(page, 'display.power_schedule').pressSequentially(']');
  await save(page).click();
  await page.getByText('5 settings were saved.').waitFor();
  assert.deepEqual(sent, [
    {
      browser: { zoom: true, pointer: 'never', languages: ['de-CH', 'fr'], memory_limit_mb: 512 },
      display: { power_schedule: [{ days: ['mon'], on: '08:00', off: '18:00' }] },
    },
  ]);
  assert.deepEqual(await stored('browser.languages'), ['de-CH', 'fr']);
  assert.equal(await stored('browser.memory_limit_mb'), 512);
  await save(page).waitFor({ state: 'detached' });
  await page.close();
});

test('what differs from the default is marked and found, and reset alone', async () => {
  await stage.client.patch('/config', { json: { audio: { volume: 35 }, device: { name: 'Lobby' } } });
  const page = await open();
  await control(page, 'Not default').check();
  const volume = page.locator('.settings-field', { hasText: 'audio.volume' });
  await volume.getByText('Default: 80 %').waitFor();
  await volume.getByText('Not default').waitFor();
  assert.equal(await page.locator('.settings-field').count(), 2);
  await page.getByRole('button', { name: 'Reset audio.volume to its default' }).click();
  await volume.getByText('Not saved').waitFor();
  assert.equal(await control(page, 'audio.volume').inputValue(), '80');
  const sent = patchesOf(page);
  await save(page).click();
  await volume.waitFor({ state: 'detached' });
  assert.deepEqual(sent, [{ audio: { volume: null } }]);
  assert.deepEqual([await stored('audio.volume'), await stored('device.name')], [80, 'Lobby']);
  await page.close();
});

test('errors of the device are at their fields, in closed groups too, and nothing was changed', async () => {
  const page = await open('device.timezone');
  await control(page, 'device.timezone').fill('Mars/Olympus');
  await control(page, 'Search').fill('wifi.enabled');
  await control(page, 'wifi.enabled').check();
  await save(page).click();
  await page.getByText('The device has refused 2 settings, so nothing was changed.').waitFor();
  const zone = page.locator('.settings-refused', { hasText: 'device.timezone' });
  await zone.getByText('must be a name of the time zone database').waitFor();
  assert.equal(await control(page, 'device.timezone').getAttribute('aria-invalid'), 'true');
  // The rule is about another field than the one that was changed.
  await page
    .locator('.settings-refused', { hasText: 'wifi.country' })
    .getByText('is required while wifi.enabled is true')
    .waitFor();
  assert.equal(await stored('wifi.enabled'), false);
  await control(page, 'device.timezone').fill('Europe/Vienna');
  await page.getByRole('button', { name: 'Discard the change of wifi.enabled' }).click();
  await save(page).click();
  await page.getByText('1 setting was saved.').waitFor();
  assert.equal(await stored('device.timezone'), 'Europe/Vienna');
  await page.close();
});

test('changes by others are shown; those of the same field are not overwritten before the user decides', async () => {
  const page = await open('device.');
  await control(page, 'device.name').fill('Mine');
  await stage.client.patch('/config', { json: { device: { health_interval_ms: 1234 } } });
  await waitFor(async () => (await control(page, 'device.health_interval_ms').inputValue()) === '1234', {
    ...SOON,
    what: 'the change of another field',
  });
  assert.equal(await control(page, 'device.name').inputValue(), 'Mine');
  await stage.client.patch('/config', { json: { device: { name: 'Theirs' } } });
  await page.getByText('The device has now: Theirs').waitFor();
  assert.ok(await save(page).isDisabled());
  await page.getByRole('button', { name: 'Keep mine: device.name' }).click();
  await save(page).click();
  await waitFor(async () => (await stored('device.name')) === 'Mine', { ...SOON, what: 'my name' });
  assert.equal(await stored('device.health_interval_ms'), 1234);
  await page.close();
});

test('the user is asked before changes are lost', async () => {
  const page = await open('device.name');
  await control(page, 'device.name').fill('Unsaved');
  await page.getByRole('link', { name: 'Show', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await control(page, 'device.name').inputValue(), 'Unsaved');
  const asked = page.waitForEvent('dialog');
  await page.evaluate('void setTimeout(() => location.reload())');
  const warning = await asked;
  assert.equal(warning.type(), 'beforeunload');
  await warning.dismiss();
  await page.getByRole('link', { name: 'Show', exact: true }).click();
  await dialog.getByRole('button', { name: 'Discard and leave' }).click();
  await page.getByRole('heading', { level: 1, name: 'Show' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  await page.getByText('1 change is not saved').waitFor({ state: 'detached' });
  assert.equal(await stored('device.name'), 'Vitrine');
  await page.close();
});

test('changes that need a restart are counted, also those by others, and the device is restarted', async (t) => {
  t.after(() => stage.gate.mend());
  const page = await open('clear_data_on_boot');
  await control(page, 'browser.clear_data_on_boot').check();
  await save(page).click();
  await page.getByText('Restart required: 1 change').waitFor();
  await stage.client.patch('/config', { json: { display: { boot_bundle: 'menu' } } });
  await page.getByText('Restart required: 2 changes').waitFor();
  await page.reload();
  await page.getByText('Restart required: 2 changes').waitFor();
  assert.deepEqual(await page.locator('.settings-restart li').allTextContents(), [
    'display.boot_bundle',
    'browser.clear_data_on_boot',
  ]);
  const asked: string[] = [];
  // The agent runs on this computer.
  await page.route('**/api/v1/device/reboot', async (route) => {
    asked.push(route.request().method());
    await route.fulfill({ status: 202, json: {} });
    stage.gate.cut();
  });
  await page.getByRole('button', { name: 'Restart the device', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restart the device', exact: true }).click();
  await page.getByText(/The device is rebooting/).waitFor();
  stage.gate.mend();
  await page.getByText(/Restart required/).waitFor({ state: 'detached' });
  assert.deepEqual(asked, ['POST']);
  await page.close();
});

test('the document as JSON: only the difference is sent, and secrets are shown when asked for', async () => {
  await stage.client.patch('/config', { json: { wifi: { ap: { psk: PSK } } } });
  const page = await open();
  await control(page, 'JSON').check();
  await page.getByText('The settings contain secrets').waitFor();
  assert.ok(!(await page.content()).includes(PSK));
  await page.getByRole('button', { name: 'Show the settings' }).click();
  const area = control(page, 'Settings').last();
  const document = JSON.parse(await area.inputValue());
  assert.equal(document.wifi.ap.psk, PSK);
  document.audio.volume = 11;
  delete document.wifi.ap.psk;
  document.nfc.poll.interval_ms = 1;
  await area.fill(JSON.stringify(document, null, 2));
  await page.getByText('80 % → 11 %').waitFor();
  const sent = patchesOf(page);
  await page.getByRole('button', { name: 'Send changes', exact: true }).click();
  await page.locator('.item', { hasText: 'nfc.poll.interval_ms' }).getByText('must be >= 50').waitFor();
  document.nfc.poll.interval_ms = 250;
  await area.fill(JSON.stringify(document));
  await page.getByRole('button', { name: 'Send changes', exact: true }).click();
  await page.getByText('2 settings were saved.').waitFor();
  assert.deepEqual(sent.at(-1), { audio: { volume: 11 }, wifi: { ap: { psk: null } } });
  assert.equal(await stored('wifi.ap.psk'), null);
  await page.close();
});

test('export without and with secrets, and import after a look at the differences', async () => {
  const networks = [{ ssid: 'Lobby', psk: PSK, priority: 0 }];
  await stage.client.patch('/config', { json: { wifi: { networks }, device: { name: 'Lobby' } } });
  const page = await open();
  await control(page, 'Export and import').check();
  const download = async (press: () => Promise<void>) => {
    const [file] = await Promise.all([page.waitForEvent('download'), press()]);
    return { name: file.suggestedFilename(), text: String(await contentOf(file)) };
  };
  const plain = await download(() => page.getByRole('button', { name: 'Download without secrets' }).click());
  assert.equal(plain.name, 'Lobby-configuration.json');
  assert.ok(!plain.text.includes(PSK));
  await page.getByRole('button', { name: 'Download with secrets' }).click();
  const dialog = page.getByRole('dialog', { name: 'Download with secrets?' });
  await dialog.getByText('Keep it like a password.').waitFor();
  const full = await download(() => dialog.getByRole('button', { name: 'Download with secrets' }).click());
  assert.deepEqual(JSON.parse(full.text).wifi.networks, networks);

  const choose = (text: string) =>
    page
      .getByLabel('Drop a file with settings here')
      .setInputFiles({ name: 'settings.json', mimeType: 'application/json', buffer: Buffer.from(text) });
  await choose('no JSON');
  await page.getByText('This is not JSON.').waitFor();
  await choose(plain.text);
  await page.getByText('The device has all these values already').waitFor();
  const changed = JSON.parse(plain.text);
  changed.device = { ...changed.device, name: 'Copy', timezone: 'Mars/Olympus' };
  changed.audio.volume = 5;
  changed.future = { x: 1 };
  await choose(JSON.stringify(changed));
  await page.getByText('1 setting is not known to this firmware and is left out: future').waitFor();
  await page.getByRole('button', { name: 'Apply 3 changes' }).click();
  const zone = page.locator('.item', { hasText: 'device.timezone' });
  await zone.getByText('must be a name of the time zone database').waitFor();
  assert.equal(await stored('device.name'), 'Lobby');
  await control(page, 'Take over device.timezone').uncheck();
  await page.getByRole('button', { name: 'Apply 2 changes' }).click();
  await page.getByText('2 settings were saved.').waitFor();
  assert.deepEqual([await stored('device.name'), await stored('audio.volume')], ['Copy', 5]);
  assert.deepEqual(await stored('wifi.networks'), networks);
  await page.close();
});

test('everything is accessible and fits, with all groups open, changes, errors and conflicts', async () => {
  await stage.client.patch('/config', { json: { wifi: { networks: [{ ssid: 'Lobby', psk: PSK }] } } });
  const page = await open();
  const look = async (where: string) => {
    for (const { theme, size } of LOOKS) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: theme });
      await checkAccessibility(page, where);
      await checkTargets(page, where);
      await checkWidth(page, where);
      await savePicture(page, `settings-${where}-${size.width}`);
    }
  };
  await page.getByRole('button', { name: /^Screen/ }).click();
  await look('groups');
  await control(page, 'Search').fill(' .');
  await page.locator('.settings-field').first().waitFor();
  for (const summary of await page.getByText('Details', { exact: true }).all()) await summary.click();
  await look('open');
  await control(page, 'Search').fill('device.');
  await control(page, 'device.name').fill('Mine');
  await control(page, 'device.timezone').fill('Mars/Olympus');
  await page.getByText('What changes').click();
  await save(page).click();
  await page.locator('.settings-refused').waitFor();
  await stage.client.patch('/config', {
    json: { device: { name: 'Theirs' }, display: { boot_bundle: 'x' } },
  });
  await page.getByText('The device has now: Theirs').waitFor();
  await look('unsaved');
  await control(page, 'JSON').check();
  await look('hidden');
  await page.getByRole('button', { name: 'Show the settings' }).click();
  await control(page, 'Settings').last().fill('{"device": {}}');
  await look('document');
  await page.getByRole('button', { name: 'Discard all' }).click();
  await control(page, 'Export and import').check();
  await page.getByLabel('Drop a file with settings here').setInputFiles({
    name: 'settings.json',
    mimeType: 'application/json',
    buffer: Buffer.from('{"device": {"name": "Copy"}, "future": 1}'),
  });
  await page.getByText('Apply 1 change').waitFor();
  await look('files');
  await page.close();
  for (const language of LANGUAGES) {
    const other = await open('', { language, width: 360, height: 640 });
    await other.locator('.settings-find input').first().fill('wifi');
    await other.locator('.settings-field').first().waitFor();
    for (const { size } of LOOKS) {
      await other.setViewportSize(size);
      await checkWidth(other, `${language}, ${size.width}`);
    }
    await savePicture(other, `settings-${language}-1440`);
    await other.close();
  }
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
