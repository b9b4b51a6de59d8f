import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { WebAssets } from '../agent/src/links/web-app.ts';
import { VIEW_PATHS } from '../ui/src/app/paths.ts';
import { buildUi } from './build-ui.ts';

async function build(t: { after(work: () => Promise<void>): void }) {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-ui-'));
  t.after(() => rm(folder, { recursive: true }));
  const sizes = await buildUi(folder);
  const names = (await readdir(folder)).sort();
  const files = await Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name))] as const),
  );
  return { sizes, files: new Map(files) };
}

test('two builds have the same bytes, and compressed copies are those of their files', async (t) => {
  const [one, other] = [await build(t), await build(t)];
  assert.deepEqual(one.files, other.files);
  const copies = [...one.files].filter(([name]) => /\.(?:br|gz)$/.test(name));
  assert.ok(copies.length >= 10);
  for (const [name, bytes] of copies) {
    const whole = name.endsWith('.br') ? brotliDecompressSync(bytes) : gunzipSync(bytes);
    assert.deepEqual(whole, one.files.get(name.slice(0, -3)), name);
  }
});

test('the page loads only files of the build, and nothing is inline', async (t) => {
  const { files } = await build(t);
  const assets: WebAssets = JSON.parse(String(files.get('assets.json')));
  const page = String(files.get('index.html'));
  const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
  assert.ok(loaded.some((address) => /^\/ui\/main-\w+\.js$/.test(address)));
  for (const address of loaded.filter((one) => !one.startsWith('/api/'))) {
    assert.ok(Object.hasOwn(assets.files, address), `${address} is served`);
  }
  assert.doesNotMatch(page, /<(?:script|style)>| (?:style|on\w+)=/, 'nothing inline: the policy forbids it');
  assert.deepEqual(assets.paths, Object.values(VIEW_PATHS));
  for (const { file, compressed } of Object.values(assets.files)) {
    for (const name of compressed ? [file, `${file}.gz`, `${file}.br`] : [file])
      assert.ok(files.has(name), name);
  }
  for (const [path, { immutable }] of Object.entries(assets.files)) {
    assert.equal(immutable, /^\/ui\/[\w.]+-[A-Z0-9]{8}\.(?:js|css)$/.test(path), path);
  }
});

test('several builds at once do not disturb each other, and what an earlier one left is removed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-ui-'));
  t.after(() => rm(folder, { recursive: true }));
  await buildUi(folder);
  const names = await readdir(folder);
  await writeFile(join(folder, 'main-OLDBUILD.js.gz'), '');
  await Promise.all([buildUi(folder), buildUi(folder)]);
  assert.deepEqual((await readdir(folder)).sort(), names.sort());
});
