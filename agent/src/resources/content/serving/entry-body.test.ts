import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { readDirectory } from '../zip/directory.ts';
import { buildZip } from '../zip/tests/build-zip.ts';
import { memorySource } from '../zip/tests/memory-source.ts';
import { collect, GZIP_EXTRA_BYTES, gzipBody, writeChunk } from './entry-body.ts';

test('a deflated entry is sent as gzip without unpacking it', async () => {
  for (const size of [0, 10, 3_000_000]) {
    const content = Buffer.alloc(size, 'It was a dark and stormy night. ');
    const source = memorySource(buildZip([{ name: 'night.txt', data: content, method: 8 }]));
    const entry = (await readDirectory(source)).get('night.txt') ?? assert.fail();
    const bytes = await collect(gzipBody(source, entry), entry.compressedBytes + GZIP_EXTRA_BYTES);
    assert.ok(gunzipSync(bytes).equals(content));
  }
});

test('writing to a closed stream fails', async () => {
  const stream = new Writable({ write: () => undefined }); // never finishes the write
  const waiting = writeChunk(stream, Buffer.alloc(10));
  stream.destroy();
  await assert.rejects(waiting, { name: 'ClientGone' });
  await assert.rejects(writeChunk(stream, Buffer.alloc(1)), { name: 'ClientGone' });
  assert.equal(stream.listenerCount('close'), 0);
});
