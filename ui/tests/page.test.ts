/** The view "Page": what is done by clicking is confirmed by the browser that the agent drives, or at the device. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { waitFor } from '../../testing/wait.ts';
import { checkAccessibility, checkTargets, checkWidth, Stage, savePicture, THEMES, WIDTHS } from './stage.ts';

const SOON = { timeoutMs: 60_000, intervalMs: 50 };
const HOSTILE = '<img src=x onerror="window.broken = 1"> \u001b[31mred';

let stage: Stage;
before(async () => {
  stage = await Stage.create();
  await stage.client.post('/display/navigate', { json: { url: 'http://a.example/menu' } });
});
after(() => stage.close());

const open = (size?: { width: number; height: number }) => stage.open({ path: '/page', ...size });
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

async function runScript(page: Page, script: string): Promise<void> {
  const field = page.getByLabel('JavaScript');
  await field.fill(script);
  await field.press('Control+Enter');
}

test('a script runs in the page; its result or exception is listed, and it is remembered', async () => {
  const page = await open();
  const results = page.getByRole('list', { name: 'Results' }).locator('li');
  await runScript(page, 'globalThis.count = 41;\n({ count: count + 1, title: document.title })');
  await results.nth(0).locator('pre', { hasText: '"count": 42' }).waitFor();
  assert.equal(stage.page.globals.count, 41);
  await runScript(page, `throw new Error('${HOSTILE}')`);
  await results.nth(0).locator('pre', { hasText: '<img src=x onerror=' }).waitFor();
  await runScript(page, 'one(\n  two three');
  await results
    .nth(0)
    .getByText(/line 2, column \d+/)
    .waitFor();
  assert.equal(await page.evaluate('document.querySelector("pre img") ?? window.broken'), undefined);
  await savePicture(page, 'page-scripts-light-1440');

  await page.reload();
  const field = page.getByLabel('JavaScript');
  await field.fill('draft');
  await field.press('ArrowUp');
  assert.equal(await field.inputValue(), 'one(\n  two three');
  await field.press('Control+Home');
  await field.press('ArrowUp');
  assert.match(await field.inputValue(), /^throw new Error/);
  await field.press('ArrowDown');
  await field.press('ArrowDown');
  assert.equal(await field.inputValue(), 'draft');
  await page.close();
});

test('a script that could not be run says why, and what to do', async () => {
  const page = await open();
  await stage.client.patch('/config', { json: { browser: { script_timeout_ms: 100 } } });
  await runScript(page, 'await new Promise(() => {})');
  await page.getByText('The script has not ended in time.').waitFor();
  await stage.client.patch('/config', { json: { browser: { script_timeout_ms: null } } });
  await stage.client.post('/display/navigate', { json: { url: 'http://fails.example/' } });
  await runScript(page, '1');
  await page.getByText('The page is not on the screen, or it was left').waitFor();
  await stage.client.post('/display/navigate', { json: { url: 'http://a.example/menu' } });
  await page.close();
});

test("the page's console is followed only while the user wants it, and is text only", async () => {
  const page = await open();
  const follow = page.getByLabel('Follow the console');
  const list = page.getByRole('listbox', { name: 'Console of the page' });
  assert.equal(stage.page.isConsoleWanted, false);
  await follow.check();
  await waitFor(() => stage.page.isConsoleWanted, { ...SOON, what: 'the command' });
  const source = 'http://a.example/js/app.js';
  stage.page.log({ level: 'debug', text: 'a detail' });
  stage.page.log({ level: 'warn', text: HOSTILE, source, line: 7 });
  stage.page.log({ level: 'error', text: `${'x'.repeat(16_000)}end`, source, line: 9, left_out: 3 });
  const rows = list.getByRole('option');
  await rows.filter({ hasText: '3 left out' }).waitFor();
  assert.equal(await rows.count(), 3);
  const warning = rows.filter({ hasText: 'app.js:7' });
  assert.match((await warning.textContent()) ?? '', /Warning/);
  assert.match(
    (await warning.textContent()) ?? '',
    /<img src=x onerror="window.broken = 1"> \\u001b\[31mred/,
  );
  assert.equal(await page.evaluate('document.querySelector(".stream img") ?? window.broken'), undefined);
  assert.ok(((await rows.last().textContent()) ?? '').length < 600, 'a long line is cut in its row');
  await rows.last().click();
  const detail = page.getByRole('region', { name: 'The chosen line' });
  await detail.getByText(`${source}:9`).waitFor();
  assert.match((await detail.locator('pre').textContent()) ?? '', /xend$/);
  await card(page, 'Console of the page').getByLabel('Level').selectOption('warning');
  await waitFor(async () => (await rows.count()) === 2, { ...SOON, what: 'two rows' });
  await page.getByText('The device has left out 3 lines.').waitFor();
  await follow.uncheck();
  await waitFor(() => !stage.page.isConsoleWanted, { ...SOON, what: 'the end of collecting' });
  await follow.check();
  await waitFor(() => stage.page.isConsoleWanted, { ...SOON, what: 'the command again' });
  await page.getByRole('link', { name: 'Overview' }).click();
  await waitFor(() => !stage.page.isConsoleWanted, { ...SOON, what: 'the end with the view' });
  await page.close();
});

test('messages go both ways, and only JSON objects are sent', async () => {
  const page = await open();
  const messages = card(page, 'Messages of the page');
  await messages.getByText('The page does not listen').waitFor();
  assert.ok(await messages.getByRole('button', { name: 'Send', exact: true }).isDisabled());
  stage.page.setChannel(true);
  await messages.getByText('The page listens').waitFor();
  const field = page.getByLabel('Message to the page');
  await field.fill('[1]');
  await field.press('Control+Enter');
  await page.getByText('This is not a JSON object.').waitFor();
  await field.fill('{"text": "Hello", "n": [1]}');
  await messages.getByRole('button', { name: 'Send', exact: true }).click();
  const rows = messages.getByRole('listbox').getByRole('option');
  await rows.filter({ hasText: 'This app' }).waitFor();
  assert.deepEqual(stage.page.got, [{ text: 'Hello', n: [1] }]);
  stage.page.say({ shown: HOSTILE }, 2);
  await rows.filter({ hasText: 'Page' }).nth(1).waitFor();
  await rows.filter({ hasText: 'shown' }).click();
  const text = (await messages.locator('.stream-detail pre').textContent()) ?? '';
  assert.deepEqual(JSON.parse(text), { shown: HOSTILE });
  await messages.getByLabel('From').selectOption('page');
  await waitFor(async () => (await rows.count()) === 2, { ...SOON, what: 'the messages of the page' });
  stage.page.setChannel(false);
  await messages.getByText('The page does not listen').waitFor();
  await page.close();
});

test('what the page may do follows the configuration', async () => {
  const page = await open();
  const rights = card(page, 'What the page may do');
  await rights.getByText('As set for http://a.example.').waitFor();
  const camera = rights.locator('.key-values > div', { hasText: 'Camera' });
  await camera.getByText('Not allowed').waitFor();
  const permissions = [{ origin: 'http://a.example', kind: 'camera' }];
  await stage.client.patch('/config', { json: { browser: { permissions } } });
  await camera.getByText('Allowed', { exact: true }).waitFor();
  await rights.getByRole('link', { name: 'Change in the settings what pages may do' }).click();
  assert.equal(new URL(page.url()).pathname, '/settings');
  await page.close();
});

test('data is deleted only after a question, and a refusal is explained there', async () => {
  const page = await open();
  const atBoot = async () => Object(Object(await stage.client.get('/config')).browser).clear_data_on_boot;
  const atEachStart = page.getByRole('switch', { name: 'Delete it at each start of the device' });
  await atEachStart.click();
  await waitFor(async () => (await atBoot()) === true, { ...SOON, what: 'the setting' });
  await stage.client.patch('/config', { json: { browser: { clear_data_on_boot: false } } });
  await waitFor(async () => !(await atEachStart.isChecked()), {
    ...SOON,
    what: 'the switch to follow',
  });
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/clear-data')) asked.push(request.method());
  });
  await page.getByRole('button', { name: 'Delete all data', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('cookies and logins').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  assert.deepEqual(asked, []);
  await page.getByRole('button', { name: 'Delete all data', exact: true }).click();
  await dialog.getByRole('button', { name: 'Delete all data' }).click();
  // The agent does not own the browser of this computer.
  await dialog.getByText("The browser's data does not belong to this device.").waitFor();
  assert.deepEqual(asked, ['POST']);
  await page.close();
});

test('the view with content is accessible, and nothing is cut off', async () => {
  const page = await open({ width: 360, height: 640 });
  await runScript(page, '({ text: "x".repeat(300) })');
  await page.getByText('"text": "xxx').waitFor();
  await page.getByLabel('Follow the console').check();
  await waitFor(() => stage.page.isConsoleWanted, { ...SOON, what: 'the command' });
  stage.page.log({
    level: 'warn',
    text: 'The menu is older than a day',
    source: 'http://a.example/app.js',
    line: 7,
  });
  stage.page.log({
    level: 'error',
    text: 'TypeError: null is not an object',
    source: 'http://a.example/app.js',
    line: 9,
  });
  stage.page.log({ text: 'Loaded 12 dishes', source: 'http://a.example/app.js', line: 12 });
  stage.page.setChannel(true);
  await page.getByText('The page listens').waitFor();
  stage.page.say({ shown: 'Hello' });
  await page.getByRole('option', { name: /dishes/ }).click();
  await page.getByRole('option', { name: /shown/ }).waitFor();
  await page.getByText('Earlier scripts', { exact: true }).click();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await checkWidth(page, `page with content, ${width}`);
    await checkTargets(page, `page with content, ${width}`);
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      await checkAccessibility(page, `page with content, ${theme}, ${width}`);
      await savePicture(page, `page-content-${theme}-${width}`);
    }
  }
  await page.close();
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
