/** The view of peripherals with the agent's own resource, and an inventory that a test fills. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Peripherals } from '../../agent/src/resources/peripherals/schema.ts';
import { ADAPTER, PRINTER, SCANNER } from '../../testing/peripheral-samples.ts';
import { FakeInventory } from '../../testing/peripherals-stage.ts';
import { waitFor } from '../../testing/wait.ts';
import { Appliance } from './appliance.ts';
import { checkAccessibility, checkTargets, checkWidth, LANGUAGES, Stage, savePicture } from './stage.ts';
import { StandIn } from './stand-in.ts';

const PAGE = 'https://kiosk.example';
const KEYBOARD = {
  ...SCANNER,
  ...{ id: 'hidraw3', instance: '7', usbDevice: '1-1.5', vendorId: 0x046d, productId: 0xc31c },
  ...{ manufacturer: 'Logitech', product: 'USB Keyboard', serialNumber: null },
  collections: SCANNER.collections.map((one) => ({ ...one, usagePage: 1, usage: 6 })),
};
const LONG_PAGE = 'https://orders-and-payments.restaurant-kiosks.department.example:8443';
const VIEW = '/peripherals';
const TOPIC = 'peripherals_changed';

const inventory = new FakeInventory();
let stage: Stage;
before(async () => {
  stage = await Stage.create(() => Appliance.start({ peripheralInventory: inventory }));
  await stage.client.post('/display/navigate', { json: { url: `${PAGE}/order` } });
});
after(() => stage.close());
beforeEach(async () => {
  inventory.plug();
  await stage.client.patch('/config', { json: { devices: null } });
});

async function devicesInConfig(): Promise<{ origins: string[]; hid: { enabled: boolean; allow: object[] } }> {
  return Object(await stage.client.get('/config')).devices;
}

/** Sends the page an event as soon as it follows them. */
async function tell(standIn: StandIn, state: Peripherals): Promise<void> {
  await waitFor(() => standIn.topics.has(TOPIC), { timeoutMs: 60_000, what: 'the subscription' });
  standIn.emit(TOPIC, state);
}

/** The section of a device. */
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

test('a scanner that is plugged in is allowed for the displayed page, and removed again', async () => {
  const page = await stage.open({ path: VIEW });
  await page.getByText('Nothing is plugged in').waitFor();
  inventory.plug(SCANNER);
  const scanner = card(page, SCANNER.product ?? '');
  await scanner.getByText('Honeywell · 0C2E:0B61 · serial number 18071B24F3').waitFor();
  await scanner.getByText('There is no entry that allows it.').waitFor();

  await scanner
    .getByRole('button', { name: `Allow for ${PAGE}: Voyager 1450g (WebHID)`, exact: true })
    .click();
  const dialog = page.getByRole('dialog', { name: `Allow Voyager 1450g for ${PAGE}?` });
  await dialog.getByText(`Pages of ${PAGE} can then read from it and send to it, through WebHID.`).waitFor();
  assert.deepEqual(await dialog.getByRole('listitem').allTextContents(), [
    'The new entry matches every device 0C2E:0B61 with the usage 008C:0002, also another one of the same type.',
    'WebHID is switched on.',
    `${PAGE} is added to the pages that may use peripherals.`,
  ]);
  assert.deepEqual((await devicesInConfig()).origins, [], 'nothing is stored before it is confirmed');
  await dialog.getByRole('button', { name: 'Allow', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await scanner.getByText(`Pages of ${PAGE} may use it.`).waitFor();
  const { origins, hid } = await devicesInConfig();
  assert.deepEqual(origins, [PAGE]);
  assert.deepEqual(hid, {
    enabled: true,
    allow: [{ vendorId: 0x0c2e, productId: 0x0b61, usagePage: 0x8c, usage: 2 }],
  });
  await page
    .getByRole('list', { name: 'Pages that may use peripherals' })
    .getByText('Displayed now')
    .waitFor();

  await scanner
    .getByRole('button', { name: 'Remove the entry for Voyager 1450g (WebHID)', exact: true })
    .click();
  const question = page.getByRole('dialog', { name: 'Remove the entry for Voyager 1450g?' });
  await question.getByRole('button', { name: 'Remove', exact: true }).click();
  await scanner.getByText('There is no entry that allows it.').waitFor();
  assert.deepEqual((await devicesInConfig()).hid, { enabled: true, allow: [] });
  inventory.plug();
  await page.getByText('Nothing is plugged in').waitFor();
  await page.close();
});

test('an entry that another host has changed meanwhile is not removed', async () => {
  const entry = { vendorId: 0x0c2e, productId: 0x0b61 };
  inventory.plug(SCANNER);
  await stage.client.patch('/config', {
    json: { devices: { origins: [PAGE], hid: { enabled: true, allow: [entry] } } },
  });
  const page = await stage.open({ path: VIEW });
  await page
    .getByRole('button', { name: 'Remove the entry for Voyager 1450g (WebHID)', exact: true })
    .click();
  // The page has not heard of it yet.
  const config = Object(await stage.client.get('/config'));
  const hid = { enabled: true, allow: [{ vendorId: 1, productId: 1 }, entry] };
  await page.route('**/api/v1/config', (route) =>
    route.fulfill({ json: { ...config, devices: { ...config.devices, hid } } }),
  );
  const question = page.getByRole('dialog');
  await question.getByRole('button', { name: 'Remove', exact: true }).click();
  await question.getByText('The settings have changed meanwhile.').waitFor();
  assert.deepEqual((await devicesInConfig()).hid.allow, [entry]);
  await page.close();
});

test('who has it open, and why others may not use it, are said as they change', async () => {
  inventory.plug(SCANNER, KEYBOARD);
  await stage.client.patch('/config', {
    json: {
      devices: {
        origins: ['https://other.example'],
        hid: { enabled: true, allow: [{ vendorId: 0x0c2e, productId: 0x0b61 }] },
      },
    },
  });
  const page = await stage.open();
  const standIn = await StandIn.at(page, /^$/, async () => ({ status: 404 }));
  await page.goto(`${stage.gate.origin}${VIEW}`);
  const scanner = card(page, SCANNER.product ?? '');
  await scanner.getByText('Pages of https://other.example may use it.').waitFor();
  await scanner.getByText(`The displayed page, of ${PAGE}, may not use it.`).waitFor();
  const keyboard = card(page, 'USB Keyboard');
  await keyboard.getByText('No page ever gets it, whatever the settings say.').waitFor();
  await keyboard.getByText('It is a keyboard').waitFor();
  assert.equal(await keyboard.getByRole('button').count(), 0);

  const state = await stage.client.get('/device/peripherals');
  const opened = state.peripherals.map((one) =>
    one.id === SCANNER.id ? { ...one, open_by: 'https://other.example' } : one,
  );
  standIn.taken.add(TOPIC);
  await tell(standIn, { ...state, peripherals: opened });
  await scanner.getByText('A page of https://other.example has it open now.').waitFor();
  await scanner.getByText('In use').waitFor();
  await tell(standIn, { ...state, page_origin: null });
  await page.getByText('The waiting page is displayed.').waitFor();
  assert.equal(await scanner.getByRole('button', { name: /^Allow/ }).count(), 0);
  standIn.taken.delete(TOPIC);

  await stage.client.patch('/config', { json: { devices: { hid: { enabled: false } } } });
  await scanner.getByText('its kind is switched off').waitFor();
  await stage.client.patch('/config', { json: { devices: { origins: [], hid: { enabled: true } } } });
  await scanner.getByText('no page may use peripherals yet').waitFor();
  await page.close();
});

test('a board without a USB host port says so', async () => {
  const page = await stage.open();
  const standIn = await StandIn.at(page, /^\/device\/peripherals$/, async () => ({
    status: 200,
    body: { host_port: false, page_origin: PAGE, peripherals: [] },
  }));
  standIn.taken.add(TOPIC);
  await page.goto(`${stage.gate.origin}${VIEW}`);
  await page.getByText('This device has no USB port for peripherals').waitFor();
  inventory.plug(SCANNER);
  const { peripherals } = await stage.client.get('/device/peripherals');
  await tell(standIn, { host_port: false, page_origin: PAGE, peripherals });
  await page.getByText('What is listed is connected by Bluetooth.').waitFor();
  await card(page, SCANNER.product ?? '').waitFor();
  await page.close();
});

test('it fits and is accessible', async () => {
  inventory.plug(SCANNER, ADAPTER, PRINTER, KEYBOARD);
  await stage.client.patch('/config', {
    json: {
      devices: {
        origins: ['https://other.example'],
        hid: { enabled: true, allow: [{ vendorId: 0x0c2e, productId: 0x0b61 }] },
        serial: { allow: [{ usbVendorId: 0x0403, usbProductId: 0x6001 }] },
      },
    },
  });
  await stage.client.post('/display/navigate', { json: { url: `${LONG_PAGE}/` } });
  for (const language of new Set([...LANGUAGES, 'en', 'fr', 'es'])) {
    const page = await stage.open({ path: VIEW, language });
    await card(page, SCANNER.product ?? '').waitFor();
    for (const [width, height] of [
      [390, 844],
      [1280, 800],
    ] as const) {
      await page.setViewportSize({ width, height });
      await checkWidth(page, `${language}, ${width}`);
      await checkTargets(page, `${language}, ${width}`);
      if (language !== 'en') continue;
      const dialog = page.getByRole('dialog');
      for (const theme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: theme });
        await savePicture(page, `peripherals-full-${theme}-${width}`);
        await checkAccessibility(page, `${theme}, ${width}`);
        await card(page, PRINTER.product ?? '')
          .getByRole('button', { name: /^Allow for/ })
          .first()
          .click();
        await dialog.getByText('This also allows Voyager 1450g (WebHID).').waitFor();
        await savePicture(page, `peripherals-allow-${theme}-${width}`);
        await checkAccessibility(page, `dialog, ${theme}, ${width}`);
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
      }
    }
    await page.close();
  }
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
