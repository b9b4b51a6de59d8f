import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { findMirror } from './mirror.ts';

test('a mirror is looked for again only if files of apt have changed, its answer is damaged, or it failed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-mirror-'));
  const { PATH, VITRINE_MIRROR } = process.env;
  t.after(async () => {
    process.env.PATH = PATH;
    delete process.env.VITRINE_MIRROR;
    if (VITRINE_MIRROR !== undefined) process.env.VITRINE_MIRROR = VITRINE_MIRROR;
    await rm(folder, { recursive: true });
  });
  delete process.env.VITRINE_MIRROR;
  const [bin, apt, log] = [join(folder, 'bin'), join(folder, 'apt'), join(folder, 'log')];
  for (const each of [bin, apt]) await mkdir(each);
  const sources = join(apt, 'debian.sources');
  await writeFile(sources, 'http://a.example/debian/');
  await writeFile(log, '');
  const program = async (name: string, script: string) => {
    await writeFile(join(bin, name), `#!/bin/sh\necho asked >>'${log}'\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  };
  await program('apt-get', `echo "$(cat '${sources}') suite"\necho other`);
  process.env.PATH = [bin, PATH].join(delimiter);
  const find = async () => {
    const mirror = await findMirror(folder, [apt, join(folder, 'missing')]);
    return [mirror, readFileSync(log, 'utf8').split('\n').length - 1];
  };
  assert.deepEqual(await find(), ['http://a.example/debian', 1]);
  assert.deepEqual(await find(), ['http://a.example/debian', 1]);
  await writeFile(sources, 'http://b.example/debian');
  assert.deepEqual(await find(), ['http://b.example/debian', 2]);
  // The same size.
  await writeFile(sources, 'http://c.example/debian');
  await utimes(sources, 1, 1);
  assert.deepEqual(await find(), ['http://c.example/debian', 3]);
  await writeFile(join(folder, 'mirror.json'), '{');
  assert.deepEqual(await find(), ['http://c.example/debian', 4]);
  // As on Ubuntu: apt has no source of Debian, and mmdebstrap's default is used.
  await program('apt-get', ':');
  await program('mmdebstrap', 'echo "deb http://m.example/debian/ stable main" >&2; exit 1');
  await writeFile(sources, '');
  assert.deepEqual(await find(), ['http://m.example/debian', 6]);
  assert.deepEqual(await find(), ['http://m.example/debian', 6]);
  await program('apt-get', 'exit 100');
  await writeFile(sources, 'changed');
  assert.deepEqual(await find(), ['http://m.example/debian', 8]);
  assert.deepEqual(await find(), ['http://m.example/debian', 10]);
  process.env.VITRINE_MIRROR = 'http://d.example';
  assert.deepEqual(await find(), ['http://d.example', 10]);
});
