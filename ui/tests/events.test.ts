/** The view "Events", with a real agent. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { waitFor } from '../../testing/wait.ts';
import { checkAccessibility, checkTargets, checkWidth, Stage, savePicture, THEMES, WIDTHS } from './stage.ts';

const SOON = { timeoutMs: 60_000, intervalMs: 50 };

let stage: Stage;
before(async () => {
  stage = await Stage.create();
});
after(() => stage.close());

const rowsOf = (page: Page) => page.getByRole('listbox', { name: 'Events' }).getByRole('option');
const rename = (name: string) => stage.client.patch('/config', { json: { device: { name } } });

test('what changes on the device is listed, without passwords, and can be read as JSON', async () => {
  const page = await stage.open({ path: '/events' });
  await page.getByText('Nothing has happened yet').waitFor();
  const psk = 'correct horse battery';
  await stage.client.patch('/config', { json: { device: { name: '<i>Lobby</i>' }, wifi: { ap: { psk } } } });
  const row = rowsOf(page).filter({ hasText: 'config_changed' });
  await row.click();
  const detail = page.getByRole('region', { name: 'The chosen line' });
  const event = JSON.parse((await detail.locator('pre').textContent()) ?? '');
  assert.deepEqual([event.config.device.name, event.config.wifi.ap.psk], ['<i>Lobby</i>', '•••']);
  assert.ok(!(await page.content()).includes(psk));
  assert.equal(await page.evaluate('document.querySelector(".stream i")'), null);
  await page.getByRole('button', { name: 'Go on' }).click();
  await stage.client.post('/display/navigate', { json: { url: 'http://a.example/' } });
  await rowsOf(page)
    .filter({ hasText: 'display_state' })
    .filter({ hasText: 'http://a.example/' })
    .first()
    .waitFor();
  await page.getByLabel('Topic', { exact: true }).selectOption('config_changed');
  await waitFor(async () => (await rowsOf(page).count()) === 1, { ...SOON, what: 'one topic' });
  await page.close();
});

test('only chosen topics are followed, and the choice is remembered', async () => {
  const page = await stage.open({ path: '/events' });
  assert.equal(stage.page.isConsoleWanted, false);
  await page.getByText(/^Topics: \d+ are followed$/).click();
  await page.getByLabel('page_console').check();
  await waitFor(() => stage.page.isConsoleWanted, { ...SOON, what: 'the topic to be produced' });
  stage.page.log({ text: 'from the page' });
  await rowsOf(page).filter({ hasText: 'from the page' }).waitFor();
  await page.getByRole('button', { name: 'None' }).click();
  await waitFor(() => !stage.page.isConsoleWanted, { ...SOON, what: 'the end of the topic' });
  await page.getByLabel('config_changed').check();
  await page.getByText('Topics: 1 is followed').waitFor();
  await page.reload();
  await page.getByText('Topics: 1 is followed').waitFor();
  await rename('Only this');
  await rowsOf(page).filter({ hasText: 'Only this' }).waitFor();
  assert.equal(await rowsOf(page).count(), 1);
  await page.close();
});

test('a loss of the connection is marked in the list', async () => {
  const page = await stage.open({ path: '/events' });
  await rename('Before');
  await rowsOf(page).filter({ hasText: 'Before' }).waitFor();
  stage.gate.cut();
  await page.getByText(/Connection lost/).waitFor();
  await rename('Meanwhile');
  stage.gate.mend();
  await page.getByText(/Connection lost/).waitFor({ state: 'detached' });
  await rename('After');
  const row = rowsOf(page).filter({ hasText: 'After' });
  await row.getByText('Lines may be missing here').waitFor();
  assert.equal(await rowsOf(page).filter({ hasText: 'Meanwhile' }).count(), 0);
  await page.close();
});

test('a flood of messages of a page arrives completely, with a bounded list', async () => {
  const page = await stage.open({ path: '/events' });
  await page.getByText(/^Topics: \d+ are followed$/).click();
  await page.getByRole('button', { name: 'None' }).click();
  await page.getByLabel('page_message').check();
  await stage.client.post('/display/waiting');
  await waitFor(async () => !(await stage.client.get('/display')).loading, { ...SOON, what: 'the page' });
  stage.page.setChannel(true);
  stage.page.say(...Array.from({ length: 10_000 }, (_, n) => ({ number: n })));
  await rowsOf(page).last().filter({ hasText: '9999' }).waitFor();
  await page.getByText('5,000 lines. 5,000 older lines were removed to make room.').waitFor();
  assert.ok((await rowsOf(page).count()) < 60);
  await page.close();
});

test('the view with events is accessible, and nothing is cut off', async () => {
  const page = await stage.open({ path: '/events', width: 360, height: 640 });
  for (const name of ['One', 'Two', 'Lobby screen']) await rename(name);
  await rowsOf(page).filter({ hasText: 'Lobby screen' }).click();
  await page.getByRole('region', { name: 'The chosen line' }).waitFor();
  await page.getByText(/^Topics: \d+ are followed$/).click();
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await checkWidth(page, `events, ${width}`);
    await checkTargets(page, `events, ${width}`);
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      await checkAccessibility(page, `events, ${theme}, ${width}`);
      await savePicture(page, `events-content-${theme}-${width}`);
    }
  }
  await page.close();
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
