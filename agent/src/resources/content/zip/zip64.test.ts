import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDirectory } from './directory.ts';
import type { ByteSource } from './source.ts';
import { type ArchiveSpec, buildZip, type EntrySpec } from './tests/build-zip.ts';
import { PAGE } from './tests/corpus-zip.ts';
import { memorySource } from './tests/memory-source.ts';
import { ZipError } from './zip-entry.ts';

const VIDEO_BYTES = 5 * 1024 ** 3;

/** An archive with 5 GiB of zeros inserted at a position of `bytes`. */
function withHole(bytes: Buffer, at: number): ByteSource {
  const inner = memorySource(bytes);
  return {
    size: bytes.length + VIDEO_BYTES,
    async read(position, length) {
      if (position + length <= at) return inner.read(position, length);
      if (position >= at + VIDEO_BYTES) return inner.read(position - VIDEO_BYTES, length);
      const before = at > position ? await inner.read(position, at - position) : Buffer.alloc(0);
      const end = position + length - at - VIDEO_BYTES;
      const after = end > 0 ? await inner.read(at, end) : Buffer.alloc(0);
      return Buffer.concat([before, Buffer.alloc(length - before.length - after.length), after]);
    },
  };
}

/** A page, a video of 5 GiB and a text after it. */
function videoArchive(offset = VIDEO_BYTES): ByteSource {
  const video: EntrySpec = {
    name: 'video.mp4',
    method: 0,
    crc: 0,
    bytes: VIDEO_BYTES,
    compressedBytes: VIDEO_BYTES,
    zip64: 'both',
  };
  const build = (text: EntrySpec, archive?: ArchiveSpec) => buildZip([PAGE, video, text], archive);
  const text: EntrySpec = { name: 'text', data: 'x', method: 0, zip64: 'central' };
  // Built once to find the positions without the data of the video.
  const plain = build(text, { zip64: {} });
  const textStart = plain.indexOf('PK\x03\x04', plain.indexOf('video.mp4'), 'latin1');
  const end = plain.indexOf('PK\x06\x06', 0, 'latin1');
  const start = plain.indexOf('PK\x01\x02', 0, 'latin1');
  const bytes = build(
    { ...text, central: { offset: textStart + offset } },
    { zip64: { start: start + VIDEO_BYTES, position: end + VIDEO_BYTES } },
  );
  return withHole(bytes, textStart);
}

test('entries beyond 4 GiB are found', async () => {
  const directory = await readDirectory(videoArchive());
  const video = directory.get('video.mp4');
  assert.equal(video?.bytes, VIDEO_BYTES);
  assert.equal(directory.get('text')?.dataStart, video.dataStart + VIDEO_BYTES + 30 + 'text'.length);
});

test('an offset beyond 4 GiB that is wrong by one byte is refused', async () => {
  await assert.rejects(readDirectory(videoArchive(VIDEO_BYTES - 1)), (error: Error) => {
    assert.ok(error instanceof ZipError);
    assert.match(error.message, /at the entry "text": invalid local file header signature/);
    return true;
  });
});
