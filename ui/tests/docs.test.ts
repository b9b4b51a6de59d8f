/** The page of the API's documentation in a browser, from the agent with its headers. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { FULL_RUN } from '../../testing/long-runs.ts';
import { type RunningAgent, startAgent } from '../../testing/running-agent.ts';
import { waitFor } from '../../testing/wait.ts';
import { AppBrowser, type OpenOptions } from './app-browser.ts';
import { checkAccessibility, checkWidth } from './stage.ts';

/** axe needs some seconds for the whole page. Widths in px. */
const LOOKS: readonly [number, 'light' | 'dark'][] =
  process.env[FULL_RUN] === undefined
    ? [
        [1280, 'light'],
        [390, 'dark'],
      ]
    : [1280, 390].flatMap((width) =>
        (['light', 'dark'] as const).map((theme): [number, typeof theme] => [width, theme]),
      );
const SOON = { timeoutMs: 20_000, intervalMs: 50 };

let agent: RunningAgent;
let browser: AppBrowser;
let origin = '';
/** Every address that a page has asked for. */
const asked: string[] = [];
before(async () => {
  agent = await startAgent({ isQuiet: true });
  origin = new URL(agent.api).origin;
  browser = await AppBrowser.launch();
});
after(async () => {
  await browser.close();
  await agent.stop();
});

async function open(options: OpenOptions = {}, hash = ''): Promise<Page> {
  return await browser.visit({
    ...{ origin, path: `/api/v1/docs${hash}` },
    ...options,
    prepare: async (page) => {
      page.on('request', (request) => asked.push(request.url()));
    },
  });
}

const code = (page: Page, operation: string) => page.locator(`#${operation} .samples pre:visible`);

for (const [width, theme] of LOOKS) {
  test(`is accessible and fits at ${width} px, ${theme}`, async () => {
    const page = await open({ width, theme });
    const where = `docs-${theme}-${width}`;
    await page.locator('#navigate .shape > summary').first().click();
    await page.locator('#navigate .shape .fields').waitFor();
    await checkAccessibility(page, where);
    await checkWidth(page, where);
    await page.keyboard.press('/');
    await page.keyboard.type('bundle');
    await page.getByRole('option').first().waitFor();
    await checkAccessibility(page, `${where}, search`, 'dialog');
    await page.keyboard.press('Escape');
    if (width === 390) {
      await page.getByRole('button', { name: 'Contents' }).click();
      await page.getByRole('navigation').waitFor();
      await checkAccessibility(page, `${where}, contents`, 'nav');
    }
    await page.close();
  });
}

test('the search finds operations, fields, events and errors, and goes there', async () => {
  const page = await open();
  const searches = [
    ['navigate', 'operation POST /display/navigate', '#navigate'],
    ['store bundle', 'operation PUT /content/{name}', '#uploadBundle'],
    ['buzzer_ms', 'field buzzer_ms', '#giveNfcFeedback'],
    ['network_changed', 'event network_changed', '#topic-network_changed'],
    ['bundle_in_use', 'error bundle_in_use', '#error-bundle_in_use'],
    ['hawkbitstatus', 'shape HawkbitStatus', '#shape-HawkbitStatus'],
  ] as const;
  for (const [query, result, hash] of searches) {
    await page.keyboard.press('/');
    await page.keyboard.type(query);
    const first = page.getByRole('option', { selected: true });
    const told = (await first.locator('span').allTextContents()).join(' ');
    assert.ok(told.startsWith(result), told);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.equal(new URL(page.url()).hash, hash);
    assert.ok(await page.locator(`.found, ${hash}:not(:has(.found))`).first().isVisible());
  }
  await page.keyboard.press('/');
  await page.keyboard.type('xyzzy');
  await page.getByText('Nothing found.').waitFor();
  await page.close();
});

test('samples are in the chosen language, with the address of this device, and are copied', async () => {
  const page = await open({}, '#setAudio');
  assert.match(
    (await code(page, 'setAudio').textContent()) ?? '',
    new RegExp(`^curl -X POST ${origin}/api/v1/audio`),
  );
  const python = page.locator('#setAudio').getByRole('radio', { name: 'Python' });
  const top = async () => (await python.boundingBox())?.y ?? 0;
  const before = await top();
  await python.check();
  assert.ok(Math.abs((await top()) - before) <= 1, 'the page has jumped');
  const text = await code(page, 'getDevice').textContent();
  assert.equal(
    text,
    `import vitrine\n\nwith vitrine.connect("${origin}") as device:\n    print(device.get("/device"))`,
  );
  await page.reload();
  assert.equal(await code(page, 'getDevice').textContent(), text);
  for (const isSecure of [true, false]) {
    await page.evaluate(
      `Object.defineProperty(window, 'isSecureContext', { value: ${isSecure}, configurable: true })`,
    );
    await page.locator('#getDevice').getByRole('button', { name: 'Copy' }).click();
    await page.locator('#getDevice').getByRole('button', { name: 'Copied' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.press('ControlOrMeta+v');
    assert.match(await page.getByRole('combobox').inputValue(), /^import vitrine/);
    await page.keyboard.press('Escape');
    await page.reload();
  }
  await page.close();
});

test('on a phone the contents open, lead to an operation and close', async () => {
  const page = await open({ width: 390 });
  const contents = page.locator('#contents');
  assert.equal(await contents.isVisible(), false);
  await page.getByRole('button', { name: 'Contents' }).click();
  await contents.getByRole('link', { name: 'GET /display/screenshot' }).click();
  await contents.waitFor({ state: 'hidden' });
  await waitFor(async () => ((await page.locator('#takeScreenshot').boundingBox())?.y ?? -1) < 200, {
    ...SOON,
    what: 'the operation in view',
  });
  await page.close();
});

test('without scripts everything can be read, also the samples in each language', async () => {
  const page = await open({ scripts: false });
  await page.getByRole('heading', { name: 'Show a URL' }).waitFor();
  assert.match((await code(page, 'navigate').textContent()) ?? '', /^curl .*http:\/\/10\.55\.77\.1/);
  await page.locator('#navigate').getByRole('radio', { name: 'TypeScript' }).check();
  assert.match((await code(page, 'navigate').textContent()) ?? '', /^import { connect } from '@vitrine/);
  assert.ok(await page.getByRole('link', { name: 'GET /device', exact: true }).isVisible());
  await page.close();
});

test('no page has broken the policy, thrown, or asked for anything else', () => {
  browser.checkComplaints();
  const others = asked.filter((url) => url !== `${origin}/favicon.ico`).map((url) => url.split('#')[0]);
  assert.deepEqual([...new Set(others)], [`${origin}/api/v1/docs`]);
});
