import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { findMirror } from './mirror.ts';

test('the host’s apt is asked for its mirror again only if its files have changed or its answer is damaged', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-mirror-'));
  const { PATH, VITRINE_MIRROR } = process.env;
  t.after(async () => {
    process.env.PATH = PATH;
    if (VITRINE_MIRROR !== undefined) process.env.VITRINE_MIRROR = VITRINE_MIRROR;
    await rm(folder, { recursive: true });
  });
  delete process.env.VITRINE_MIRROR;
  const [bin, apt, log] = [join(folder, 'bin'), join(folder, 'apt'), join(folder, 'log')];
  for (const each of [bin, apt]) await mkdir(each);
  const sources = join(apt, 'debian.sources');
  await writeFile(sources, 'http://a.example/debian/');
  await writeFile(log, '');
  await writeFile(
    join(bin, 'apt-get'),
    `#!/bin/sh\necho asked >>'${log}'\necho "$(cat '${sources}') suite"\necho other\n`,
  );
  await chmod(join(bin, 'apt-get'), 0o755);
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
  process.env.VITRINE_MIRROR = 'http://d.example';
  assert.deepEqual(await find(), ['http://d.example', 4]);
});
