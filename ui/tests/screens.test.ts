/** The view "Screens": changes that are confirmed, undone, and cut off; the week; the power of the screen. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { waitFor } from '../../testing/wait.ts';
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

const SOON = { timeoutMs: 60_000, intervalMs: 50 };
const PHONE = { width: 360, height: 640 };
const QUESTION = 'Can you read the screen?';
const SCREENS = [
  {
    id: 'HDMI-A-1',
    primary: true,
    connected: true,
    resolution: '1920x1080@60',
    modes: ['1920x1080@60', '1920x1080@50', '1280x720@59.94', '1024x768'],
    rotation: 0,
    make: 'Example',
    model: '<b>24"</b>',
  },
  {
    id: 'HDMI-A-2',
    primary: false,
    connected: true,
    resolution: null,
    modes: [],
    rotation: 0,
    make: null,
    model: null,
  },
  {
    id: 'DSI-1',
    primary: false,
    connected: false,
    resolution: null,
    modes: [],
    rotation: 0,
    make: null,
    model: null,
  },
];

let stage: Stage;
before(async () => {
  stage = await Stage.create();
});
afterEach(async () => {
  stage.gate.mend();
  await stage.client.patch('/config', { json: { display: null } });
});
after(() => stage.close());

/** What the device has stored for the screen. */
async function stored(): Promise<Record<string, unknown>> {
  const { display } = await stage.client.get('/config');
  return Object(display);
}

async function open(): Promise<Page> {
  const page = await stage.open({ path: '/screens' });
  await waitForView(page);
  return page;
}

/** Chooses a rotation and applies it, and waits until the user is asked. */
async function rotate(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('radio', { name }).check();
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  await page.getByRole('dialog', { name: QUESTION }).waitFor();
}

async function waitForRotation(rotation: number): Promise<void> {
  const what = `the rotation by ${rotation}`;
  await waitFor(async () => (await stored()).rotation === rotation, { ...SOON, what });
}

test('a rotation that is confirmed stays; a closed dialog undoes exactly what was changed', async () => {
  const page = await open();
  await rotate(page, /90°/);
  assert.equal((await stage.client.get('/display')).rotation, 90);
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.locator('.toast-good', { hasText: 'The change stays.' }).waitFor();
  assert.ok(await page.getByRole('radio', { name: /90°/ }).isChecked());
  await page.getByLabel('Size of texts and pictures').selectOption('2');
  await rotate(page, /180°/);
  assert.deepEqual([(await stored()).rotation, (await stored()).scale], [180, 2]);
  await page.keyboard.press('Escape');
  await page.getByText('The change was undone.').waitFor();
  assert.deepEqual([(await stored()).rotation, (await stored()).scale], [90, null]);
  await rotate(page, /270°/);
  await page.getByRole('button', { name: 'Undo' }).click();
  await waitForRotation(90);
  await page.close();
});

test('without an answer the change is undone, and the time that is left can be seen', async () => {
  const page = await open();
  await rotate(page, /90°/);
  const timer = page.getByRole('timer');
  const first = await timer.textContent();
  await waitFor(async () => (await timer.textContent()) !== first, { ...SOON, what: 'the countdown' });
  assert.equal((await stored()).rotation, 90);
  const begin = performance.now();
  await waitForRotation(0);
  assert.ok(performance.now() - begin < 20_000);
  await page.getByText('since nobody confirmed it in time').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.close();
});

test('a lost connection, a reload and another view undo the change', async () => {
  const page = await open();
  await rotate(page, /90°/);
  stage.gate.cut();
  await page.getByText('as soon as it can be reached').waitFor();
  assert.equal((await stored()).rotation, 90);
  await checkAccessibility(page, 'undoing');
  stage.gate.mend();
  await page.getByText('since the connection was lost').waitFor();
  assert.equal((await stored()).rotation, 0);

  await rotate(page, /180°/);
  await page.reload();
  await page.getByText('since this page was left').waitFor();
  assert.equal((await stored()).rotation, 0);

  await waitForView(page);
  await rotate(page, /270°/);
  await page.goto(`${stage.gate.origin}/show`);
  await waitForRotation(0);
  await page.getByRole('heading', { level: 1, name: 'Screens' }).waitFor();
  await page.close();
});

test('a resolution is tried with a restart, and asked about after it', async () => {
  const page = await stage.open();
  await page.route('**/api/v1/display/screens', (route) => route.fulfill({ json: SCREENS }));
  let restarts = 0;
  await page.route('**/api/v1/device/reboot', (route) => {
    restarts += 1;
    return route.fulfill({ status: 202 });
  });
  /** Cuts the connection when the page has the answer to the request to restart. @param press makes the request */
  const goDown = async (press: () => Promise<void>) => {
    const [answer] = await Promise.all([page.waitForResponse('**/api/v1/device/reboot'), press()]);
    await answer.finished();
    await page.evaluate('0');
    stage.gate.cut();
    await page.getByText(/The device is rebooting/).waitFor();
  };
  await page.getByRole('link', { name: 'Screens', exact: true }).click();
  await page.getByLabel('Resolution and refresh rate').selectOption({ label: '1280 × 720, 59.94 Hz' });
  await page.getByRole('button', { name: 'Use this resolution' }).click();
  await page.getByRole('dialog', { name: 'Restart the device now?' }).waitFor();
  assert.equal((await stored()).forced_mode, '1280x720@59.94');
  await checkAccessibility(page, 'restart');
  await savePicture(page, 'screens-restart-light-1440');
  await goDown(() => page.getByRole('button', { name: 'Restart', exact: true }).click());
  await checkAccessibility(page, 'restarting');
  await savePicture(page, 'screens-restarting-light-1440');
  stage.gate.mend();
  await page.getByRole('dialog', { name: QUESTION }).waitFor();
  await goDown(() => page.getByRole('button', { name: 'Undo' }).click());
  assert.deepEqual([(await stored()).forced_mode, restarts], [null, 2]);
  stage.gate.mend();
  await page.getByText('The change was undone.').waitFor();
  await page.close();
});

test('a restart that the device refuses gives its reason, and the change is undone', async () => {
  const page = await open();
  await page.getByLabel('Resolution and refresh rate').selectOption('custom');
  await page.getByLabel('Width').fill('9');
  await page.getByText('Enter width and height').waitFor();
  await page.getByLabel('Width').fill('1366');
  await page.getByLabel('Height').fill('768');
  await page.getByRole('button', { name: 'Use this resolution' }).click();
  const dialog = page.getByRole('dialog', { name: 'Restart the device now?' });
  await dialog.waitFor();
  assert.equal((await stored()).forced_mode, '1366x768@60');
  await page.getByRole('button', { name: 'Restart', exact: true }).click();
  await dialog.getByText('This computer is not the appliance itself.').waitFor();
  await page.keyboard.press('Escape');
  await waitFor(async () => (await stored()).forced_mode === null, {
    ...SOON,
    what: 'the earlier resolution',
  });
  await page.close();
});

test('the week is edited by keyboard, copied to other days, and stored as the device reads it', async () => {
  const page = await open();
  const monday = page.getByRole('button', { name: /^Monday/ });
  await monday.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Add times' }).press('Enter');
  await page.getByLabel('On', { exact: true }).fill('07:30');
  await page.getByLabel('Off', { exact: true }).fill('19:00');
  await page.getByRole('button', { name: 'Copy to other days' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Copy the times of Monday' });
  for (const day of ['Tuesday', 'Wednesday', 'Thursday', 'Friday'])
    await dialog.getByLabel(day).press('Space');
  await dialog.getByRole('button', { name: 'Copy', exact: true }).press('Enter');
  await page.getByRole('button', { name: /^Friday/ }).press('Enter');
  await page.getByRole('button', { name: 'Add times' }).click();
  await page.getByLabel('On', { exact: true }).last().fill('22:00');
  await page.getByLabel('Off', { exact: true }).last().fill('01:00');
  await page.getByLabel('Off, next day').waitFor();
  assert.deepEqual((await stored()).power_schedule, []);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The times are stored.').waitFor();
  assert.deepEqual((await stored()).power_schedule, [
    { days: ['mon', 'tue', 'wed', 'thu', 'fri'], on: '07:30', off: '19:00' },
    { days: ['fri'], on: '22:00', off: '01:00' },
  ]);
  await page.getByRole('button', { name: /^Saturday/ }).waitFor();
  assert.equal(
    await page.locator('.screens-day', { hasText: 'Saturday' }).locator('.screens-bar > span').count(),
    1,
  );

  await page.getByLabel('On', { exact: true }).first().fill('09:00');
  await page.getByRole('button', { name: 'Discard the changes' }).click();
  await waitFor(async () => (await page.getByLabel('On', { exact: true }).first().inputValue()) === '07:30', {
    ...SOON,
    what: 'the times from before',
  });
  await stage.client.patch('/config', {
    json: { display: { power_schedule: [{ days: ['sun'], on: '10:00', off: '12:00' }] } },
  });
  await page.getByRole('button', { name: /^Sunday.*10:00.AM – 12:00.PM/ }).waitFor();
  await page.close();
});

test('the power of the screen: the reason of a device without CEC, and a screen that follows', async () => {
  const page = await open();
  await page.getByRole('button', { name: 'Start the test' }).click();
  await page.locator('.step-failed').waitFor();
  await page.getByText('This device has no screen that it can switch.').waitFor();
  await page.close();

  const state = await stage.client.get('/display');
  let isOn = true;
  const asked: unknown[] = [];
  const following = await stage.open();
  await following.route('**/api/v1/display', (route) =>
    route.fulfill({ json: { ...state, screen_on: isOn } }),
  );
  await following.route('**/api/v1/display/screen', (route) => {
    const body: { on?: boolean } = Object(route.request().postDataJSON());
    asked.push(body);
    isOn = body.on === true;
    return route.fulfill({ json: { ...state, screen_on: isOn } });
  });
  await following.getByRole('link', { name: 'Screens', exact: true }).click();
  await following.getByRole('button', { name: 'Switch off', exact: true }).click();
  await following.getByText('The screen is off or not connected', { exact: true }).waitFor();
  await following.getByRole('button', { name: 'Start the test' }).click();
  await following.getByText('The screen follows HDMI-CEC.').waitFor();
  assert.deepEqual(asked, [{ on: false }, { on: true }, { on: false }]);
  await following.close();
});

test('outputs, dialogs and the open editor are accessible and fit', async () => {
  for (const language of LANGUAGES) {
    const page = await stage.open({ ...PHONE, language });
    await page.route('**/api/v1/display/screens', (route) => route.fulfill({ json: SCREENS }));
    await page.goto(`${stage.gate.origin}/screens`);
    await waitForView(page);
    await page.locator('.screens-day-head').first().click();
    await page.locator('.screens-editor .button').first().click();
    await page.getByText('HDMI-A-2').waitFor();
    await page.locator('select').last().selectOption('custom');
    await checkWidth(page, `screens, ${language}`);
    if (language === 'en') {
      for (const theme of THEMES) {
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme: theme });
          await savePicture(page, `screens-full-${theme}-${width}`);
          await checkAccessibility(page, `screens, ${theme}, ${width}`);
          await checkTargets(page, `screens, ${theme}, ${width}`);
        }
      }
    }
    await page.setViewportSize(PHONE);
    await page.locator('.screens-editor .button').last().click();
    await page.getByRole('dialog').waitFor();
    await checkWidth(page, `copy, ${language}`);
    if (language === 'en') await savePicture(page, 'screens-copy-dark-360');
    await page.keyboard.press('Escape');
    await page.locator('.screens-rotation input').nth(1).check();
    await page.locator('form .button-primary').first().click();
    await page.getByRole('timer').waitFor();
    await checkWidth(page, `question, ${language}`);
    if (language === 'en') {
      await checkAccessibility(page, 'question');
      await checkTargets(page, 'question');
      await savePicture(page, 'screens-question-dark-360');
    }
    await page.keyboard.press('Escape');
    await waitForRotation(0);
    await page.close();
  }
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
