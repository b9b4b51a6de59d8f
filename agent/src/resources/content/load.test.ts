import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { createLogger } from '../../base/logger.ts';
import { loadBundles, readBundle } from './load.ts';
import { readSidecar, type StoredBundle } from './sidecar.ts';
import { bundle, sha256 } from './tests/content.ts';

const CREATED = '2026-01-02T03:04:05.678Z';
const LATER = '2026-02-03T04:05:06.789Z';

let folder: string;
let levels: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-bundles-'));
  levels = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** What a start finds, and what it logged in `levels`. */
async function load(): Promise<Map<string, Omit<StoredBundle, 'path'>>> {
  const log = createLogger('silent');
  log.warn = () => void levels.push('warn');
  log.error = () => void levels.push('error');
  const { bundles, unread } = await loadBundles(folder, log);
  for (const name of unread) {
    const found = await readBundle(folder, name, log, new AbortController().signal);
    if (found) bundles.set(name, found);
  }
  for (const [name, { path }] of bundles) assert.equal(path, join(folder, `${name}.zip`));
  return new Map([...bundles].map(([name, { path: _path, ...bundle }]) => [name, bundle]));
}

const put = (name: string, data: Buffer | string | object) => {
  const text = typeof data === 'string' || Buffer.isBuffer(data) ? data : JSON.stringify(data);
  return writeFile(join(folder, name), text);
};
const files = () => readdir(folder);
const described = (bytes: Buffer, created = CREATED) => ({
  sha256: sha256(bytes),
  size: bytes.length,
  created,
});

test('a bundle is listed as its sidecar describes it', async () => {
  const bytes = await bundle('a');
  await put('menu.zip', bytes);
  await put('menu.json', described(bytes));
  assert.deepEqual([...(await load())], [['menu', described(bytes)]]);
  assert.deepEqual(levels, []);
});

test('a missing folder is created; a failure to do so does not prevent the start', async () => {
  await rm(folder, { recursive: true });
  assert.equal((await load()).size, 0);
  assert.ok((await stat(folder)).isDirectory());
  await rm(folder, { recursive: true });
  await writeFile(folder, 'a file');
  assert.equal((await load()).size, 0);
  assert.deepEqual(levels, ['error']);
});

for (const sizes of ['another size', 'the same size'] as const) {
  test(`a replacement that was cut is the old or the new archive: ${sizes}`, async () => {
    const older = await bundle('old');
    const newer = await bundle(sizes === 'the same size' ? 'new' : 'newer', 7);
    const same = sizes === 'the same size' ? await bundle('new') : newer;
    for (const [there, created] of [
      [older, CREATED],
      [same, LATER],
    ] as const) {
      await put('menu.zip', there);
      await put('menu.json', { ...described(older), next: described(same, LATER) });
      assert.deepEqual([...(await load())], [['menu', described(there, created)]]);
      const left = await readSidecar(join(folder, 'menu.json'));
      assert.deepEqual(
        left,
        described(there, created),
        'the sidecar describes what is there, and nothing else',
      );
    }
    assert.deepEqual(levels, []);
  });
}

for (const [what, sidecar] of [
  ['is missing', undefined],
  ['is empty', ''],
  ['is half', '{"sha256":"0'],
  ['is of another kind', '[]'],
  ['has a wrong hash', { sha256: 'x', size: 1, created: CREATED }],
  ['has a wrong size', { sha256: '0'.repeat(64), size: -1, created: CREATED }],
  ['has a wrong time', { sha256: '0'.repeat(64), size: 1, created: 'yesterday' }],
  ['is huge', Buffer.alloc(100_000, ' ')],
] as const) {
  test(`a bundle whose sidecar ${what} is not lost`, async () => {
    const bytes = await bundle('a');
    await put('menu.zip', bytes);
    if (sidecar !== undefined) await put('menu.json', sidecar);
    const { mtime } = await stat(join(folder, 'menu.zip'));
    const expected = described(bytes, mtime.toISOString());
    assert.deepEqual([...(await load())], [['menu', expected]]);
    assert.deepEqual(levels, ['warn']);
    assert.deepEqual(await readSidecar(join(folder, 'menu.json')), expected);
    await load();
    assert.deepEqual(levels, ['warn'], 'the second start has nothing to say');
  });
}

test('a damaged archive is listed as it was stored, and logged', async () => {
  const bytes = await bundle('a', 1000);
  await put('menu.zip', bytes.subarray(0, 100));
  await put('menu.json', described(bytes));
  const damage = `The archive has 100 bytes instead of ${bytes.length}.`;
  assert.deepEqual([...(await load())], [['menu', { ...described(bytes), damage }]]);
  assert.deepEqual(levels, ['error']);
});

test('an archive that is neither the old nor the new one is damaged, although its directory is valid', async () => {
  const other = await bundle('c');
  await put('menu.zip', other);
  const [older, newer] = [described(await bundle('a')), described(await bundle('b'), LATER)];
  assert.deepEqual([older.size, newer.size], [other.length, other.length]);
  await put('menu.json', { ...older, next: newer });
  const [[, found] = assert.fail('it is not listed')] = await load();
  assert.equal(found.sha256, older.sha256);
  assert.match(found.damage ?? '', /not the one that was uploaded/);
  assert.deepEqual(levels, ['error']);
});

test('a file that is not an archive and has no sidecar is listed as damaged', async () => {
  await put('menu.zip', '');
  const [[name, found] = assert.fail('it is not listed')] = await load();
  assert.equal(name, 'menu');
  assert.equal(found.size, 0);
  assert.ok(found.damage);
});

test('leftovers of uploads and deletes are removed; unrelated files are left alone', async () => {
  const bytes = await bundle('a');
  await put('menu.zip', bytes);
  await put('menu.json', described(bytes));
  await put('orphan.json', described(bytes));
  for (const name of ['.menu.zip.0123456789ab.tmp', '.menu.json.0123456789ab.tmp']) await put(name, 'half');
  const others = ['notes.txt', 'Menu.zip', '.menu.zip', 'a.b.zip', 'menu.zip.bak'];
  for (const name of others) await put(name, 'mine');
  await mkdir(join(folder, 'folder.zip'));
  await mkdir(join(folder, 'other.json'));
  assert.deepEqual([...(await load()).keys()], ['menu']);
  assert.deepEqual(
    new Set(await files()),
    new Set([...others, 'menu.zip', 'menu.json', 'folder.zip', 'other.json']),
  );
  assert.equal(await readFile(join(folder, 'notes.txt'), 'utf8'), 'mine');
});
