/** What the store finds in its folder at the start, mostly after a power cut. */
import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { storedBundle } from './bundle-files.ts';
import { bundle, operationOf, type TestContent, testContent } from './tests/content.ts';

/** Puts a copy of a stored archive beside it, as uploaded so many ms later. */
async function copyAs(content: TestContent, name: string, laterMs: number): Promise<string> {
  const { path, size, sha256, created } = content.store.locate(name) ?? assert.fail(name);
  const copy = storedBundle(content.folder, name, Date.parse(created) + laterMs, { size, sha256 });
  await copyFile(path, copy.path);
  return copy.path;
}

for (const laterMs of [-1000, 1000, -(10 ** 12)]) {
  test(`of two archives of a bundle the newer one counts, the other is removed (${laterMs} ms)`, async (t) => {
    const content = await testContent(t);
    await content.stored('menu', await bundle('x'));
    const stored = content.path('menu');
    const copy = await copyAs(content, 'menu', laterMs);
    await content.restart();
    const newer = laterMs > 0 ? copy : stored;
    assert.equal(content.path('menu'), newer);
    assert.deepEqual(await readdir(content.folder), [basename(newer)]);
  });
}

test('an archive of the wrong size is listed and reported, and can be replaced', async (t) => {
  const content = await testContent(t);
  await content.stored('menu', await bundle('x'));
  await truncate(content.path('menu'), 10);
  await content.restart();
  assert.match(String(content.store.checks.problems()), /bundle menu is damaged: The archive has 10 bytes/);
  assert.equal((await content.store.checks.problem('menu'))?.code, 'bundle_damaged');
  await content.stored('menu', await bundle('x'));
  assert.deepEqual(content.store.checks.problems(), []);
  assert.equal((await readdir(content.folder)).length, 1);
});

test('leftovers of uploads are removed; other files, folders and odd names are left alone', async (t) => {
  const content = await testContent(t);
  await content.stored('menu', await bundle('x'));
  const stored = basename(content.path('menu'));
  const others = ['notes.txt', 'menu.zip', stored.replace('menu', 'Menu'), stored.replace('.zip', '0.zip')];
  for (const file of [...others, '.menu.zip.0123456789ab.tmp'])
    await writeFile(join(content.folder, file), '');
  const folder = stored.replace('menu', 'folder');
  await mkdir(join(content.folder, folder));
  await content.restart();
  assert.deepEqual((await readdir(content.folder)).sort(), [...others, folder, stored].sort());
  const { body } = await content.call('GET', '/content');
  assert.deepEqual(
    JSON.parse(JSON.stringify(body)).bundles.map(({ name }: { name: string }) => name),
    ['menu'],
  );
});

test('a replacement is the newer archive even if the clock was set back', async (t) => {
  const content = await testContent(t);
  await content.stored('menu', await bundle('x'));
  await copyAs(content, 'menu', 10 ** 10);
  await content.restart();
  const before = Date.parse(content.store.locate('menu')?.created ?? '');
  const archive = await bundle('y');
  await content.stored('menu', archive);
  assert.equal(Date.parse(content.store.locate('menu')?.created ?? ''), before + 1);
});

test('an upload succeeds if the replaced archive cannot be removed', async (t) => {
  const content = await testContent(t);
  await content.stored('menu', await bundle('x'));
  const earlier = content.path('menu');
  await rename(earlier, `${earlier}.gone`);
  await mkdir(earlier);
  await writeFile(join(earlier, 'x'), '');
  const { operation_id: id } = operationOf(await content.put('menu', await bundle('y')));
  assert.equal((await content.ended(id)).state, 'done');
  await rm(earlier, { recursive: true });
  assert.notEqual(content.path('menu'), earlier);
});
