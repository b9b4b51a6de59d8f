import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { TargetFile } from './target-file.ts';

let folder: string;
const log = { warn: () => undefined };
const file = (boot: string) => new TargetFile(join(folder, 'run'), join(folder, 'data'), boot, log);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-target-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('a restart reads every target, another boot only a lasting one', async () => {
  const target = { mode: 'url', url: 'http://a/' } as const;
  await file('one').save(target, false);
  assert.deepEqual(await file('one').current(), target);
  assert.equal(await file('two').current(), undefined);
  assert.equal(await file('one').last(), undefined);
  await file('one').save(target, true);
  assert.deepEqual(await file('two').last(), target);
  const bundle = { mode: 'bundle', name: 'menu' } as const;
  await file('two').save(bundle, true);
  assert.deepEqual(await file('three').last(), bundle);
});

test('stores the last of several saves', async () => {
  const store = file('one');
  await Promise.all([1, 2, 3, 4, 5].map((n) => store.save({ mode: 'url', url: `http://${n}/` }, true)));
  assert.deepEqual(await store.current(), { mode: 'url', url: 'http://5/' });
  assert.deepEqual(await store.last(), { mode: 'url', url: 'http://5/' });
});

test('stores the last target although saves before it failed', async () => {
  // A file in the place of the folder.
  await writeFile(join(folder, 'data'), '');
  const store = file('one');
  const saves = [1, 2, 3].map((n) => store.save({ mode: 'url', url: `http://${n}/` }, true));
  const settled = await Promise.allSettled(saves);
  assert.deepEqual(new Set(settled.map(({ status }) => status)), new Set(['rejected']));
  assert.deepEqual(await store.current(), { mode: 'url', url: 'http://3/' });
});

test('sets a file aside that it cannot use, and says so', async () => {
  const path = join(folder, 'data/display.json');
  const store = file('one');
  await store.save({ mode: 'waiting' }, true);
  assert.ok((await stat(path)).isFile());
  const nameless = '{"boot":"one","target":{"mode":"bundle"}}';
  const texts = ['', '{', '{"boot":"one","target":{"mode":"url"}}', nameless, 'null', '{"schema":2}'];
  const places = texts.map((text) => () => writeFile(path, text));
  for (const place of [...places, () => mkdir(path), async () => execFileSync('mkfifo', [path])]) {
    await rm(path, { force: true });
    await place();
    const next = file('two');
    assert.deepEqual(next.problems(), []);
    assert.equal(await next.last(), undefined);
    assert.match(next.problems().join(), /^What was last shown cannot be read: .* It was kept as display\./);
    await next.save({ mode: 'waiting' }, true);
    assert.deepEqual(await file('three').last(), { mode: 'waiting' });
  }
  assert.equal(
    (await readdir(join(folder, 'data'))).length,
    1 + 1 + 3,
    'the newest three, and the newer one',
  );
});

test('ignores what is no file of this boot in the runtime folder', async () => {
  const path = join(folder, 'run/display.json');
  await mkdir(join(folder, 'run'));
  for (const place of [
    () => mkdir(path),
    async () => execFileSync('mkfifo', [path]),
    () => writeFile(path, '{'),
  ]) {
    await place();
    assert.equal(await file('one').current(), undefined);
    await rm(path, { recursive: true });
  }
});
