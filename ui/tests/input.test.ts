/** The view of input. Touches and devices are the test's; what is configured is stored by the agent. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { ResponseOf } from '../../client/contract.ts';
import { waitFor } from '../../testing/wait.ts';
import { fieldOf } from '../src/app/config-values.ts';
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
const DEVICES: ResponseOf<'GET', '/input/devices'> = [
  {
    id: 'event0',
    name: 'Power Button',
    kind: 'other',
    vendor_id: null,
    product_id: null,
    node: '/dev/input/event0',
  },
  {
    id: 'event3',
    name: 'ILITEK <b>Touch</b>',
    kind: 'touch',
    vendor_id: 0x222a,
    product_id: 1,
    node: '/dev/input/event3',
  },
  {
    id: 'event4',
    name: 'Logitech K120',
    kind: 'keyboard',
    vendor_id: 0x46d,
    product_id: 0xc31c,
    node: '/dev/input/event4',
  },
  {
    id: 'event5',
    name: 'USB Mouse',
    kind: 'pointer',
    vendor_id: 0x46d,
    product_id: 0xc077,
    node: '/dev/input/event5',
  },
];

let stage: Stage;
let devices = DEVICES;
before(async () => {
  stage = await Stage.create();
});
after(() => stage.close());

async function open(options: { language?: string } = {}): Promise<{ page: Page; standIn: StandIn }> {
  const page = await stage.open(options);
  const answer = async () => ({ status: 200, body: devices });
  const standIn = await StandIn.at(page, /^\/input\/devices$/, answer);
  await page.goto(`${stage.gate.origin}/input`);
  await waitForView(page);
  return { page, standIn };
}

const stored = async (...path: string[]) => fieldOf(await stage.client.get('/config'), ...path);
const ts = '2026-11-27T10:00:00.000Z';

test('devices are listed with what their input does, and one that is unplugged disappears', async () => {
  const { page, standIn } = await open();
  const list = page.getByRole('list', { name: 'Connected' });
  await list.getByText('ILITEK <b>Touch</b>').waitFor();
  await list.getByText('Types with the layout United States (us).').waitFor();
  await list.getByText('USB 046d:c31c').waitFor();
  assert.equal(await list.getByText('Power Button').count(), 0);
  await page.getByText('1 other device').click();
  await page.getByText('Power Button').waitFor();
  devices = [];
  standIn.emit('health', await stage.client.get('/device/health'));
  await page.getByText('No keyboard, mouse or touch screen').waitFor();
  devices = DEVICES;
  await page.close();
});

test('touches are drawn where they arrive, while the test runs', async () => {
  const { page, standIn } = await open();
  const send = (slot: number, x: number, y: number, pressed = true) =>
    standIn.emit('input_raw', { device: 'event3', slot, x, y, pressed, ts });
  assert.ok(!standIn.topics.has('input_raw'));
  await page.getByRole('button', { name: 'Start the test' }).click();
  await waitFor(() => standIn.topics.has('input_raw'), { ...SOON, what: 'the subscription' });
  await page.getByText('Nothing has arrived yet.').waitFor();
  send(0, 0.2, 0.1);
  for (let step = 0; step < 500; step++) send(0, 0.2 + step / 1000, 0.1 + step / 1000);
  send(1, 0.9, 0.5);
  await page.getByText('2 touches · 2 fingers on it now').waitFor();
  await page.getByText('Last touch: 90% from the left, 50% from the top, by ILITEK <b>Touch</b>').waitFor();
  const fingers = page.locator('.input-finger');
  assert.deepEqual(
    await fingers.evaluateAll((all) => all.map((one) => Math.round(Number(one.getAttribute('cx'))))),
    [699, 900],
  );
  assert.ok((await page.locator('.input-trail').count()) <= 150);
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    await savePicture(page, `input-test-${theme}-1440`);
    await checkAccessibility(page, `test, ${theme}`);
  }
  send(0, 0.7, 0.6, false);
  send(1, 0.9, 0.5, false);
  await page.getByText('2 touches · 0 fingers on it now').waitFor();
  await page.getByRole('button', { name: 'Stop the test' }).click();
  await waitFor(() => !standIn.topics.has('input_raw'), { ...SOON, what: 'no subscription' });
  await page.getByRole('button', { name: 'Start the test' }).click();
  await waitFor(() => standIn.topics.has('input_raw'), { ...SOON, what: 'the subscription' });
  await page.getByRole('link', { name: 'Show', exact: true }).click();
  await waitFor(() => !standIn.topics.has('input_raw'), { ...SOON, what: 'no subscription' });
  await page.close();
});

test('a layout is chosen or typed; one that does not exist is refused with the reason', async () => {
  const { page } = await open();
  await page.getByLabel('Layout', { exact: true }).selectOption('de');
  await page.getByRole('button', { name: 'Save' }).click();
  // The agent does not apply it on a computer that is not the device.
  await page.getByText('It is stored, and takes effect when the device is restarted.').waitFor();
  assert.equal(await stored('input', 'keyboard_layout'), 'de');
  await page.getByText('Types with the layout Germany (de).').waitFor();
  await page.getByLabel('Layout', { exact: true }).selectOption('other');
  const name = page.getByLabel('Name of the layout');
  await name.fill('../de');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('This is not the name of a layout.').waitFor();
  await name.fill('nosuch');
  const refused = page.route('**/api/v1/config', (route) =>
    route.fulfill({
      status: 400,
      json: {
        error: {
          code: 'bad_request',
          message: 'Invalid.',
          details: {
            issues: [{ path: '/input/keyboard_layout', message: 'must be a keyboard layout of XKB' }],
          },
        },
      },
    }),
  );
  await refused;
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('must be a keyboard layout of XKB').waitFor();
  await page.close();
});

test('the on-screen keyboard and the pointer are set, and the page’s browser gets it', async () => {
  const { page } = await open();
  await page.getByRole('group', { name: 'It appears in text fields' }).getByLabel('Always').check();
  await page.getByText('Also while a keyboard is connected.').waitFor();
  assert.equal(await stored('browser', 'on_screen_keyboard'), 'on');
  await page.getByRole('switch', { name: 'Français' }).click();
  await waitFor(async () => String(await stored('browser', 'keyboard_layouts')) === 'en,fr', {
    ...SOON,
    what: 'two layouts',
  });
  await page.getByRole('switch', { name: 'Français', checked: true }).waitFor();
  await page.getByRole('switch', { name: 'English' }).click();
  await page.getByRole('switch', { name: 'English', checked: false }).waitFor();
  assert.deepEqual(await stored('browser', 'keyboard_layouts'), ['fr']);
  assert.equal(await page.getByRole('switch', { name: 'Français' }).isDisabled(), true);
  await page.getByRole('group', { name: 'It is shown' }).getByLabel('Never').check();
  await page.getByText('For touch screens that also call themselves a mouse.').waitFor();
  assert.equal(await stored('browser', 'pointer'), 'never');
  await page.close();
});

test('it fits and is accessible', async () => {
  for (const language of LANGUAGES) {
    const { page, standIn } = await open({ language });
    await page.locator('.input-choice').first().waitFor();
    await page.locator('.card button.button-primary').first().click();
    await waitFor(() => standIn.topics.has('input_raw'), { ...SOON, what: 'the subscription' });
    standIn.emit('input_raw', { device: 'event3', slot: 0, x: 0.04, y: 0.07, pressed: true, ts });
    await page.locator('.input-finger').waitFor();
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
        await savePicture(page, `input-full-${language}-${theme}-${width}`);
        if (language === 'en') await checkAccessibility(page, `${theme}, ${width}`);
      }
      await checkTargets(page, `${language}, ${width}`);
    }
    await page.close();
  }
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
