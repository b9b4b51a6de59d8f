import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { waitFor } from '../../../../ci/lib/wait.ts';
import { RESERVE_BYTES } from '../../base/disk-reserve.ts';
import { ApiError } from '../../contract/errors.ts';
import { listen } from '../../links/http.ts';
import { FileSystemSpace } from '../../system/disk-space.ts';
import type { DiskSpace } from '../../uploads/ports.ts';
import { TemporaryFile } from '../../uploads/temporary-file.ts';
import { MAX_UPLOADS } from './store.ts';
import { bundle, operationOf, sha256, testContent } from './tests/content.ts';

const soon = { timeoutMs: 60_000, intervalMs: 5 };
const MIB = 1024 * 1024;
/** What an archive begins with. */
const MAGIC = Buffer.from('PK\x03\x04', 'latin1');

/** A body that gives its first bytes and waits for the rest. */
function held(first: Buffer): Readable {
  const body = new Readable({ read: () => undefined });
  body.push(first);
  return body;
}

/** Room for so many bytes, as if that were the disk. */
function disk(bytes: number): DiskSpace & { asked: number[] } {
  const promised = new Map<string, number>();
  const asked: number[] = [];
  return {
    asked,
    reserve: async (path, wanted) => {
      asked.push(wanted);
      const others = [...promised].filter(([other]) => other !== path);
      const taken = others.reduce((sum, [, size]) => sum + size, 0);
      if (taken + wanted > bytes) throw new ApiError('insufficient_storage');
      promised.set(path, wanted);
    },
    free: async () => ({ free_bytes: bytes, total_bytes: bytes }),
  };
}

test('a bundle is stored as it came, and listed', async (t) => {
  const content = await testContent(t);
  const bytes = await bundle('hello', 3 * MIB);
  const before = Date.now();
  const answer = await content.put('menu', bytes);
  const operation = operationOf(answer);
  assert.equal(operation.kind, 'content_upload');
  assert.equal(operation.state, 'running');
  assert.equal((await content.ended(operation.operation_id)).progress, 1);

  const { body } = await content.call('GET', '/content');
  const listed = JSON.parse(JSON.stringify(body));
  assert.ok(Math.abs(Date.parse(listed.bundles[0].created) - before) < 60_000);
  delete listed.bundles[0].created;
  assert.deepEqual(listed.bundles, [
    { name: 'menu', size_bytes: bytes.length, sha256: sha256(bytes), active: false },
  ]);
  assert.ok(listed.disk.free_bytes > 0 && listed.disk.total_bytes >= listed.disk.free_bytes);
  assert.deepEqual(await readFile(join(content.folder, 'menu.zip')), bytes);
  assert.deepEqual(await content.files(), ['menu.json', 'menu.zip']);
  const { size, blocks } = await stat(join(content.folder, 'menu.zip'));
  assert.ok(blocks * 512 < size + 64 * 1024, 'no more of the disk is held than the file needs');
});

test('events show the progress while the body arrives and is verified', async (t) => {
  const content = await testContent(t);
  const bytes = await bundle('hello', 3 * MIB);
  const body = held(bytes.subarray(0, MIB));
  const answer = content.put('menu', body, { 'content-length': String(bytes.length) });
  await waitFor(() => (content.events.at(-1)?.progress ?? 0) > 0.1, { ...soon, what: 'progress' });
  assert.ok((content.events.at(-1)?.progress ?? 1) < 0.35, 'a third of the body has come');
  body.push(bytes.subarray(MIB));
  body.push(null);
  const { operation_id: id } = operationOf(await answer);
  await content.ended(id);
  const progress = content.events.map((event) => event.progress);
  assert.deepEqual(
    progress,
    progress.toSorted((a, b) => a - b),
    'it never goes back',
  );
  assert.deepEqual(content.events[0], {
    operation_id: id,
    kind: 'content_upload',
    state: 'running',
    progress: 0,
  });
  assert.equal(content.events.at(-1)?.state, 'done');
  assert.ok(progress.length > 4);
});

test('a body of unknown length is taken as well, over HTTP too', async (t) => {
  const content = await testContent(t);
  const bytes = await bundle('hello', 20 * MIB);
  const link = await listen(content.app, [{ host: '127.0.0.1', port: 0 }]);
  t.after(() => link.close());
  const answer = await fetch(`${link.addresses[0]}/api/v1/content/menu`, {
    method: 'PUT',
    headers: { 'content-type': 'application/zip' },
    body: ReadableStream.from(chunks(bytes)),
    duplex: 'half',
  });
  assert.equal(answer.status, 202);
  const operation: unknown = await answer.json();
  await content.ended(operationOf({ status: 202, code: undefined, body: operation }).operation_id);
  assert.equal(content.store.locate('menu')?.sha256, sha256(bytes));
  const { size, blocks } = await stat(join(content.folder, 'menu.zip'));
  assert.equal(size, bytes.length);
  assert.ok(blocks * 512 < size + 64 * 1024, 'room that was taken ahead is given back');
});

async function* chunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
}

test('an archive that does not hold is bundle_invalid, and the bundle that was there stays', async (t) => {
  const content = await testContent(t);
  const good = await bundle('good');
  await content.stored('menu', good);
  const damaged = Buffer.from(good);
  damaged.writeUInt8((damaged[45] ?? 0) ^ 0xff, 45);
  for (const [bytes, reason] of [
    [damaged, /index\.html/],
    [Buffer.from('no archive'), /./],
    [good.subarray(0, good.length - 1), /./],
  ] as const) {
    content.events.length = 0;
    const { status, code, body } = await content.put('menu', bytes);
    assert.deepEqual([status, code], [400, 'bundle_invalid']);
    assert.match(JSON.stringify(body), reason);
    const last = content.events.at(-1);
    assert.equal(last?.state, 'failed');
    assert.deepEqual(last?.error, body, 'the operation carries the same envelope');
    assert.equal(content.store.locate('menu')?.sha256, sha256(good));
    assert.deepEqual(await readFile(join(content.folder, 'menu.zip')), good);
    assert.deepEqual(await content.files(), ['menu.json', 'menu.zip']);
  }
});

test('a bundle is replaced, and who wants to know is told', async (t) => {
  const content = await testContent(t);
  const told: string[] = [];
  content.store.onReplaced((name) => told.push(`${name} ${content.store.locate(name)?.sha256}`));
  const [first, second] = [await bundle('1'), await bundle('2', 1000)];
  await content.stored('menu', first);
  await content.stored('menu', second);
  assert.deepEqual(told, [`menu ${sha256(first)}`, `menu ${sha256(second)}`]);
  assert.deepEqual(await readFile(join(content.folder, 'menu.zip')), second);
  assert.equal((await content.call('POST', '/content/menu/check')).status, 200);
});

test('of two uploads of one name at once one wins, the other is a conflict at once', async (t) => {
  const content = await testContent(t);
  const bytes = await bundle('first');
  const body = held(bytes.subarray(0, 10));
  const first = content.put('menu', body);
  await waitFor(() => content.events.length > 0, { ...soon, what: 'the first upload' });
  const second = await content.put('menu', await bundle('second'));
  assert.deepEqual([second.status, second.code], [409, 'conflict']);
  body.push(bytes.subarray(10));
  body.push(null);
  await content.ended(operationOf(await first).operation_id);
  assert.equal(content.store.locate('menu')?.sha256, sha256(bytes));
  assert.equal(new Set(content.events.map((event) => event.operation_id)).size, 1);
  await content.stored('menu', await bundle('third'));
});

test('uploads at once are bounded', async (t) => {
  const content = await testContent(t);
  const bodies = Array.from({ length: MAX_UPLOADS }, () => held(Buffer.from('PK')));
  const answers = bodies.map((body, index) => content.put(`menu-${index}`, body));
  await waitFor(() => content.events.length === MAX_UPLOADS, { ...soon, what: 'all uploads' });
  const refused = await content.put('one-more', await bundle('x'));
  assert.deepEqual([refused.status, refused.code], [429, 'too_many_requests']);
  for (const body of bodies) body.push(null);
  for (const answer of answers) assert.equal((await answer).code, 'bundle_invalid');
  await content.stored('one-more', await bundle('x'));
});

for (const [what, change] of [
  ['more', 5],
  ['less', -5],
] as const) {
  test(`a body with ${what} bytes than announced is refused`, async (t) => {
    const content = await testContent(t);
    const bytes = await bundle('hello');
    const announced = String(bytes.length - change);
    const { status, code } = await content.put('menu', Readable.from([bytes]), {
      'content-length': announced,
    });
    assert.deepEqual([status, code], [400, 'bad_request']);
    assert.equal(content.events.at(-1)?.error?.error.code, 'bad_request');
    assert.deepEqual(await content.files(), []);
  });
}

test('a client that leaves ends its upload and leaves nothing behind', async (t) => {
  const content = await testContent(t);
  const link = await listen(content.app, [{ host: '127.0.0.1', port: 0 }]);
  t.after(() => link.close());
  const bytes = await bundle('hello', 2 * MIB);
  const sent = request(`${link.addresses[0]}/api/v1/content/menu`, {
    method: 'PUT',
    headers: { 'content-type': 'application/zip', 'content-length': bytes.length },
  });
  sent.on('error', () => undefined);
  sent.write(bytes.subarray(0, MIB));
  await waitFor(() => (content.events.at(-1)?.progress ?? 0) > 0.1, { ...soon, what: 'progress' });
  sent.destroy();
  await waitFor(() => content.events.at(-1)?.state === 'failed', { ...soon, what: 'the end' });
  assert.equal(content.events.at(-1)?.error?.error.code, 'bad_request');
  assert.deepEqual(await content.files(), []);
  await content.stored('menu', bytes);
});

test('a stream that fails ends its upload, as from the serial link', async (t) => {
  const content = await testContent(t);
  const body = held(Buffer.from('PK'));
  const answer = content.put('menu', body, { 'content-length': '1000' });
  await waitFor(() => content.events.length > 0, { ...soon, what: 'the upload' });
  body.destroy(new Error('unplugged'));
  await assert.rejects(answer, /unplugged/);
  await waitFor(() => content.events.at(-1)?.state === 'failed', { ...soon, what: 'the end' });
  assert.equal(content.events.at(-1)?.error?.error.code, 'bad_request');
  assert.deepEqual(await content.files(), []);
});

test('a refused upload over HTTP gets its answer while the body is still being sent', async (t) => {
  const content = await testContent(t, { disk: disk(MIB) });
  const link = await listen(content.app, [{ host: '127.0.0.1', port: 0 }]);
  t.after(() => link.close());
  const answer = await fetch(`${link.addresses[0]}/api/v1/content/menu`, {
    method: 'PUT',
    headers: { 'content-type': 'application/zip' },
    body: await bundle('x', 8 * MIB),
  });
  assert.equal(answer.status, 507);
  assert.match(await answer.text(), /"insufficient_storage"/);
});

test('the whole of an announced length is reserved before the first byte is read', async (t) => {
  const space = disk(MIB);
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
  assert.deepEqual(await content.files(), ['menu.json', 'menu.zip']);
  assert.equal(content.events.filter((event) => event.state === 'failed').length, 0, 'no operation began');
});

test('a body of unknown length reserves in steps, and ends before the disk is full', async (t) => {
  const space = disk(40 * MIB);
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

test('a disk that is full all the same is insufficient_storage, and nothing half stays', async (t) => {
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
  assert.deepEqual(await content.files(), ['menu.json', 'menu.zip']);
  assert.equal(content.store.locate('menu')?.sha256, sha256(good));
});

test('a real disk is never filled: what does not fit beside what is there is refused', async (t) => {
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
      assert.deepEqual(await content.files(), ['menu.json', 'menu.zip']);
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

test('a disk that fails while the archive is brought to it leaves what was there', async (t) => {
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
  assert.deepEqual(await readFile(join(content.folder, 'menu.zip')), good);
  assert.deepEqual(await content.files(), ['menu.json', 'menu.zip']);
  await content.stored('menu', await bundle('new'));
});

test('an upload whose file cannot be removed ends all the same, and the name is free again', async (t) => {
  const content = await testContent(t);
  const body = held(Buffer.from('PK'));
  const answer = content.put('menu', body, { 'content-length': '4' });
  await waitFor(() => content.events.length > 0, { ...soon, what: 'the operation' });
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

test('what cannot be an archive is refused at its first bytes, and its connection ends', {
  timeout: 30_000,
}, async (t) => {
  const content = await testContent(t);
  const link = await listen(content.app, [{ host: '127.0.0.1', port: 0 }]);
  t.after(() => link.close());
  const headers = { 'content-type': 'application/zip' };
  for (const length of [{ 'content-length': 300 * MIB }, { 'transfer-encoding': 'chunked' }]) {
    const call = request(`${link.addresses[0]}/api/v1/content/menu`, {
      method: 'PUT',
      headers: { ...headers, ...length },
    });
    call.on('error', () => undefined);
    // One byte at a time, and then no more.
    call.write('P');
    call.write('D');
    const [answer] = await once(call, 'response');
    assert.equal(answer.statusCode, 400);
    assert.equal(answer.headers.connection, 'close');
    let text = '';
    for await (const chunk of answer) text += chunk;
    assert.match(text, /"bundle_invalid"/);
    const last = content.events.at(-1);
    assert.deepEqual([last?.state, last?.error?.error.code], ['failed', 'bundle_invalid']);
    assert.deepEqual(await content.files(), []);
    call.destroy();
  }
});

test('an empty body is no archive', async (t) => {
  const content = await testContent(t);
  const link = await listen(content.app, [{ host: '127.0.0.1', port: 0 }]);
  t.after(() => link.close());
  const answer = await fetch(`${link.addresses[0]}/api/v1/content/menu`, {
    method: 'PUT',
    headers: { 'content-type': 'application/zip' },
    body: '',
  });
  assert.equal(answer.status, 400);
  assert.match(await answer.text(), /"bundle_invalid"/);
});

test('a bundle that cannot be put into place ends its operation failed', async (t) => {
  const content = await testContent(t);
  // A folder where the archive is to go.
  await mkdir(join(content.folder, 'menu.zip'));
  await writeFile(join(content.folder, 'menu.zip', 'x'), '');
  const { operation_id: id } = operationOf(await content.put('menu', await bundle('x')));
  const ended = await content.ended(id);
  assert.equal(ended.state, 'failed');
  assert.equal(ended.error?.error.code, 'internal');
  assert.equal(content.store.locate('menu'), undefined);
  assert.deepEqual(
    (await content.files()).filter((name) => name.endsWith('.tmp')),
    [],
  );
});
