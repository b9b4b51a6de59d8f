/** Views of the web app that need a machine: what is clicked in a browser is done by the hardware. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { NfcLab } from '../../ci/nfc/nfc-lab.ts';
import type { BluetoothPeer } from '../../ci/radios/bluetooth-peer.ts';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import { AppBrowser } from '../../ui/tests/app-browser.ts';
import { savePicture, waitForView } from '../../ui/tests/stage.ts';
import type { Device } from './device.ts';
import type { TouchScreen } from './touch-screen.ts';
import { resultAfter } from './updates.ts';

/** An emulated device is slow, and a browser beside it makes it slower. */
const WAIT_MS = 300_000;
/** To send, verify and write a whole bundle. */
const INSTALL_MS = 30 * 60_000;
const SOON = { timeoutMs: WAIT_MS, intervalMs: 500 };

/** Opens a view of the device's web app while `work` runs. */
async function inView(device: Device, path: string, work: (page: Page) => Promise<void>): Promise<void> {
  const app = await AppBrowser.launch();
  try {
    const page = await app.open({ origin: device.origin, path, timeoutMs: WAIT_MS });
    await waitForView(page);
    await work(page).catch(async (error: unknown) => {
      throw new Error(`${String(error)}\nThe view says:\n${await page.locator('main').ariaSnapshot()}`);
    });
    await savePicture(page, `device${path.replace('/', '-')}-1440`);
    app.checkComplaints();
  } finally {
    await app.close();
  }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Searches for a network that is in range, and joins it. */
export async function joinByClicking(device: Device, ssid: string, passphrase: string): Promise<void> {
  await inView(device, '/wifi', async (page) => {
    await button(page, 'Search').click();
    await button(page, `Join ${ssid}`).click();
    const form = page.getByRole('form', { name: `Join ${ssid}` });
    await form.getByLabel('Passphrase', { exact: true }).fill(passphrase);
    await page.keyboard.press('Enter');
    await page.locator('.toast-good', { hasText: `Connected to ${ssid}` }).waitFor();
  });
  assert.equal(field(await device.get('/wifi'), 'connection.ssid'), ssid);
  assert.equal(field(await device.get('/config'), 'wifi.networks.0.ssid'), ssid);
}

/** Searches for a device, pairs it and forgets it again. */
export async function pairByClicking(device: Device, peer: BluetoothPeer): Promise<void> {
  const isPaired = async () => {
    const devices = await device.get('/bluetooth/devices');
    assert.ok(Array.isArray(devices));
    return devices.some((one) => field(one, 'address') === peer.address && field(one, 'paired') === true);
  };
  await inView(device, '/bluetooth', async (page) => {
    await button(page, 'Search for devices').click();
    await button(page, `Pair with ${peer.name}`).click();
    await button(page, `Forget ${peer.name}`).waitFor();
    assert.equal(await isPaired(), true);
    await button(page, `Forget ${peer.name}`).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget', exact: true }).click();
    await waitFor(async () => !(await isPaired()), { ...SOON, what: 'the device to be forgotten' });
  });
}

/** Watches a tag come, writes an address on it, and watches it leave. */
export async function writeTagByClicking(device: Device, lab: NfcLab): Promise<void> {
  await inView(device, '/nfc', async (page) => {
    const tag = await lab.tag({ kind: 'ntag215' });
    await tag.put('i2c');
    const uid = tag.uid.match(/../g)?.join(' ').toUpperCase();
    await page
      .getByRole('list', { name: 'Tags at the readers now' })
      .getByText(uid ?? '')
      .waitFor();
    await button(page, `Write on tag ${uid}`).click();
    const dialog = page.getByRole('dialog', { name: `Write on tag ${uid}` });
    await dialog.getByLabel('Address', { exact: true }).first().check();
    await dialog.getByRole('textbox', { name: 'Address' }).fill('https://www.example.com/menu');
    await dialog.getByRole('button', { name: 'Write', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const stored = Buffer.from((await tag.content())?.message ?? '', 'hex');
    assert.equal(stored.subarray(4).toString(), '\x02example.com/menu');
    await tag.take('i2c');
    await page.getByText('Hold a tag to a reader.').waitFor();
  });
}

/** Moves the slider of the volume. The test tone is heard in the scenario web-app. @param volume asks the sound server */
export async function setVolumeByClicking(device: Device, volume: () => Promise<number>): Promise<void> {
  await inView(device, '/audio', async (page) => {
    const slider = page.getByRole('slider', { name: 'Volume' });
    await slider.fill('35');
    await waitFor(async () => (await volume()) === 35, { ...SOON, what: 'the volume of the sound server' });
    assert.equal(field(await device.get('/config'), 'audio.volume'), 35);
  });
}

/** Watches a touch where it is made. */
export async function watchTouch(device: Device, touch: TouchScreen): Promise<void> {
  await inView(device, '/input', async (page) => {
    await button(page, 'Start the test').click();
    const seen = page.getByText('Last touch: 25% from the left, 75% from the top');
    // The reader of touches starts a little after the button was pressed.
    await waitFor(
      async () => {
        await touch.tap(0.25, 0.75);
        return (await seen.count()) > 0;
      },
      { timeoutMs: WAIT_MS, intervalMs: 2000, what: 'the touch in the view' },
    );
  });
}

/** Switches the screen off and on. */
export async function switchScreenByClicking(device: Device): Promise<void> {
  const waitForScreen = (on: boolean) =>
    device.waitForDisplay(({ screen_on }) => screen_on === on, `screen_on to be ${on}`, WAIT_MS);
  await inView(device, '/screens', async (page) => {
    await button(page, 'Switch off').click();
    await waitForScreen(false);
    await button(page, 'Switch on').click();
    await waitForScreen(true);
  });
}

/**
 * Installs a bundle, starts it and waits for its result, under the open page.
 * @param file of the bundle
 * @returns GET /update
 */
export async function updateByClicking(device: Device, file: string, version: string): Promise<unknown> {
  let status: unknown;
  await inView(device, '/update', async (page) => {
    await page.locator('input[type=file]').setInputFiles(file);
    await button(page, 'Install').click();
    await page.getByText(`Version ${version} is installed.`).waitFor({ timeout: INSTALL_MS });
    status = await resultAfter(device, async () => {
      await button(page, 'Restart now').click();
      await page.getByText(/The device starts the update, \d+ sec so far/).waitFor();
    });
    await page.getByText(`version ${version} runs and is confirmed`).waitFor();
    await page.getByText(`The device has version ${version} now.`).waitFor();
  });
  return status;
}
