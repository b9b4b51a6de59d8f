import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { type Chunks, entryContent } from './content.ts';
import type { ByteSource } from './source.ts';
import type { ZipEntry } from './zip-entry.ts';

const CONTENT = Buffer.alloc(300_000, 'It was a dark and stormy night. ');

function archived(
  method: ZipEntry['method'],
  claims: Partial<ZipEntry> = {},
  content = CONTENT,
): { source: ByteSource; entry: ZipEntry } {
  const data = method === 'stored' ? content : deflateRawSync(content);
  const file = Buffer.concat([Buffer.from('before'), data, Buffer.from('behind')]);
  const entry: ZipEntry = {
    name: 'night.txt',
    isFolder: false,
    method,
    crc32: crc32(content),
    compressedBytes: data.length,
    bytes: content.length,
    dataStart: 6,
    ...claims,
  };
  const read: ByteSource['read'] = async (position, length) => {
    if (position + length > file.length) throw new Error('the file ends');
    return Buffer.from(file.subarray(position, position + length));
  };
  return { source: { size: file.length, read }, entry };
}

async function joined(body: Chunks): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** The length of a body until it ends or fails, and the name of the error. */
async function drained(body: Chunks): Promise<{ bytes: number; failure: string }> {
  let bytes = 0;
  try {
    for await (const chunk of body) bytes += chunk.length;
  } catch (error) {
    return { bytes, failure: error instanceof Error ? error.name : String(error) };
  }
  return { bytes, failure: '' };
}

test('whole entries and parts are read back unchanged', async () => {
  for (const method of ['stored', 'deflate'] as const) {
    const { source, entry } = archived(method);
    for (const [from, to] of [
      [0, CONTENT.length],
      [0, 1],
      [CONTENT.length - 1, CONTENT.length],
      [65_536, 65_537],
      [100, 299_999],
    ] as const) {
      const body = await joined(entryContent(source, entry, { start: from, end: to }));
      assert.ok(body.equals(CONTENT.subarray(from, to)), `${method} ${from}-${to}`);
    }
  }
});

test('an entry that differs from the directory fails before its last byte', async () => {
  const whole = (claims: Partial<ZipEntry>, method: ZipEntry['method'] = 'deflate') => {
    const { source, entry } = archived(method, claims);
    return drained(entryContent(source, entry, { start: 0, end: entry.bytes }));
  };
  const size = CONTENT.length;
  const { entry } = archived('deflate');
  for (const [why, claims, method] of [
    ['more data than declared', { bytes: size - 1 }],
    ['much more data than declared', { bytes: 10 }],
    ['less data than declared', { bytes: size + 1 }],
    ['another checksum', { crc32: 1 }],
    ['another checksum, stored', { crc32: 1 }, 'stored'],
    ['data cut off', { compressedBytes: entry.compressedBytes - 20 }],
    ['data that is not deflated', { dataStart: 3 }],
  ] as const) {
    const { bytes, failure } = await whole(claims, method);
    assert.equal(failure, 'ZipError', why);
    assert.ok(bytes < ('bytes' in claims ? claims.bytes : size), why);
  }
  // Also a part that ends before the declared size, but behind the content.
  const short = archived('deflate', { bytes: size + 1000 });
  const part = entryContent(short.source, short.entry, { start: 0, end: size + 500 });
  assert.equal((await drained(part)).failure, 'ZipError');
});

test('a part of an entry that is damaged behind it is read', async () => {
  const { source, entry } = archived('deflate', { crc32: 1 });
  assert.deepEqual(await drained(entryContent(source, entry, { start: 10, end: 20 })), {
    bytes: 10,
    failure: '',
  });
  // Nor is what follows the part read.
  const noise = randomBytes(4 * 1024 * 1024);
  const large = archived('deflate', {}, noise);
  let reads = 0;
  const counted: ByteSource = {
    size: large.source.size,
    read: (...args) => {
      reads++;
      return large.source.read(...args);
    },
  };
  assert.ok(
    (await joined(entryContent(counted, large.entry, { start: 0, end: 9 }))).equals(noise.subarray(0, 9)),
  );
  assert.ok(reads <= 3, `${reads} reads`);
  // A part that reaches the end is checked.
  const { failure } = await drained(entryContent(source, entry, { start: 10, end: CONTENT.length }));
  assert.equal(failure, 'ZipError');
});

test('an error of the source is passed on unchanged', async () => {
  for (const method of ['stored', 'deflate'] as const) {
    const { source, entry } = archived(method);
    const failing = { ...source, read: () => Promise.reject(new RangeError('the disk is gone')) };
    assert.equal((await drained(entryContent(failing, entry, { start: 0, end: 9 }))).failure, 'RangeError');
  }
});

test('a signal stops the unpacking before a part', async () => {
  const { source, entry } = archived('deflate');
  const gone = new AbortController();
  const body = entryContent(source, entry, { start: CONTENT.length - 1, end: CONTENT.length }, gone.signal);
  const next = body.next();
  gone.abort(new Error('stopped'));
  await assert.rejects(next, /^Error: stopped$/);
});
