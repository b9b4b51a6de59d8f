/** The picture of remote control: its size, how often it is new, and how the view looks while it is on. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { waitFor } from '../../testing/wait.ts';
import { allow, assertNear, button, LEFT, openRemote, placeIn, RemoteScreen } from './remote-screen.ts';
import {
  checkAccessibility,
  checkTargets,
  checkWidth,
  LANGUAGES,
  Stage,
  savePicture,
  waitForView,
} from './stage.ts';

const SIZES = [
  { width: 360, height: 640 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
];

let stage: Stage;
before(async () => {
  stage = await Stage.create();
});
after(() => stage.close());

test('the whole screen of this computer; places are right while the on-screen keyboard hides a part', async () => {
  await allow(stage, true);
  const display = await stage.client.get('/display');
  const page = await stage.open({ path: '/show' });
  const screen = await RemoteScreen.behind(page, stage.client);
  // The picture has 720 of these lines.
  const json = { ...display, resolution: '1280x1200@60' };
  await page.route('**/api/v1/display', (route) => route.fulfill({ json }));
  await page.goto(`${stage.gate.origin}/remote`);
  await page.getByText('The on-screen keyboard is here.').waitFor();
  for (const isFull of [false, true]) {
    if (isFull) await button(page, 'Full screen').click();
    if (isFull) await button(page, 'Leave full screen').waitFor();
    await page.locator('.remote-frame').scrollIntoViewIfNeeded();
    for (const y of [0.3, 0.9]) {
      screen.forget();
      await page.mouse.click(...(await placeIn(page, 0.5, y)));
      await screen.waitForLines(...LEFT);
      assertNear(screen.places.at(-1), 0.5, y);
      const box = await page.locator('.remote-frame img').boundingBox();
      const [, line] = await placeIn(page, 0, 0.6);
      assert.ok(box && Math.abs(box.y + box.height - line) < 2, 'the picture has the upper part');
    }
  }
  await savePicture(page, 'remote-full-1440');
  await button(page, 'Leave full screen').click();
  await button(page, 'Full screen').waitFor();
  screen.close();
  await page.close();
});

test('pictures come quickly after an input, one at a time', async () => {
  const { page, close } = await openRemote(stage);
  let [asked, running, most] = [0, 0, 0];
  page.on('request', (request) => {
    if (!request.url().endsWith('/display/screenshot')) return;
    asked += 1;
    running += 1;
    most = Math.max(most, running);
  });
  const ended = (request: { url: () => string }) => {
    if (request.url().endsWith('/display/screenshot')) running -= 1;
  };
  page.on('requestfinished', ended);
  page.on('requestfailed', ended);
  await page.mouse.click(...(await placeIn(page, 0.5, 0.5)));
  // Without an input there are three at most in this time.
  asked = 0;
  await waitFor(() => asked >= 5, { timeoutMs: 4500, intervalMs: 20, what: 'five pictures' });
  assert.equal(most, 1);
  await close();
});

test('axe finds nothing while it is on, and nothing is cut off', async () => {
  for (const language of LANGUAGES) {
    const { page, close } = await openRemote(stage, { language });
    await waitForView(page);
    await page.mouse.click(...(await placeIn(page, 0.4, 0.4)));
    await page.locator('.remote-marker').waitFor();
    for (const size of SIZES) {
      await page.setViewportSize(size);
      const where = `remote-on-${language}-${size.width}`;
      await checkWidth(page, where);
      await savePicture(page, where);
      if (language !== 'en') continue;
      await checkTargets(page, where);
      for (const theme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme: theme });
        await checkAccessibility(page, `${where}-${theme}`);
      }
    }
    await close();
  }
  await allow(stage, false);
  for (const size of SIZES) {
    const page = await stage.open({ path: '/remote', ...size });
    await page.getByRole('heading', { name: 'Remote control is off' }).waitFor();
    await savePicture(page, `remote-off-en-${size.width}`);
    await page.close();
  }
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
