import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ByteSource, readDirectory, ZipError } from './index.ts';
import { type ArchiveSpec, buildZip, type EntrySpec } from './tests/build-zip.ts';
import { PAGE } from './tests/corpus-zip.ts';
import { memorySource } from './tests/memory-source.ts';

const FILM_BYTES = 5 * 1024 ** 3;

/** An archive with 5 GiB of zeros at a place that holds nothing in `bytes`. */
function withHole(bytes: Buffer, at: number): ByteSource {
  const inner = memorySource(bytes);
  return {
    size: bytes.length + FILM_BYTES,
    async read(position, length) {
      if (position + length <= at) return inner.read(position, length);
      if (position >= at + FILM_BYTES) return inner.read(position - FILM_BYTES, length);
      const before = at > position ? await inner.read(position, at - position) : Buffer.alloc(0);
      const end = position + length - at - FILM_BYTES;
      const after = end > 0 ? await inner.read(at, end) : Buffer.alloc(0);
      return Buffer.concat([before, Buffer.alloc(length - before.length - after.length), after]);
    },
  };
}

/** A page, a film of 5 GiB and a text behind it. */
function filmArchive(offset = FILM_BYTES): ByteSource {
  const film: EntrySpec = {
    name: 'film.mp4',
    method: 0,
    crc: 0,
    bytes: FILM_BYTES,
    compressedBytes: FILM_BYTES,
    zip64: 'both',
  };
  const build = (text: EntrySpec, archive?: ArchiveSpec) => buildZip([PAGE, film, text], archive);
  const text: EntrySpec = { name: 'text', data: 'x', method: 0, zip64: 'central' };
  // Built once to see where things come to lie without the film's data.
  const plain = build(text, { zip64: {} });
  const textStart = plain.indexOf('PK\x03\x04', plain.indexOf('film.mp4'), 'latin1');
  const end = plain.indexOf('PK\x06\x06', 0, 'latin1');
  const start = plain.indexOf('PK\x01\x02', 0, 'latin1');
  const bytes = build(
    { ...text, central: { offset: textStart + offset } },
    { zip64: { start: start + FILM_BYTES, position: end + FILM_BYTES } },
  );
  return withHole(bytes, textStart);
}

test('entries beyond 4 GiB are found', async () => {
  const directory = await readDirectory(filmArchive());
  const film = directory.get('film.mp4');
  assert.equal(film?.bytes, FILM_BYTES);
  assert.equal(directory.get('text')?.dataStart, film.dataStart + FILM_BYTES + 30 + 'text'.length);
});

test('an offset that misses by a byte beyond 4 GiB is refused', async () => {
  await assert.rejects(readDirectory(filmArchive(FILM_BYTES - 1)), (error: Error) => {
    assert.ok(error instanceof ZipError);
    assert.match(error.message, /at the entry "text": invalid local file header signature/);
    return true;
  });
});
