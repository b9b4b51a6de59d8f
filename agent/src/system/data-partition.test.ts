import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  dataPartitionProblems,
  initramfsDataReset,
  proveWritable,
  readOnlyProblems,
} from './data-partition.ts';

const init = fileURLToPath(new URL('../../../board/common/initramfs/init', import.meta.url));

test('leaves the flag that the initramfs looks for', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-data-'));
  const reset = initramfsDataReset(join(folder, '.factory-reset'));
  await reset.check();
  assert.deepEqual(await readdir(folder), []);
  await reset.request();
  assert.match(await readFile(join(folder, '.factory-reset'), 'utf8'), /^\d{4}-/);
  assert.match(await readFile(init, 'utf8'), /-e \/sysroot\/data\/\.factory-reset /);
  await rm(folder, { recursive: true });
});

test('refuses where there is no such partition', async () => {
  const reset = initramfsDataReset(undefined);
  await assert.rejects(reset.check(), { code: 'unavailable' });
  await assert.rejects(reset.request(), { code: 'unavailable' });
});

test('tells before the answer that the flag cannot be left', async () => {
  await assert.rejects(initramfsDataReset('/dev/null/.factory-reset').check(), { code: 'EEXIST' });
});

test('says what the initramfs met', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-data-'));
  assert.deepEqual(await dataPartitionProblems(folder), []);
  await writeFile(join(folder, 'data-state'), 'clean\n');
  assert.deepEqual(await dataPartitionProblems(folder), []);
  await writeFile(join(folder, 'data-state'), 'replaced\n');
  assert.match((await dataPartitionProblems(folder)).join(), /everything on it is lost/);
  await rm(folder, { recursive: true });
});

test('proves that a folder can be written', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-data-'));
  await proveWritable(folder);
  assert.deepEqual(await readdir(folder), []);
  await writeFile(join(folder, 'file'), '');
  await assert.rejects(proveWritable(join(folder, 'file')));
  await rm(folder, { recursive: true });
});

test('says when a folder cannot be written any more', () => {
  const failing = (code: string) => () => {
    throw Object.assign(new Error(code), { code });
  };
  assert.deepEqual(readOnlyProblems(tmpdir()), []);
  assert.deepEqual(readOnlyProblems(tmpdir(), failing('ENOENT')), []);
  assert.match(readOnlyProblems(tmpdir(), failing('EROFS')).join(), /read-only/);
});
