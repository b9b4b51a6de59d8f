import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sweepTemporaryFiles, writeFileAtomic } from './atomic-file.ts';

let root: string;

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'vitrine-atomic-'));
});

after(() => rm(root, { recursive: true, force: true }));

describe('writeFileAtomic', () => {
  test('creates the folder, replaces the content and leaves no temporary file', async () => {
    const file = join(root, 'new/folder/file.txt');
    await writeFileAtomic(file, 'long content', 0o600);
    await writeFileAtomic(file, 'short', 0o600);
    assert.equal(await readFile(file, 'utf8'), 'short');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(join(root, 'new/folder')), ['file.txt']);
  });

  test('a failed write leaves no temporary file', async () => {
    const folder = join(root, 'failed');
    // A file cannot replace a folder.
    await mkdir(join(folder, 'taken'), { recursive: true });
    await assert.rejects(writeFileAtomic(join(folder, 'taken'), 'x'));
    assert.deepEqual(await readdir(folder), ['taken']);
  });
});

describe('sweepTemporaryFiles', () => {
  test('removes temporary files of interrupted writes and nothing else', async () => {
    const folder = join(root, 'swept');
    await mkdir(join(folder, 'below'), { recursive: true });
    const kept = ['config.json', '.hidden', '.config.json.tmp', 'a.0123456789ab.tmp', '.a.0123456789AB.tmp'];
    const left = ['.config.json.0123456789ab.tmp', '..writable.ffffffffffff.tmp'];
    for (const name of [...kept, ...left]) await writeFile(join(folder, name), '{"sch');
    await writeFile(join(folder, 'below', '.x.0123456789ab.tmp'), '');
    await sweepTemporaryFiles(folder);
    assert.deepEqual((await readdir(folder)).sort(), ['below', ...kept].sort());
    assert.deepEqual(await readdir(join(folder, 'below')), ['.x.0123456789ab.tmp']);
  });

  test('ignores a missing folder and a leftover that cannot be removed', async () => {
    await sweepTemporaryFiles(join(root, 'none'));
    const folder = join(root, 'stays');
    await mkdir(join(folder, '.x.0123456789ab.tmp'), { recursive: true });
    await sweepTemporaryFiles(folder);
  });
});
