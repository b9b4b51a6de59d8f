/** The view of Bluetooth with the agent's own resource, and a radio that does what it is told. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import type { Page } from 'playwright-core';
import { createLogger } from '../../agent/src/base/logger.ts';
import { ApiError } from '../../agent/src/contract/errors.ts';
import { createApp } from '../../agent/src/links/app.ts';
import { Bluetooth } from '../../agent/src/resources/bluetooth/bluetooth.ts';
import { bluetoothRoutes } from '../../agent/src/resources/bluetooth/index.ts';
import * as contract from '../../agent/src/resources/bluetooth/schema.ts';
import { endpoints } from '../../agent/src/resources/contract.ts';
import { radioGate } from '../../agent/src/resources/radio.ts';
import { ADAPTER, FakeRadio, fakeDevice } from '../../testing/fake-bluetooth-radio.ts';
import { waitFor } from '../../testing/wait.ts';
import {
  checkAccessibility,
  checkTargets,
  checkWidth,
  LANGUAGES,
  Stage,
  savePicture,
  THEMES,
  waitForView,
} from './stage.ts';
import { StandIn } from './stand-in.ts';

const SOON = { timeoutMs: 60_000, intervalMs: 50 };
const KEYBOARD = fakeDevice(1, { name: 'Keys K380', icon: 'input-keyboard', rssi: -50 });
const MOUSE = fakeDevice(2, { name: 'Mouse', icon: 'input-mouse', rssi: -70, paired: true, trusted: true });
const STRANGER = fakeDevice(3, { name: '<b>Phone</b>', icon: 'phone', rssi: -85, paired: true });
const BEACON = fakeDevice(4, { name: null, rssi: -90 });

let stage: Stage;
let radio: FakeRadio;
let service: Bluetooth;
let app: FastifyInstance;
let hasRadio = true;
let settings = { enabled: false, alias: 'Lobby', discoverable: false };
let standIn: StandIn | undefined;

before(async () => {
  stage = await Stage.create();
  radio = new FakeRadio();
  const log = createLogger('silent');
  const isEnabled = () => settings.enabled;
  service = new Bluetooth({
    radio,
    settings: () => settings,
    isOpen: async () => isEnabled(),
    emit: (json) => standIn?.emit('bluetooth_changed', JSON.parse(json)),
    recovered: () => undefined,
    log,
  });
  service.start();
  const gate = radioGate(contract, { hasRadio: async () => hasRadio, isEnabled });
  app = createApp({ endpoints, routes: bluetoothRoutes(service, gate), log });
});
after(async () => {
  service.stop();
  await app.close();
  await stage.close();
});

/** Opens the view at a device with the radio. What is configured is stored by the agent, and done by the stand-in. */
async function open(options: { width?: number; height?: number; language?: string } = {}): Promise<Page> {
  const page = await stage.open(options);
  standIn = await StandIn.at(page, /^\/bluetooth/, async (method, path, body) => {
    const answer = await app.inject({
      method: method === 'POST' ? 'POST' : 'GET',
      url: `/api/v1${path}`,
      ...(body === undefined
        ? {}
        : { payload: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return { status: answer.statusCode, body: answer.json() };
  });
  await page.route('**/api/v1/config', async (route) => {
    const response = await route.fetch();
    const { config } = await response.json();
    if (config) {
      settings = { ...settings, ...config.bluetooth, alias: 'Lobby' };
      await service.apply();
    }
    await route.fulfill({ response });
  });
  await page.goto(`${stage.gate.origin}/bluetooth`);
  await waitForView(page);
  return page;
}

/** What people see of a pairing for which a number must be typed. */
function askForDigits(device: string, passkey: string): void {
  radio.agent?.answer({ kind: 'display', adapter: ADAPTER, device, passkey });
}

test('a device without a radio says so, and what to do', async () => {
  const page = await stage.open({ path: '/bluetooth' });
  await page.getByText('This device has no Bluetooth').waitFor();
  await page.close();
});

test('it is enabled, a keyboard is found and paired by its digits, and then forgotten', async () => {
  const page = await open();
  await page.getByRole('button', { name: 'Switch Bluetooth on', exact: true }).click();
  await page.getByRole('heading', { name: 'Devices nearby' }).waitFor();
  assert.equal((await stage.client.get('/config')).bluetooth instanceof Object, true);
  assert.ok(radio.calls.includes('powered true'));

  await page.getByRole('button', { name: 'Search for devices', exact: true }).click();
  await page.getByText('Searching. It ends by itself').waitFor();
  assert.equal(radio.adapter?.discovering, true);
  radio.devices.set(KEYBOARD.id, KEYBOARD);
  radio.devices.set(BEACON.id, BEACON);
  radio.changed();
  const found = page.getByRole('list', { name: 'Devices nearby' });
  await found.getByText('Keyboard · strong signal').waitFor();
  await page.getByLabel('Also show 1 device without a name').check();
  await found.getByText('weak signal').waitFor();

  const typed = Promise.withResolvers<void>();
  radio.whilePairing = async (device) => {
    askForDigits(device, '042137');
    await typed.promise;
  };
  await page.getByRole('button', { name: 'Pair with Keys K380', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Pairing with Keys K380' });
  await dialog.getByText('042137').waitFor();
  await dialog.getByText('Time left').waitFor();
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    await savePicture(page, `bluetooth-pairing-${theme}-1440`);
    await checkAccessibility(page, `pairing, ${theme}`);
  }
  await checkTargets(page, 'pairing');
  typed.resolve();
  await dialog.waitFor({ state: 'detached' });
  const known = page.getByRole('list', { name: 'Paired devices' });
  await known.getByText('Keys K380').waitFor();
  await known.getByText('Connected', { exact: true }).waitFor();
  assert.equal(radio.devices.get(KEYBOARD.id)?.trusted, true);

  await page.getByRole('button', { name: 'Forget Keys K380', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Forget', exact: true }).click();
  await known.waitFor({ state: 'detached' });
  assert.equal(radio.devices.has(KEYBOARD.id), false);

  await page.getByRole('link', { name: 'Show', exact: true }).click();
  await waitFor(() => radio.adapter?.discovering === false, { ...SOON, what: 'the end of the search' });
  await waitFor(() => !standIn?.topics.has('bluetooth_changed'), { ...SOON, what: 'no subscription' });
  await page.close();
});

test('a pairing that fails gives the reason with what to do, and can be tried again', async () => {
  settings = { ...settings, enabled: true };
  await service.apply();
  radio.devices.set(KEYBOARD.id, KEYBOARD);
  let isReached = false;
  radio.whilePairing = async () => {
    if (!isReached)
      throw new ApiError('unavailable', 'The device cannot be reached: it is switched off, out of range …');
  };
  const page = await open({ width: 360, height: 640 });
  await page.getByRole('button', { name: 'Pair with Keys K380', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Pairing with Keys K380' });
  await dialog.getByText('The device does not answer. Start its pairing mode again').waitFor();
  await savePicture(page, 'bluetooth-failed-light-360');
  await checkAccessibility(page, 'failed');
  isReached = true;
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal(radio.devices.get(KEYBOARD.id)?.trusted, true);
  radio.devices.delete(KEYBOARD.id);
  await page.close();
});

test('a device that has paired by itself is allowed, and the radio is switched', async () => {
  radio.whilePairing = async () => undefined;
  for (const device of [MOUSE, STRANGER]) radio.devices.set(device.id, device);
  radio.changed();
  const page = await open();
  await page.getByText('<b>Phone</b>').first().waitFor();
  await page.getByText('May not type').waitFor();
  await page.getByRole('button', { name: 'Allow <b>Phone</b> to type', exact: true }).click();
  await page.getByText('May not type').waitFor({ state: 'detached' });
  assert.equal(radio.devices.get(STRANGER.id)?.trusted, true);
  await page.getByLabel('Others can find this device', { exact: true }).click();
  await waitFor(() => radio.adapter?.discoverable === true, { ...SOON, what: 'a visible device' });
  await page.getByLabel('Radio on', { exact: true }).click();
  await page.getByText('The radio is off. Switch it on to search.').waitFor();
  assert.equal(radio.adapter?.powered, false);
  await page.getByLabel('Radio on', { exact: true }).click();
  await page.getByText('The radio is off. Switch it on to search.').waitFor({ state: 'detached' });
  radio.refused.set('remove', 'The Bluetooth service does not answer.');
  await page.getByRole('button', { name: 'Forget Mouse', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Forget', exact: true }).click();
  await page.getByText('The Bluetooth service does not answer.').waitFor();
  radio.refused.clear();
  await page.close();
});

test('it fits and is accessible', async () => {
  radio.devices.set(KEYBOARD.id, KEYBOARD);
  radio.devices.set(BEACON.id, BEACON);
  radio.changed();
  for (const language of LANGUAGES) {
    const page = await open({ language });
    for (const [width, height] of [
      [360, 640],
      [768, 1024],
      [1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height });
      await checkWidth(page, `${language}, ${width}`);
      if (language !== 'en' && language !== 'de') continue;
      for (const theme of THEMES) {
        await page.emulateMedia({ colorScheme: theme });
        await savePicture(page, `bluetooth-full-${language}-${theme}-${width}`);
        if (language === 'en') await checkAccessibility(page, `${theme}, ${width}`);
      }
      await checkTargets(page, `${language}, ${width}`);
    }
    await page.close();
  }
});

test('a radio that is lost is noticed', async () => {
  const page = await open();
  await page.getByRole('heading', { name: 'Devices nearby' }).waitFor();
  hasRadio = false;
  const health = await stage.client.get('/device/health');
  standIn?.emit('health', { ...health, problems: ['Bluetooth is enabled, and its adapter is gone.'] });
  await page.getByText('This device has no Bluetooth').waitFor();
  hasRadio = true;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Devices nearby' }).waitFor();
  await page.getByLabel('Use Bluetooth', { exact: true }).click();
  await page.getByText('Bluetooth is off').waitFor();
  assert.ok(radio.calls.includes('stop'));
  await page.close();
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
