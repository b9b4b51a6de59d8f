import assert from 'node:assert/strict';
import { chmod, mkdtemp, open, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { RESERVE_BYTES } from '../base/disk-reserve.ts';
import { ApiError } from '../contract/errors.ts';
import { FileSystemSpace } from './disk-space.ts';

const MIB = 1024 * 1024;
const isDiskFull = (error: unknown) => error instanceof ApiError && error.code === 'insufficient_storage';

async function temporary(t: { after(clean: () => Promise<void>): void }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-space-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A program that replaces fallocate. */
async function program(folder: string, script: string): Promise<string> {
  const path = join(folder, 'fallocate');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

test('reserves space on the disk and extends it', async (t) => {
  const folder = await temporary(t);
  const space = new FileSystemSpace(folder);
  const path = join(folder, '-file');
  await writeFile(path, 'content');
  for (const mib of [4, 8]) {
    await space.reserve(path, mib * MIB);
    const { size, blocks } = await stat(path);
    assert.equal(size, mib * MIB);
    assert.ok(blocks * 512 >= mib * MIB);
  }
  const handle = await open(path);
  assert.equal((await handle.read(Buffer.alloc(7), 0, 7, 0)).buffer.toString(), 'content');
  await handle.close();
  await space.reserve(path, 0);
  const { free_bytes, total_bytes } = await space.free();
  const { blocks, bsize } = await statfs(folder);
  assert.equal(total_bytes, blocks * bsize);
  assert.ok(free_bytes > 0 && free_bytes <= total_bytes);
});

test('keeps the reserve of the device free', async (t) => {
  const folder = await temporary(t);
  const space = new FileSystemSpace(folder);
  const path = join(folder, 'file');
  await writeFile(path, '');
  const { total_bytes } = await space.free();
  await assert.rejects(space.reserve(path, total_bytes), isDiskFull);
  await assert.rejects(space.reserve(path, Number.MAX_SAFE_INTEGER), isDiskFull);
  assert.equal((await stat(path)).size, 0);
});

test('two files never share space where preallocation is not supported', async (t) => {
  const folder = await temporary(t);
  const said = 'echo "fallocate: fallocate failed: Operation not supported" >&2; exit 1';
  for (const command of [await program(folder, said), join(folder, 'not-installed')]) {
    const space = new FileSystemSpace(folder, command);
    const free = { free_bytes: 100 * MIB + RESERVE_BYTES, total_bytes: 1000 * MIB };
    t.mock.method(space, 'free', async () => free);
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    for (const path of [first, second]) await writeFile(path, '');
    await space.reserve(first, 60 * MIB);
    await assert.rejects(space.reserve(second, 60 * MIB), isDiskFull);
    await space.reserve(second, 40 * MIB);
    // What the first file has written no longer counts as free, so it is not subtracted a second time.
    await writeFile(first, Buffer.alloc(10 * MIB, 1));
    free.free_bytes -= 10 * MIB;
    await assert.rejects(space.reserve(second, 42 * MIB), isDiskFull);
    await space.reserve(second, 39 * MIB);
    // Removing the file ends its reservation.
    await rm(first);
    free.free_bytes += 10 * MIB;
    await space.reserve(second, 99 * MIB);
    await rm(second);
  }
});

test('concurrent reservations never exceed the free space', async (t) => {
  const folder = await temporary(t);
  const space = new FileSystemSpace(folder, join(folder, 'not-installed'));
  t.mock.method(space, 'free', async () => ({ free_bytes: 100 * MIB + RESERVE_BYTES, total_bytes: 1 }));
  const paths = Array.from({ length: 8 }, (_, index) => join(folder, `file-${index}`));
  for (const path of paths) await writeFile(path, '');
  const answers = await Promise.allSettled(paths.map((path) => space.reserve(path, 30 * MIB)));
  assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 3);
});

test('a disk that fills up before the allocation is insufficient_storage', async (t) => {
  const folder = await temporary(t);
  for (const reason of ['No space left on device', 'Disk quota exceeded', 'File too large']) {
    const command = await program(folder, `echo "fallocate: fallocate failed: ${reason}" >&2; exit 1`);
    const path = join(folder, 'file');
    await writeFile(path, '');
    await assert.rejects(new FileSystemSpace(folder, command).reserve(path, MIB), isDiskFull);
  }
});
