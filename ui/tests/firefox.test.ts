/** The main path in Firefox, in the full run only, which has that browser: the other tests are in Chromium. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { ensureTestBrowser } from '../../ci/test-browser.ts';
import { FULL_RUN } from '../../testing/long-runs.ts';
import { waitFor } from '../../testing/wait.ts';
import { zip } from '../../testing/zip.ts';
import { fieldOf } from '../src/app/config-values.ts';
import { Stage } from './stage.ts';

const TIMEOUT_MS = 60_000;
const SOON = { timeoutMs: TIMEOUT_MS, intervalMs: 100 };

if (process.env[FULL_RUN] !== undefined) describe('in Firefox', mainPath);

function mainPath(): void {
  let stage: Stage;
  let browser: Browser;
  let folder: string;
  const complaints: string[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vitrine-firefox-'));
    stage = await Stage.create();
    // playwright-core drives only a changed Firefox.
    const { executablePath, env } = await ensureTestBrowser('firefox');
    // It keeps things in the home folder, too, besides the profile, which is temporary.
    browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath,
      env: { ...env, HOME: folder },
    });
  });
  after(async () => {
    await browser.close();
    await stage.close();
    await rm(folder, { recursive: true });
  });

  const open = async (path: string): Promise<Page> => {
    const page = await browser.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    await page.setViewport({ width: 1440, height: 900 });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (/Content-Security-Policy|Trusted/i.test(message.text())) complaints.push(message.text());
    });
    await page.goto(stage.gate.origin + path);
    await page.waitForSelector('.brand-online');
    return page;
  };
  /** By role and accessible name, as a screen reader finds it. */
  const named = (page: Page, role: string, name: string) =>
    page.locator(`::-p-aria([name="${name}"][role="${role}"])`);
  const text = (page: Page, words: string) => page.locator(`::-p-text(${words})`).wait();
  const press = (page: Page, name: string) => named(page, 'button', name).click();

  test('the name is changed, and the picture of the screen is live', async () => {
    const page = await open('/');
    const picture = () => page.$eval('.picture img', (image) => image.getAttribute('src'));
    await page.waitForSelector('.picture img');
    const first = await picture();
    await waitFor(async () => (await picture()) !== first, { ...SOON, what: 'a new picture' });
    await press(page, 'Change the name');
    await named(page, 'textbox', 'Name of the device').fill('In Firefox');
    await page.keyboard.press('Enter');
    await named(page, 'heading', 'In Firefox').wait();
    assert.equal((await stage.client.get('/device')).name, 'In Firefox');
    await page.close();
  });

  test('a page is shown, and a bundle is uploaded and shown', async () => {
    const page = await open('/show');
    await named(page, 'textbox', 'Address').fill('http://a.example/menu');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.step-done ::-p-text(On the screen)');
    assert.equal((await stage.client.get('/display')).target_url, 'http://a.example/menu');
    await named(page, 'link', 'Content').click();
    const archive = join(folder, 'menu.zip');
    await writeFile(archive, await zip({ 'index.html': '<title>Menu</title>' }));
    const input = await page.waitForSelector('input[aria-label^="Drop a folder"]');
    await input?.uploadFile(archive);
    await press(page, 'Upload');
    await text(page, 'menu is stored on the device');
    await press(page, 'Show menu');
    await waitFor(async () => (await stage.client.get('/display')).bundle === 'menu', {
      ...SOON,
      what: 'the bundle',
    });
    await page.close();
  });

  test('a setting is changed, and the connection comes back by itself', async () => {
    const page = await open('/settings');
    await named(page, 'textbox', 'Search').fill('browser.zoom');
    await named(page, 'checkbox', 'browser.zoom').click();
    await press(page, 'Save changes');
    await text(page, '1 setting was saved.');
    assert.equal(fieldOf(await stage.client.get('/config'), 'browser', 'zoom'), true);
    const lost = () => page.$('::-p-text(Connection lost)');
    stage.gate.cut();
    await waitFor(async () => (await lost()) !== null, { ...SOON, what: 'the lost connection to be said' });
    stage.gate.mend();
    await waitFor(async () => (await lost()) === null, { ...SOON, what: 'the connection to be back' });
    await page.close();
  });

  test('no page has thrown or broken its policy', () => assert.deepEqual(complaints, []));
}
