import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FatVolume } from './fat.ts';

const SECTOR = 512;
const RESERVED = 1;
const FAT_SECTORS = 2;
const ROOT_ENTRIES = 16;
const CLUSTERS = 60;
const ENTRY = 32;
const ROOT = (RESERVED + 2 * FAT_SECTORS) * SECTOR;

/** An empty volume with one sector per cluster. */
function formatted(): Buffer {
  const bytes = Buffer.alloc(ROOT + ROOT_ENTRIES * ENTRY + CLUSTERS * SECTOR);
  bytes.writeUInt16LE(SECTOR, 11);
  bytes.writeUInt8(1, 13);
  bytes.writeUInt16LE(RESERVED, 14);
  bytes.writeUInt8(2, 16);
  bytes.writeUInt16LE(ROOT_ENTRIES, 17);
  bytes.writeUInt16LE(FAT_SECTORS, 22);
  bytes.write('FAT16   ', 54, 'latin1');
  return bytes;
}

/** Adds the entry of an empty file to the root directory. */
function addEntry(bytes: Buffer, index: number, shortName: string): void {
  bytes.write(shortName, ROOT + index * ENTRY, 'latin1');
  bytes.writeUInt8(0x20, ROOT + index * ENTRY + 11);
}

/** A volume with a label, a file A.ENV and one with a long name. */
function volume(): FatVolume {
  const bytes = formatted();
  addEntry(bytes, 0, 'LABEL      ');
  bytes.writeUInt8(0x08, ROOT + 11);
  addEntry(bytes, 1, 'A       ENV');
  const long = Buffer.from('uboot-redund.env\0', 'utf16le');
  const parts = [Buffer.concat([long, Buffer.alloc(26, 0xff)]).subarray(26, 52), long.subarray(0, 26)];
  parts.forEach((part, i) => {
    const at = ROOT + (2 + i) * ENTRY;
    bytes.writeUInt8(i === 0 ? 0x42 : 1, at);
    bytes.writeUInt8(0x0f, at + 11);
    part.copy(bytes, at + 1, 0, 10);
    part.copy(bytes, at + 14, 10, 22);
    part.copy(bytes, at + 28, 22, 26);
  });
  addEntry(bytes, 4, 'UBOOT-~1ENV');
  return new FatVolume(bytes);
}

const [SHORT, LONG] = ['A.ENV', 'uboot-redund.env'] as const;

test('files are found by their long name, or else by the short one', () => {
  assert.deepEqual(volume().names(), [SHORT, LONG]);
  assert.equal(volume().read(SHORT.toLowerCase())?.length, 0);
  assert.equal(volume().read('other'), undefined);
});

test('after replacing and removing files the contents are correct and the volume is consistent', () => {
  const step = fc.record({
    name: fc.constantFrom(SHORT, LONG),
    content: fc.option(fc.uint8Array({ maxLength: 20 * SECTOR }), { freq: 9, nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const made = volume();
      const expected = new Map<string, Buffer>([
        [SHORT, Buffer.alloc(0)],
        [LONG, Buffer.alloc(0)],
      ]);
      for (const { name, content } of steps) {
        if (!expected.has(name)) assert.throws(() => made.remove(name), /there is no/);
        else if (content) {
          made.replace(name, Buffer.from(content));
          expected.set(name, Buffer.from(content));
        } else {
          made.remove(name);
          expected.delete(name);
        }
        assert.deepEqual(made.problems(), []);
      }
      assert.deepEqual(made.names(), [...expected.keys()]);
      for (const [name, content] of expected) assert.ok(made.read(name)?.equals(content));
    }),
  );
});

test('damage is detected', () => {
  const made = volume();
  made.replace(SHORT, Buffer.alloc(3 * SECTOR, 1));
  made.replace(LONG, Buffer.alloc(3 * SECTOR, 2));
  const damaged = (change: (bytes: Buffer) => void): string[] => {
    const bytes = Buffer.from(made.bytes);
    change(bytes);
    return new FatVolume(bytes).problems();
  };
  const table = RESERVED * SECTOR;
  const both = (bytes: Buffer, cluster: number, next: number): void => {
    for (const at of [table, table + FAT_SECTORS * SECTOR]) bytes.writeUInt16LE(next, at + cluster * 2);
  };
  assert.deepEqual(
    damaged(() => undefined),
    [],
  );
  assert.match(
    damaged((bytes) => bytes.writeUInt16LE(9, table + 80)).join('; '),
    /belongs to no file; the two tables differ/,
  );
  assert.match(damaged((bytes) => both(bytes, 4, 5)).join('; '), /belongs to A.ENV and uboot-redund.env/);
  assert.match(
    damaged((bytes) => bytes.writeUInt32LE(9000, ROOT + ENTRY + 28)).join('; '),
    /9000 bytes in 3 clusters/,
  );
  assert.throws(() => damaged((bytes) => both(bytes, 3, 2)), /chain of clusters leads to 2/);
  assert.throws(() => new FatVolume(Buffer.alloc(SECTOR)), /not a FAT16/);
});
