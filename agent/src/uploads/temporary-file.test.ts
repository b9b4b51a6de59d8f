import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TEMPORARY_FILE } from '../base/atomic-file.ts';
import { ApiError } from '../contract/errors.ts';
import type { DiskSpace } from './ports.ts';
import { TemporaryFile } from './temporary-file.ts';

const MIB = 1024 * 1024;
const hasCode = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

/** A disk with so much space, and the reservations that were asked for. */
function disk(bytes = Number.MAX_SAFE_INTEGER): DiskSpace & { asked: number[] } {
  const asked: number[] = [];
  return {
    asked,
    reserve: async (_path, wanted) => {
      asked.push(wanted);
      if (wanted > bytes) throw new ApiError('insufficient_storage');
    },
    free: async () => ({ free_bytes: bytes, total_bytes: bytes }),
  };
}

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-upload-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

/** Replaces a method of every file handle. */
async function mockHandle(t: TestContext, method: 'write' | 'datasync' | 'sync', code: string) {
  const handle = await open('/dev/null');
  const fail = async () => {
    throw Object.assign(new Error(`${code}: ${method}`), { code });
  };
  const mock = t.mock.method(Object.getPrototypeOf(handle), method, fail);
  await handle.close();
  return mock.mock;
}

test('keeps chunks of any size in order, under a name that the next start sweeps', async (t) => {
  const folder = await folderOf(t);
  const space = disk();
  const size = 3 * MIB + 5;
  const file = await TemporaryFile.create({ folder, fileName: 'a.zip', announced: size, disk: space });
  // A disk that is slow and writes less than it was given.
  const write = file.handle.write.bind(file.handle);
  t.mock.method(
    file.handle,
    'write',
    async (bytes: Buffer, from: number, length: number, position: number) => {
      await nextTurn();
      return await write(bytes, from, Math.min(length, 200_000), position);
    },
  );
  const bytes = randomBytes(size);
  for (let at = 0, step = 1; at < size; at += step, step = (step * 7) % 700_001) {
    await file.write(bytes.subarray(at, at + step));
  }
  await file.end();
  const start = Buffer.alloc(10);
  await file.handle.read(start, 0, 10, 0);
  assert.deepEqual(start, bytes.subarray(0, 10));
  await file.sync();
  await file.keep();
  assert.deepEqual(await readFile(file.path), bytes);
  assert.match((await readdir(folder))[0] ?? '', TEMPORARY_FILE);
  assert.deepEqual(space.asked, [size]);
});

test('reserves space in steps ahead of the bytes, and gives back what it does not need', async (t) => {
  const folder = await folderOf(t);
  const space = disk();
  const reserve = space.reserve;
  space.reserve = async (path, bytes) => {
    await reserve(path, bytes);
    const handle = await open(path, 'r+');
    await handle.truncate(bytes);
    await handle.close();
  };
  const file = await TemporaryFile.create({ folder, fileName: 'a', announced: undefined, disk: space });
  assert.deepEqual(space.asked, []);
  for (let mib = 0; mib < 17; mib += 1) await file.write(Buffer.alloc(MIB, 1));
  await file.end();
  assert.deepEqual(space.asked, [16 * MIB, 32 * MIB]);
  assert.equal((await stat(file.path)).size, 17 * MIB);
  await file.discard();
  assert.deepEqual(await readdir(folder), []);
});

test('without space nothing is left behind', async (t) => {
  const folder = await folderOf(t);
  const options = { folder, fileName: 'a', disk: disk(20 * MIB) };
  const created = TemporaryFile.create({ ...options, announced: 21 * MIB });
  await assert.rejects(created, hasCode('insufficient_storage'));
  assert.deepEqual(await readdir(folder), []);
  const file = await TemporaryFile.create({ ...options, announced: undefined });
  await file.write(Buffer.alloc(16 * MIB));
  await assert.rejects(file.write(Buffer.alloc(MIB)), hasCode('insufficient_storage'));
  await file.discard();
  assert.deepEqual(await readdir(folder), []);
});

const FAILURES = [
  ['write', 'ENOSPC', 'insufficient_storage', 100],
  ['datasync', 'EIO', 'unavailable', 17 * MIB],
  ['sync', 'EIO', 'unavailable', 100],
] as const;

for (const [method, error, code, size] of FAILURES) {
  test(`a disk that fails to ${method} is reported, and the file is removed`, async (t) => {
    const folder = await folderOf(t);
    const file = await TemporaryFile.create({ folder, fileName: 'a', announced: undefined, disk: disk() });
    const mock = await mockHandle(t, method, error);
    const work = async () => {
      await file.write(Buffer.alloc(size));
      await file.end();
      if (method !== 'write') await file.sync();
    };
    await assert.rejects(work(), hasCode(code));
    mock.restore();
    await file.discard();
    assert.deepEqual(await readdir(folder), []);
  });
}

test('is flushed along the way, not only at the end', async (t) => {
  const folder = await folderOf(t);
  const file = await TemporaryFile.create({ folder, fileName: 'a', announced: undefined, disk: disk() });
  const flushing = t.mock.method(Object.getPrototypeOf(file.handle), 'datasync');
  for (let mib = 0; mib < 40; mib += 1) await file.write(Buffer.alloc(MIB));
  await file.end();
  assert.ok(flushing.mock.callCount() >= 1);
  await file.discard();
});

test('is not closed under a write', async (t) => {
  const folder = await folderOf(t);
  const file = await TemporaryFile.create({ folder, fileName: 'a', announced: undefined, disk: disk() });
  const { promise: blocked, resolve } = Promise.withResolvers<void>();
  let isWriting = false;
  t.mock.method(Object.getPrototypeOf(file.handle), 'write', async (bytes: Buffer) => {
    isWriting = true;
    await blocked;
    isWriting = false;
    return { bytesWritten: bytes.length };
  });
  await file.write(Buffer.alloc(MIB / 2));
  const states: boolean[] = [];
  const closing = t.mock.method(file.handle, 'close', async () => void states.push(isWriting));
  assert.ok(isWriting);
  const discarded = file.discard();
  await nextTurn();
  resolve();
  await discarded;
  assert.deepEqual(states, [false]);
  closing.mock.restore();
  await file.handle.close();
});
