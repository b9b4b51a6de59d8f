/** The app in a real browser: what is done by clicking is confirmed at the device. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { waitFor } from '../../testing/wait.ts';
import { zip } from '../../testing/zip.ts';
import { Stage } from './stage.ts';

const SOON = { timeoutMs: 60_000, intervalMs: 50 };

let stage: Stage;
before(async () => {
  stage = await Stage.create();
});
after(() => stage.close());

test('the name is changed in place; Escape keeps it', async () => {
  const page = await stage.open();
  await page.getByRole('button', { name: 'Change the name' }).click();
  const field = page.getByLabel('Name of the device');
  await field.fill('Not this one');
  await field.press('Escape');
  assert.equal((await stage.client.get('/device')).name, 'Vitrine');
  await page.getByRole('button', { name: 'Change the name' }).click();
  await field.fill('<b>Lobby</b>');
  await field.press('Enter');
  await page.getByRole('heading', { level: 1, name: '<b>Lobby</b>' }).waitFor();
  assert.equal((await stage.client.get('/device')).name, '<b>Lobby</b>');
  assert.match(await page.title(), /<b>Lobby<\/b>$/);
  await stage.client.patch('/config', { json: { device: { name: 'Lobby screen' } } });
  await page.getByRole('heading', { level: 1, name: 'Lobby screen' }).waitFor();
  await page.close();
});

test('the picture of the screen is live, and is enlarged when it is pressed', async () => {
  const page = await stage.open();
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('screenshot')) asked.push(new URL(request.url()).search);
  });
  const picture = page.getByRole('img', { name: /Picture of what the screen shows/ });
  await picture.first().waitFor();
  const first = await picture.first().getAttribute('src');
  await waitFor(async () => (await picture.first().getAttribute('src')) !== first, {
    ...SOON,
    what: 'a new picture',
  });
  assert.ok(asked.every((search) => search === ''));
  await page.getByRole('button', { name: 'Enlarge the picture' }).click();
  const dialog = page.getByRole('dialog', { name: 'What the screen shows' });
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.close();
});

test('a page is shown: sent, loading, on the screen', async () => {
  const page = await stage.open({ path: '/show' });
  stage.page.holds = true;
  await page.getByLabel('Address').fill('http://a.example/menu');
  await page.getByRole('button', { name: 'Show', exact: true }).first().click();
  await page.locator('.step-running', { hasText: 'Loading' }).waitFor();
  stage.page.release();
  await page.locator('.step-done', { hasText: 'On the screen' }).waitFor();
  assert.equal((await stage.client.get('/display')).target_url, 'http://a.example/menu');
  await page.reload();
  await page.getByRole('button', { name: 'Show http://a.example/menu' }).waitFor();
  await page.getByRole('button', { name: 'Remove http://a.example/menu from the list' }).click();
  await page.getByRole('button', { name: 'Show http://a.example/menu' }).waitFor({ state: 'detached' });
  await page.close();
});

test('a page that fails gives the reason; an impossible address is not sent', async () => {
  const page = await stage.open({ path: '/show' });
  const field = page.getByLabel('Address');
  await field.fill('a.example');
  await field.press('Enter');
  await page.getByText('This is not an address that the device can show.').waitFor();
  await field.fill('http://fails.example/');
  await field.press('Enter');
  await page.locator('.step-failed').waitFor();
  await page.getByText('The host name is unknown.').first().waitFor();
  assert.equal((await stage.client.get('/display')).error?.code, 'load_failed');
  await page.close();
});

test('a bundle, the waiting page, reload and a change by another host', async () => {
  const page = await stage.open({ path: '/show' });
  await stage.client.upload('/content/{name}', await zip({ 'index.html': '<title>Menu</title>' }), {
    params: { name: 'menu' },
  });
  await page.getByRole('button', { name: 'Show menu' }).click();
  await page.locator('.step-done', { hasText: 'On the screen' }).waitFor();
  assert.equal((await stage.client.get('/display')).bundle, 'menu');
  await page.getByRole('button', { name: 'Show Waiting page' }).click();
  await waitFor(async () => (await stage.client.get('/display')).mode === 'waiting', {
    ...SOON,
    what: 'waiting page',
  });
  await page.getByRole('button', { name: 'Show menu' }).waitFor();
  await stage.client.post('/display/bundle', { json: { name: 'menu' } });
  await page.locator('.shown-what', { hasText: 'Bundle menu' }).waitFor();
  await page.locator('.tile', { hasText: 'menu' }).locator('img').waitFor();
  await page.getByRole('button', { name: 'Reload', exact: true }).click();
  await page.locator('.step-done', { hasText: 'On the screen' }).waitFor();
  await page.close();
});

test('a request is copied as code, also where browsers have no clipboard API', async () => {
  const page = await stage.open({ path: '/show' });
  await page.getByLabel('Address').fill("http://a.example/it's");
  for (const isSecure of [true, false]) {
    await page.evaluate(
      `Object.defineProperty(window, 'isSecureContext', { value: ${isSecure}, configurable: true })`,
    );
    await page.getByRole('button', { name: 'Show: the request as code' }).click();
    await page.getByLabel('Python').check();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.locator('.toast-good', { hasText: 'Copied' }).first().waitFor();
    await page.getByRole('button', { name: 'Close' }).last().click();
    const field = page.getByLabel('Address');
    await field.fill('');
    await field.press('ControlOrMeta+v');
    assert.match(await field.inputValue(), /urllib.request.*it's/);
    await field.fill("http://a.example/it's");
  }
  await page.close();
});

test('an unknown address has a page of its own, and a way back', async () => {
  const page = await stage.open({ path: '/nothing/here' });
  await page.getByRole('heading', { level: 1, name: 'There is nothing here' }).waitFor();
  await page.getByText('/nothing/here').waitFor();
  await page.getByRole('link', { name: 'Go to the overview' }).click();
  await page.getByRole('heading', { level: 1, name: 'Lobby screen' }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/');
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'There is nothing here' }).waitFor();
  await page.close();
});

test('views are reached by keyboard alone, and their heading gets the focus', async () => {
  const page = await stage.open();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.className'), 'skip');
  await page.getByRole('link', { name: 'Show', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Show' }).waitFor();
  await waitFor(() => page.evaluate<boolean>("document.activeElement.tagName === 'H1'"), {
    ...SOON,
    what: 'the focus',
  });
  await page.close();
});

test('on a narrow screen the menu has the views, and closes after a choice', async () => {
  const page = await stage.open({ width: 360, height: 640 });
  await page.getByRole('button', { name: 'Menu' }).click();
  const menu = page.getByRole('dialog', { name: 'Menu' });
  await menu.getByRole('link', { name: 'Show' }).click();
  await menu.waitFor({ state: 'detached' });
  assert.equal(new URL(page.url()).pathname, '/show');
  await page.close();
});

test('language and appearance are chosen here, and remembered', async () => {
  const page = await stage.open({ language: 'de-AT' });
  await page.getByLabel('Sprache').selectOption('fr');
  await page.getByRole('link', { name: 'Afficher', exact: true }).waitFor();
  await page.getByLabel('Sombre').check();
  await page.reload();
  await page.getByRole('link', { name: 'Afficher', exact: true }).waitFor();
  assert.equal(await page.getAttribute('html', 'data-theme'), 'dark');
  assert.equal(await page.getAttribute('html', 'lang'), 'fr');
  await page.close();
});

test('the connection comes back by itself, and with it what has changed meanwhile', async () => {
  const page = await stage.open();
  stage.gate.cut();
  await page.getByText(/Connection lost \d+ sec ago/).waitFor();
  await stage.client.patch('/config', { json: { device: { name: 'Renamed meanwhile' } } });
  stage.gate.mend();
  await page.getByRole('heading', { level: 1, name: 'Renamed meanwhile' }).waitFor();
  await page.getByText(/Connection lost/).waitFor({ state: 'detached' });
  await page.close();
});

test('a page from before an update says so', async () => {
  const page = await stage.open();
  const device = await stage.client.get('/device');
  await page.route('**/api/v1/device', (route) => route.fulfill({ json: { ...device, version: '9.9.9' } }));
  await stage.client.patch('/config', { json: { device: { name: 'Updated' } } });
  await page.getByText('The device has version 9.9.9 now.').waitFor();
  await page.close();
});

test('a connection that has fallen silent is noticed', async () => {
  const page = await stage.open();
  await page
    .getByRole('img', { name: /Picture of/ })
    .first()
    .waitFor();
  stage.gate.fallSilent();
  await page.getByText(/Connection lost/).waitFor();
  stage.gate.cut();
  stage.gate.mend();
  await page.getByText(/Connection lost/).waitFor({ state: 'detached' });
  await page.close();
});

test('it works on a link where an answer takes 3 s, and does not take that for a lost connection', async () => {
  stage.gate.latencyMs = 1500;
  const page = await stage.open({ path: '/show' });
  const lost = page.getByText(/Connection lost/);
  await page.getByLabel('Address').fill('http://a.example/slow-link');
  await page.keyboard.press('Enter');
  await page.locator('.step-running').first().waitFor();
  await page.locator('.step-done', { hasText: 'On the screen' }).waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  const picture = page.getByRole('img', { name: /Picture of what the screen shows/ }).first();
  await picture.waitFor();
  const first = await picture.getAttribute('src');
  await waitFor(async () => (await picture.getAttribute('src')) !== first, {
    ...SOON,
    what: 'a new picture',
  });
  await stage.client.patch('/config', { json: { device: { name: 'Far away' } } });
  await page.getByRole('heading', { level: 1, name: 'Far away' }).waitFor();
  assert.equal(await lost.count(), 0);
  await page.close();
  stage.gate.mend();
});

test('no page has thrown or broken its policy', () => stage.checkComplaints());
