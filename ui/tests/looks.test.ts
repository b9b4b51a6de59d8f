/** Every view in both themes, at three sizes and in four languages: accessible, and nothing is cut off. */
import { after, before, test } from 'node:test';
import { zip } from '../../testing/zip.ts';
import { VIEW_PATHS } from '../src/app/paths.ts';
import { checkAccessibility, checkTargets, checkWidth, Stage, savePicture } from './stage.ts';

const VIEWS = { ...VIEW_PATHS, missing: '/nothing/here' };
const PHONE = { width: 360, height: 640 };
const LAPTOP = { width: 1440, height: 900 };
const SIZES = [PHONE, { width: 768, height: 1024 }, LAPTOP];
const LANGUAGES = ['en', 'de', 'fr', 'es'];

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

test('axe finds nothing in any view, in both themes, and everything is large enough to press', async () => {
  for (const [name, path] of Object.entries(VIEWS)) {
    const page = await stage.open({ path });
    for (const size of [PHONE, LAPTOP]) {
      await page.setViewportSize(size);
      await page.locator('.picture img, .view .button-primary').first().waitFor();
      for (const theme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: theme });
        const where = `${name}-${theme}-${size.width}`;
        await savePicture(page, where);
        await checkAccessibility(page, where);
        await checkTargets(page, where);
      }
    }
    await page.close();
  }
});

test('axe finds nothing in the menu, in dialogs and in what only sometimes appears', async (t) => {
  t.after(() => stage.gate.mend());
  const page = await stage.open(PHONE);
  const check = async (where: string) => {
    for (const theme of ['light', 'dark'] as const) {
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

test('nothing is wider than the window, in any language and size', async () => {
  for (const language of LANGUAGES) {
    for (const [name, path] of Object.entries(VIEWS)) {
      const page = await stage.open({ path, language });
      await page.locator('.picture img, .view .button-primary').first().waitFor();
      for (const size of SIZES) {
        await page.setViewportSize(size);
        await checkWidth(page, `${name}, ${language}, ${size.width}`);
      }
      await page.close();
    }
  }
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
