/** Uploads and the space on the disk. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { waitFor } from '../../../../testing/wait.ts';
import { RESERVE_BYTES } from '../../base/disk-reserve.ts';
import { FileSystemSpace } from '../../system/disk-space.ts';
import { TemporaryFile } from '../../uploads/temporary-file.ts';
import { bundle, operationOf, sha256, testContent } from './tests/content.ts';
import { chunks, diskOf, MIB, partialBody, SOON } from './tests/upload-bodies.ts';

/** The first bytes of an archive. */
const MAGIC = Buffer.from('PK\x03\x04', 'latin1');

test('reserves the whole announced length before reading the body', async (t) => {
  const space = diskOf(MIB);
  const content = await testContent(t, { disk: space });
  const fits = await bundle('x', MIB / 2);
  await content.stored('menu', fits);
  assert.deepEqual(space.asked, [fits.length]);
  let read = 0;
  const body = new Readable({
    read() {
      read += 1;
      this.push(Buffer.alloc(1000));
    },
  });
  const { status, code } = await content.put('big', body, { 'content-length': String(2 * MIB) });
  assert.deepEqual([status, code], [507, 'insufficient_storage']);
  assert.ok(read < 100, 'no more of the body was read than streams read ahead');
  assert.deepEqual(await content.files(), ['menu.zip']);
  assert.equal(content.events.filter((event) => event.state === 'failed').length, 0, 'no operation began');
});

test('reserves space for a body of unknown length in steps, and stops before the disk is full', async (t) => {
  const space = diskOf(40 * MIB);
  const content = await testContent(t, { disk: space });
  async function* endless() {
    const block = Buffer.alloc(256 * 1024);
    yield MAGIC;
    for (;;) {
      yield block;
      await nextTick();
    }
  }
  const body = Readable.from(endless());
  const { status, code } = await content.put('menu', body);
  body.destroy();
  assert.deepEqual([status, code], [507, 'insufficient_storage']);
  assert.deepEqual(
    space.asked,
    [16, 32, 48].map((mib) => mib * MIB),
  );
  assert.equal(content.events.at(-1)?.error?.error.code, 'insufficient_storage');
  assert.deepEqual(await content.files(), []);
});

test('answers a full disk with insufficient_storage and leaves no partial file', async (t) => {
  const content = await testContent(t);
  const good = await bundle('good');
  await content.stored('menu', good);
  // A device that takes no byte: what the system says of a full disk.
  const full = new Error('ENOSPC: no space left on device');
  const reserve = async () => {
    throw Object.assign(full, { code: 'ENOSPC' });
  };
  const free = async () => ({ free_bytes: 0, total_bytes: 1 });
  const other = await testContent(t, { folder: content.folder, disk: { reserve, free } });
  const { status, code } = await other.put('menu', await bundle('new'));
  assert.deepEqual([status, code], [507, 'insufficient_storage']);
  assert.deepEqual(await content.files(), ['menu.zip']);
  assert.equal(content.store.locate('menu')?.sha256, sha256(good));
});

test('never fills a real disk', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-small-'));
  t.after(() => rm(folder, { recursive: true }));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'tmpfs', folder]).status !== 0) {
    t.skip('file systems cannot be mounted here');
    return;
  }
  try {
    const content = await testContent(
      { after: (clean) => t.after(clean) },
      { folder: join(folder, 'content') },
    );
    const large = await bundle('large', 10 * MIB);
    await content.stored('menu', large);
    const body = Buffer.alloc(16 * MIB);
    MAGIC.copy(body);
    for (const headers of [{ 'content-length': String(16 * MIB) }, undefined]) {
      // With an announced length before it is read, without one when the room ends.
      const answer = await content.put('other', Readable.from(chunks(body)), headers);
      assert.deepEqual([answer.status, answer.code], [507, 'insufficient_storage']);
      assert.deepEqual(await content.files(), ['menu.zip']);
      assert.ok((await new FileSystemSpace(folder).free()).free_bytes > RESERVE_BYTES);
    }
    await content.stored('small', await bundle('small', 4 * MIB));
    assert.equal(
      JSON.stringify((await content.call('POST', '/content/menu/check')).body).includes('true'),
      true,
    );
  } finally {
    spawnSync('umount', ['-l', folder]);
  }
});

test('keeps the existing bundle when the disk fails to flush the new one', async (t) => {
  const content = await testContent(t);
  const good = await bundle('good');
  await content.stored('menu', good);
  const failing = t.mock.method(TemporaryFile.prototype, 'sync', async () => {
    throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO', syscall: 'fsync' });
  });
  const { operation_id: id } = operationOf(await content.put('menu', await bundle('new')));
  const ended = await content.ended(id);
  assert.deepEqual([ended.state, ended.error?.error.code], ['failed', 'unavailable']);
  failing.mock.restore();
  assert.deepEqual(await readFile(content.path('menu')), good);
  assert.deepEqual(await content.files(), ['menu.zip']);
  await content.stored('menu', await bundle('new'));
});

test('frees the name of a failed upload whose file cannot be removed', async (t) => {
  const content = await testContent(t);
  const body = partialBody(Buffer.from('PK'));
  const answer = content.put('menu', body, { 'content-length': '4' });
  await waitFor(() => content.events.length > 0, { ...SOON, what: 'the operation' });
  const [file = ''] = await content.files();
  // As on a file system that has become read-only: removing it is an error.
  await rm(join(content.folder, file));
  await mkdir(join(content.folder, file));
  body.push('and too much');
  body.push(null);
  assert.deepEqual([(await answer).status, (await answer).code], [400, 'bad_request']);
  assert.equal(content.events.at(-1)?.state, 'failed');
  await content.stored('menu', await bundle('hello'));
});
