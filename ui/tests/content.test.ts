/** The view "Content": real archives and folders, in a real browser, to a real agent. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { waitFor } from '../../testing/wait.ts';
import { zip } from '../../testing/zip.ts';
import {
  checkAccessibility,
  checkTargets,
  checkWidth,
  LANGUAGES,
  Stage,
  savePicture,
  WIDTHS,
} from './stage.ts';

const FILES = { 'index.html': '<title>Menu</title>' };
/** An upload that takes some seconds at the speed of a slow link. */
const LARGE_BYTES = 24 * 2 ** 20;
/** Bytes per second. */
const SLOW = 2 ** 20;

let stage: Stage;
let folder: string;
before(async () => {
  stage = await Stage.create();
  folder = await mkdtemp(join(tmpdir(), 'vitrine-content-'));
});
after(async () => {
  await stage.close();
  await rm(folder, { recursive: true });
});

/** Makes a folder of files, and gives its path. */
async function makeFolder(name: string, files: Record<string, string | Buffer>): Promise<string> {
  const root = join(folder, name);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

const choose = (page: Page, name: string, buffer: Buffer) =>
  page
    .getByLabel('Drop a folder or a zip archive here')
    .setInputFiles({ name, mimeType: 'application/zip', buffer });
const upload = (page: Page) => page.getByRole('button', { name: 'Upload', exact: true });
const item = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Bundles on the device' }).locator('.item', { hasText: name });
const bundles = async () => (await stage.client.get('/content')).bundles;
const namesOf = async () => (await bundles()).map(({ name }) => name);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Stores a bundle without the app. */
async function store(name: string): Promise<void> {
  await stage.client.upload('/content/{name}', await zip(FILES), { params: { name } });
  await waitFor(async () => (await namesOf()).includes(name), {
    timeoutMs: 60_000,
    what: `the bundle ${name}`,
  });
}

/** The file of a bundle on the device. */
async function fileOf(name: string): Promise<string> {
  const files = await readdir(join(stage.agent.folder, 'content'));
  const file = files.find((one) => one.startsWith(`${name}.`));
  assert.ok(file, name);
  return join(stage.agent.folder, 'content', file);
}

/** @returns what limits how fast a page sends, in bytes per second; -1 for no limit */
async function linkOf(page: Page): Promise<(bytesPerSecond: number) => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  return async (bytesPerSecond) => {
    const limits = { latency: 0, downloadThroughput: -1, uploadThroughput: bytesPerSecond };
    await session.send('Network.emulateNetworkConditions', { offline: false, ...limits });
  };
}

/** Drags a file or folder of this computer onto the page, as a file manager does. */
async function drop(page: Page, path: string): Promise<void> {
  const box = await page.locator('.drop').boundingBox();
  assert.ok(box);
  const session = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', {
      type,
      x: box.x + box.width / 2,
      y: box.y + box.height / 2,
      data: { items: [], files: [path], dragOperationsMask: 1 },
    });
  }
}

test('a folder is packed, sent, checked and listed; the device has exactly its files', async () => {
  const files = {
    'index.html': '<title>Lobby</title>',
    'js/app.js': 'export const x = 1;\n'.repeat(20_000),
    'clip.mp4': randomBytes(3 * 2 ** 20),
    'büro/ü 😀.txt': 'ü',
    'empty.css': '',
  };
  const root = await makeFolder('Lobby Menü', { ...files, '.DS_Store': 'x' });
  const page = await stage.open({ path: '/content' });
  await page.getByLabel('Choose a folder', { exact: true }).setInputFiles(root);
  await page.getByText(/5 files · .* · 1 hidden file is left out/).waitFor();
  assert.equal(await page.getByLabel('Name of the bundle').inputValue(), 'lobby-menu');
  await upload(page).click();
  await page.locator('.toast-good', { hasText: 'lobby-menu is stored on the device' }).waitFor();
  await item(page, 'lobby-menu').waitFor();
  const stored = unzipSync(await readFile(await fileOf('lobby-menu')));
  const expected = Object.entries(files).map(([path, content]) => [path, sha256(Buffer.from(content))]);
  assert.deepEqual(
    Object.entries(stored).map(([path, content]) => [path, sha256(content)]),
    expected.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  );
  assert.equal(
    (await stage.client.post('/content/{name}/check', { params: { name: 'lobby-menu' } })).ok,
    true,
  );
  await page.close();
});

test('what the device would refuse is not sent, and it is said what to do', async () => {
  const page = await stage.open({ path: '/content' });
  const before = await namesOf();
  const cases: [files: Record<string, string> | Buffer, words: RegExp][] = [
    [{ 'app/index.html': 'x' }, /in its folder “app”\. Unpack the archive/],
    [{ 'Index.HTML': 'x' }, /called “Index\.HTML”/],
    [{ 'readme.txt': 'x' }, /There is no page index\.html/],
    [{ 'index.html': 'x', 'a.js': 'x', 'A.js': 'x' }, /“A\.js” exists twice/],
    [Buffer.from('PK, but no archive'), /not a zip archive/],
  ];
  for (const [files, words] of cases) {
    await choose(page, 'wrong.zip', Buffer.isBuffer(files) ? files : await zip(files));
    await page.getByText(words).waitFor();
    assert.equal(await upload(page).count(), 0);
    await page.getByRole('button', { name: 'Choose something else' }).click();
  }
  assert.deepEqual(await namesOf(), before);
  await page.close();
});

test('a dropped folder whose page is in a folder inside is offered that folder as the root', async () => {
  const root = await makeFolder('project', {
    'README.md': 'x',
    'dist/index.html': '<title>x</title>',
    'dist/js/app.js': 'x',
    ...Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`dist/img/${index}.svg`, '<svg/>'])),
  });
  const page = await stage.open({ path: '/content' });
  await drop(page, root);
  await page.getByRole('button', { name: 'Use the folder dist' }).click();
  await page.getByText(/152 files/).waitFor();
  const name = page.getByLabel('Name of the bundle');
  assert.equal(await name.inputValue(), 'project');
  await name.fill('Signs!');
  await page.getByText(/Use 1 to 63 small letters/).waitFor();
  assert.equal(await upload(page).isDisabled(), true);
  await name.fill('signs');
  await name.press('Enter');
  await item(page, 'signs').waitFor();
  const stored = Object.keys(unzipSync(await readFile(await fileOf('signs'))));
  assert.equal(stored.length, 152);
  assert.ok(stored.includes('index.html') && stored.includes('img/149.svg'));
  await page.close();
});

test('a bundle is replaced only after a question, and its checksum is that of the file', async () => {
  await store('menu');
  const before = (await bundles()).find(({ name }) => name === 'menu')?.sha256;
  const page = await stage.open({ path: '/content' });
  const archive = await zip({ 'index.html': '<title>New menu</title>' });
  await choose(page, 'Menu (1).zip', archive);
  await page.getByText('The device has a bundle with this name already.').waitFor();
  const replace = page.getByRole('button', { name: 'Replace', exact: true });
  const dialog = page.getByRole('dialog', { name: 'Replace menu?' });
  await replace.click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await bundles()).find(({ name }) => name === 'menu')?.sha256, before);
  await replace.click();
  await dialog.getByRole('button', { name: 'Replace', exact: true }).click();
  await page.locator('.toast-good', { hasText: 'menu is stored' }).waitFor();
  await page.getByRole('button', { name: 'Details: menu' }).click();
  await page.getByText(sha256(archive)).waitFor();
  assert.equal((await bundles()).find(({ name }) => name === 'menu')?.sha256, sha256(archive));
  await page.close();
});

test('an upload shows its bytes and speed, can be cancelled and repeated, and goes on in other views', async () => {
  const page = await stage.open({ path: '/content' });
  const limit = await linkOf(page);
  await limit(SLOW);
  await choose(page, 'large.zip', await zip({ 'index.html': 'x', 'clip.mp4': randomBytes(LARGE_BYTES) }));
  await upload(page).click();
  await page.getByText(/\d MB of 25.2 MB · [\d.]+ [kM]B\/s · \d+ sec left/).waitFor();
  await checkState(page, 'content-sending', true);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.locator('.toast-good', { hasText: 'Cancelled. Nothing was stored.' }).waitFor();
  assert.ok(!(await namesOf()).includes('large'));
  await upload(page).click();
  await page.getByText(/\d MB of 25.2 MB/).waitFor();
  await page.getByRole('link', { name: 'Show', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Show' }).waitFor();
  await limit(-1);
  await page.locator('.toast-good', { hasText: 'large is stored' }).waitFor();
  assert.ok((await namesOf()).includes('large'));
  await page.close();
});

test('what the device finds, and a lost connection, are said beside the button', async () => {
  const page = await stage.open({ path: '/content' });
  const archive = await zip({ 'index.html': 'x', 'clip.mp4': randomBytes(LARGE_BYTES) });
  const damaged = Buffer.from(archive);
  damaged.writeUInt8(damaged.readUInt8(LARGE_BYTES / 2) ^ 1, LARGE_BYTES / 2);
  await choose(page, 'damaged.zip', damaged);
  await upload(page).click();
  await page.getByText('The archive is not a valid bundle.').waitFor();
  await page.getByText(/The entry "clip\.mp4"/).waitFor();
  await page.getByRole('button', { name: 'Choose something else' }).click();
  await choose(page, 'lost.zip', archive);
  const limit = await linkOf(page);
  await limit(SLOW);
  await upload(page).click();
  await page.getByText(/\d MB of 25.2 MB/).waitFor();
  stage.gate.cut();
  await page.getByText('The device cannot be reached.').waitFor();
  stage.gate.mend();
  await limit(-1);
  await page.getByText(/Connection lost/).waitFor({ state: 'detached' });
  await upload(page).click();
  await item(page, 'lost').waitFor();
  assert.ok(!(await namesOf()).includes('damaged'));
  await page.close();
});

test('a bundle is shown, started at boot, checked and deleted', async () => {
  await store('board');
  const page = await stage.open({ path: '/content' });
  const board = item(page, 'board');
  await board.getByRole('button', { name: 'Show board', exact: true }).click();
  await board.getByText('On the screen', { exact: true }).waitFor();
  await board.locator('img').waitFor();
  assert.equal((await stage.client.get('/display')).bundle, 'board');
  await board.getByRole('button', { name: 'Details: board' }).click();
  assert.equal(await board.getByRole('button', { name: 'Delete: board', exact: true }).isDisabled(), true);
  await board.getByText('It is on the screen, so it cannot be deleted.').waitFor();
  await board.getByRole('button', { name: 'Start at boot: board', exact: true }).click();
  await board.getByText('Starts at boot', { exact: true }).waitFor();
  assert.equal(await bootBundle(), 'board');

  await board.getByRole('button', { name: 'Check: board', exact: true }).click();
  await board.getByText('Undamaged').waitFor();
  const path = await fileOf('board');
  const bytes = await readFile(path);
  bytes.writeUInt8(bytes.readUInt8(50) ^ 1, 50);
  await writeFile(path, bytes);
  await board.getByRole('button', { name: 'Check: board', exact: true }).click();
  await board.getByText('Upload it again, or delete it.').waitFor();

  await stage.client.post('/display/waiting');
  await board.getByRole('button', { name: 'Delete: board', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete board?' });
  await dialog.getByText('It starts at boot.').waitFor();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await board.waitFor({ state: 'detached' });
  assert.ok(!(await namesOf()).includes('board'));
  await page.getByText('The bundle board is to start at boot, but').waitFor();
  await page.getByRole('button', { name: 'Do not start at boot', exact: true }).click();
  await page.getByText('The bundle board is to start at boot, but').waitFor({ state: 'detached' });
  assert.equal(await bootBundle(), null);
  await page.close();
});

async function bootBundle(): Promise<unknown> {
  const config: { display?: { boot_bundle?: unknown } } = await stage.client.get('/config');
  return config.display?.boot_bundle;
}

test('everything that appears is accessible and fits', async () => {
  await store('welcome');
  await stage.client.post('/display/bundle', { json: { name: 'welcome' } });
  await stage.client.patch('/config', { json: { display: { boot_bundle: 'welcome' } } });
  const wrong = await zip({ 'app/index.html': 'x' });
  const right = await zip({ 'index.html': 'x' });
  for (const language of LANGUAGES) {
    const page = await stage.open({ path: '/content', language });
    const files = page.locator('.drop input').last();
    const states: [name: string, reach: () => Promise<void>][] = [
      ['details', () => page.locator('.item', { hasText: 'welcome' }).locator('[aria-expanded]').click()],
      ['wrong', () => files.setInputFiles({ name: 'w.zip', mimeType: 'application/zip', buffer: wrong })],
      ['right', () => files.setInputFiles({ name: 'r.zip', mimeType: 'application/zip', buffer: right })],
    ];
    for (const [state, reach] of states) {
      await page.locator('.drop').waitFor();
      await reach();
      await page
        .locator(state === 'details' ? '.content-details' : 'h3:focus')
        .first()
        .waitFor();
      await checkState(page, `content-${state}-${language}`, language === LANGUAGES[0]);
      if (state !== 'details')
        await page.locator('.card').first().locator('.button-secondary').first().click();
    }
    await page.close();
  }
});

async function checkState(page: Page, name: string, isWhole: boolean): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await checkWidth(page, `${name}-${width}`);
    if (!isWhole) continue;
    await checkTargets(page, name);
    await savePicture(page, `${name}-${width}`);
    for (const theme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await checkAccessibility(page, `${name}-${width}-${theme}`);
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

test('no page has thrown or broken its policy', () => stage.checkComplaints());
