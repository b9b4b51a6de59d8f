/** Every view: accessible, and nothing is cut off. `npm run test:full` looks at all themes, sizes and languages. */
import { after, before, test } from 'node:test';
import { FULL_RUN } from '../../testing/long-runs.ts';
import { zip } from '../../testing/zip.ts';
import { VIEW_PATHS } from '../src/app/paths.ts';
import { checkAccessibility, checkTargets, checkWidth, Stage, savePicture, waitForView } from './stage.ts';

const VIEWS = { ...VIEW_PATHS, missing: '/nothing/here' };
const PHONE = { width: 360, height: 640 };
const LAPTOP = { width: 1440, height: 900 };
const TABLET = { width: 768, height: 1024 };
const THEMES = ['light', 'dark'] as const;
/** There are many combinations, so only the full run looks at all. */
const isFull = process.env[FULL_RUN] !== undefined;
/** Sizes with themes for axe: each size and each theme once, or all. */
const LOOKS = isFull
  ? [PHONE, LAPTOP].flatMap((size) => THEMES.map((theme) => ({ size, theme })))
  : [
      { size: PHONE, theme: 'light' as const },
      { size: LAPTOP, theme: 'dark' as const },
    ];
/** Languages and sizes for the width: the longest words in the smallest window, or all. */
const LANGUAGES = isFull ? ['en', 'de', 'fr', 'es'] : ['de', 'fr'];
const SIZES = isFull ? [PHONE, TABLET, LAPTOP] : [PHONE, TABLET];

let stage: Stage;
before(async () => {
  stage = await Stage.create();
  await stage.client.patch('/config', { json: { device: { name: 'Lobby screen' } } });
  for (const name of ['menu', 'opening-hours']) {
    await stage.client.upload('/content/{name}', await zip({ 'index.html': '<title>x</title>' }), {
      params: { name },
    });
  }
  await stage.client.post('/display/navigate', { json: { url: 'https://signs.example/lobby?floor=2' } });
});
after(() => stage.close());

test('axe finds nothing in any view, and everything is large enough to press', async () => {
  for (const [name, path] of Object.entries(VIEWS)) {
    const page = await stage.open({ path });
    for (const { size, theme } of LOOKS) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme: theme });
      await waitForView(page);
      const where = `${name}-${theme}-${size.width}`;
      await savePicture(page, where);
      await checkAccessibility(page, where);
      await checkTargets(page, where);
    }
    await page.close();
  }
});

test('axe finds nothing in the menu, in dialogs and in what only sometimes appears', async (t) => {
  t.after(() => stage.gate.mend());
  const page = await stage.open(PHONE);
  const check = async (where: string) => {
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      await checkAccessibility(page, `${where}-${theme}`);
    }
    await checkTargets(page, where);
    await savePicture(page, `${where}-dark-${PHONE.width}`);
  };
  await page.getByRole('button', { name: 'Menu' }).click();
  await check('menu');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Enlarge the picture' }).click();
  await check('enlarged');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Change the name' }).click();
  await check('name');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.goto(`${stage.gate.origin}${VIEW_PATHS.show}`);
  await page.getByLabel('Address').fill('http://fails.example/');
  await page.keyboard.press('Enter');
  await page.locator('.step-failed').waitFor();
  await check('failed');
  await page.getByRole('button', { name: 'Show: the request as code' }).click();
  await check('code');
  await page.keyboard.press('Escape');
  stage.gate.cut();
  await page.getByText(/Connection lost/).waitFor();
  await page.getByRole('button', { name: 'Reload', exact: true }).click();
  await page.getByText('The device cannot be reached.').waitFor();
  await check('offline');
  await page.close();
});

test('nothing is wider than the window', async () => {
  for (const language of LANGUAGES) {
    for (const [name, path] of Object.entries(VIEWS)) {
      const page = await stage.open({ path, language });
      await waitForView(page);
      for (const size of SIZES) {
        await page.setViewportSize(size);
        await checkWidth(page, `${name}, ${language}, ${size.width}`);
      }
      await page.close();
    }
  }
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
