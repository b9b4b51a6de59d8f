import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zip } from '../../testing/zip.ts';
import { readArchive } from './archive.ts';
import { blobContent } from './file-content.ts';

const read = (bytes: Uint8Array) => readArchive(blobContent(new Blob([new Uint8Array(bytes)])));

test('the files of an archive are listed, also behind a comment', async () => {
  const bytes = await zip({ 'index.html': 'a', 'büro/ü.txt': 'b', 'clip.mp4': 'c' });
  const paths = ['index.html', 'büro/ü.txt', 'clip.mp4'];
  assert.deepEqual(await read(bytes), { paths, isEncrypted: false });
  const commented = Buffer.concat([bytes, Buffer.from('PK\x05\x06 is no end record here')]);
  commented.writeUInt16LE(commented.length - bytes.length, bytes.length - 2);
  assert.deepEqual((await read(commented))?.paths, paths);
});

test('an encrypted entry is noticed', async () => {
  const bytes = await zip({ 'index.html': 'a' });
  const entry = bytes.indexOf('PK\x01\x02', 0, 'latin1');
  bytes.writeUInt16LE(bytes.readUInt16LE(entry + 8) | 1, entry + 8);
  assert.equal((await read(bytes))?.isEncrypted, true);
});

test('the list of a large archive is found by its zip64 record', async () => {
  const bytes = await zip({ 'index.html': 'a' });
  const end = bytes.length - 22;
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(1n, 24);
  record.writeBigUInt64LE(1n, 32);
  record.writeBigUInt64LE(BigInt(bytes.readUInt32LE(end + 12)), 40);
  record.writeBigUInt64LE(BigInt(bytes.readUInt32LE(end + 16)), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(end), 8);
  locator.writeUInt32LE(1, 16);
  const last = Buffer.from(bytes.subarray(end));
  last.fill(0xff, 8, 20);
  const wide = Buffer.concat([bytes.subarray(0, end), record, locator, last]);
  assert.deepEqual((await read(wide))?.paths, ['index.html']);
});

test('what is no archive, or only a part of one, has no list', async () => {
  const bytes = await zip({ 'index.html': 'a' });
  const damaged = Buffer.from(bytes);
  damaged.writeUInt32LE(damaged.length, damaged.length - 10);
  const wrongCount = Buffer.from(bytes);
  wrongCount.writeUInt16LE(2, wrongCount.length - 12);
  const cases = [
    Buffer.alloc(0),
    Buffer.from('PK'),
    Buffer.alloc(100_000),
    bytes.subarray(0, -1),
    damaged,
    wrongCount,
  ];
  for (const one of cases) assert.equal(await read(one), undefined);
});
