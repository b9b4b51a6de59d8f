import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { crc32, deflateRawSync, gunzipSync } from 'node:zlib';
import type { ByteSource, ZipEntry } from '../zip/index.ts';
import { type Body, collect, gzipBody, plainBody, writeChunk } from './entry-body.ts';

const CONTENT = Buffer.alloc(300_000, 'It was a dark and stormy night. ');

function archived(
  method: ZipEntry['method'],
  claims: Partial<ZipEntry> = {},
): { source: ByteSource; entry: ZipEntry } {
  const data = method === 'stored' ? CONTENT : deflateRawSync(CONTENT);
  const file = Buffer.concat([Buffer.from('before'), data, Buffer.from('behind')]);
  const entry: ZipEntry = {
    name: 'night.txt',
    isFolder: false,
    method,
    crc32: crc32(CONTENT),
    compressedBytes: data.length,
    bytes: CONTENT.length,
    dataStart: 6,
    modified: new Date(0),
    ...claims,
  };
  const read: ByteSource['read'] = async (position, length) => {
    if (position + length > file.length) throw new Error('the file ends');
    return Buffer.from(file.subarray(position, position + length));
  };
  return { source: { size: file.length, read }, entry };
}

/** What a body gives out until it ends or fails. */
async function drained(body: Body): Promise<{ bytes: number; failure: string }> {
  let bytes = 0;
  try {
    for await (const chunk of body) bytes += chunk.length;
  } catch (error) {
    return { bytes, failure: error instanceof Error ? error.name : String(error) };
  }
  return { bytes, failure: '' };
}

test('whole entries and parts come out as they went in', async () => {
  for (const method of ['stored', 'deflate'] as const) {
    const { source, entry } = archived(method);
    for (const [from, to] of [
      [0, CONTENT.length],
      [0, 1],
      [CONTENT.length - 1, CONTENT.length],
      [65_536, 65_537],
      [100, 299_999],
    ] as const) {
      const body = await collect(plainBody(source, entry, { from, to }), to - from);
      assert.ok(body.equals(CONTENT.subarray(from, to)), `${method} ${from}-${to}`);
    }
  }
  const { source, entry } = archived('deflate');
  assert.ok(gunzipSync(await collect(gzipBody(source, entry), entry.compressedBytes + 18)).equals(CONTENT));
});

test('an entry that is not what the directory says fails before its last byte', async () => {
  const whole = (claims: Partial<ZipEntry>, method: ZipEntry['method'] = 'deflate') => {
    const { source, entry } = archived(method, claims);
    return drained(plainBody(source, entry, { from: 0, to: entry.bytes }));
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
    assert.equal(failure, 'DamagedEntry', why);
    assert.ok(bytes < ('bytes' in claims ? claims.bytes : size), why);
  }
});

test('a part that inflates up to its end is not held up by what is behind it', async () => {
  const { source, entry } = archived('deflate', { crc32: 1 });
  assert.deepEqual(await drained(plainBody(source, entry, { from: 10, to: 20 })), { bytes: 10, failure: '' });
  // One that reaches the end can be checked, and is.
  const { failure } = await drained(plainBody(source, entry, { from: 10, to: CONTENT.length }));
  assert.equal(failure, 'DamagedEntry');
});

test('a read that fails is told as what it is', async () => {
  for (const method of ['stored', 'deflate'] as const) {
    const { source, entry } = archived(method);
    const failing = { ...source, read: () => Promise.reject(new RangeError('the disk is gone')) };
    assert.equal((await drained(plainBody(failing, entry, { from: 0, to: 9 }))).failure, 'RangeError');
  }
});

test('a part that nobody waits for any more is not inflated to', async () => {
  const { source, entry } = archived('deflate');
  const gone = new AbortController();
  const body = plainBody(source, entry, { from: CONTENT.length - 1, to: CONTENT.length }, gone.signal);
  const next = body.next();
  gone.abort();
  await assert.rejects(next, { name: 'Hangup' });
});

test('writing to a stream that closes ends', async () => {
  const stream = new Writable({ write: () => undefined }); // takes the chunk and never is done with it
  const waiting = writeChunk(stream, Buffer.alloc(10));
  stream.destroy();
  await assert.rejects(waiting, { name: 'Hangup' });
  await assert.rejects(writeChunk(stream, Buffer.alloc(1)), { name: 'Hangup' });
  assert.equal(stream.listenerCount('close'), 0);
});
