import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { dataPartitionProblems, ERASE_UNIT, initramfsDataReset, proveLasting } from './data-partition.ts';

const init = fileURLToPath(new URL('../../../board/common/initramfs/init', import.meta.url));
const overlay = fileURLToPath(new URL('../../../overlay', import.meta.url));

/** A reset with one folder as /data and /run/vitrine, and the services that it has run. */
async function resetIn(
  folder: string,
  state = 'clean',
  flag: string | undefined = join(folder, '.factory-reset'),
) {
  const services: string[] = [];
  await writeFile(join(folder, 'data-state'), `${state}\n`);
  const runService = async (unit: string) => void services.push(unit);
  return { services, reset: initramfsDataReset({ flag, runtimeFolder: folder, runService }) };
}

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-data-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('creates the flag that the initramfs looks for', () =>
  withFolder(async (folder) => {
    const { reset, services } = await resetIn(folder);
    await reset.check();
    assert.deepEqual(await readdir(folder), ['data-state']);
    await reset.request();
    assert.match(await readFile(join(folder, '.factory-reset'), 'utf8'), /^\d{4}-/);
    assert.match(await readFile(init, 'utf8'), /-e \/sysroot\/data\/\.factory-reset /);
    await reset.withdraw();
    assert.deepEqual(await readdir(folder), ['data-state']);
    assert.deepEqual(services, []);
  }));

test('erases a partition that could not be mounted, where a flag would be lost', () =>
  withFolder(async (folder) => {
    const { reset, services } = await resetIn(folder, 'unusable');
    await reset.check();
    assert.deepEqual(services, []);
    await reset.request();
    assert.deepEqual(services, [ERASE_UNIT]);
    assert.deepEqual(await readdir(folder), ['data-state']);
    assert.ok(existsSync(join(overlay, 'usr/lib/systemd/system', ERASE_UNIT)));
  }));

test('is unavailable without a data partition', () =>
  withFolder(async (folder) => {
    const { reset: missing } = await resetIn(folder, 'missing');
    await assert.rejects(missing.check(), { code: 'unavailable' });
    const runService = () => assert.fail('no service may run');
    const foreign = initramfsDataReset({ flag: undefined, runtimeFolder: folder, runService });
    await assert.rejects(foreign.check(), { code: 'unavailable' });
    await assert.rejects(foreign.request(), { code: 'unavailable' });
  }));

test('fails before the answer when the flag cannot be created', () =>
  withFolder(async (folder) => {
    const { reset } = await resetIn(folder, 'clean', '/dev/null/.factory-reset');
    await assert.rejects(reset.check(), { code: 'EEXIST' });
  }));

test('reports the state that the initramfs found', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-data-'));
  assert.deepEqual(await dataPartitionProblems(folder), []);
  await writeFile(join(folder, 'data-state'), 'clean\n');
  assert.deepEqual(await dataPartitionProblems(folder), []);
  await writeFile(join(folder, 'data-state'), 'replaced\n');
  assert.match((await dataPartitionProblems(folder)).join(), /everything on it is lost/);
  await writeFile(join(folder, 'data-state'), 'unusable\n');
  assert.match((await dataPartitionProblems(folder)).join(), /left as it is.*factory/);
  await rm(folder, { recursive: true });
});

test('checks that written data can be read back', () =>
  withFolder(async (folder) => {
    await proveLasting(folder, folder);
    assert.deepEqual(await readdir(folder), []);
    await writeFile(join(folder, 'file'), '');
    await assert.rejects(proveLasting(join(folder, 'file'), folder));
    await writeFile(join(folder, 'data-state'), 'unusable\n');
    await assert.rejects(proveLasting(folder, folder), /left as it is/);
  }));
