import { buildZip, extraField, u64 } from './build-zip.ts';
import { type CorpusZip, made, PAGE } from './corpus-zip.ts';

const A = { name: 'a', data: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' };
const EVIL = { name: 'evil', data: 'only another reader would see this' };
const SATURATED = 0xffff_ffff;

function bytes(name: string, expected: CorpusZip['expected'], build: () => Buffer): CorpusZip {
  return { name, expected, build: async () => build() };
}

const zip64Field = (...values: number[]) => extraField(1, Buffer.concat(values.map((value) => u64(value))));

const NOT_ZIP: readonly CorpusZip[] = [
  bytes('nothing', /End of central directory record signature not found/, () => Buffer.alloc(0)),
  bytes('one byte', /End of central directory record signature not found/, () => Buffer.from('P')),
  bytes('a page', /This is not a zip archive/, () => Buffer.from('<!doctype html><title>Not packed</title>')),
  bytes('a gzip stream', /This is not a zip archive/, () =>
    Buffer.from('1f8b0800000000000003'.padEnd(100, '0'), 'hex'),
  ),
  bytes('a mebibyte of zeros', /This is not a zip archive/, () => Buffer.alloc(1024 * 1024)),
  bytes('the magic alone', /End of central directory record signature not found/, () =>
    Buffer.from('PK\x03\x04'.padEnd(40, '\0'), 'latin1'),
  ),
  bytes('an archive that was cut off', /file is truncated/, () => buildZip([PAGE, A]).subarray(0, -1)),
  bytes('the first half of an archive', /file is truncated/, () => buildZip([PAGE, A]).subarray(0, 60)),
  bytes('an archive without its first byte', /does not start with an entry/, () =>
    buildZip([PAGE]).subarray(1),
  ),
];

const END_RECORDS: readonly CorpusZip[] = [
  made('a comment', 'ok', [PAGE], { comment: 'Made by a person.' }),
  made('the longest comment', 'ok', [PAGE], { comment: 'x'.repeat(65_535) }),
  made('a comment that is cut off', /Invalid comment length/, [PAGE], {
    comment: 'short',
    commentLength: 100,
  }),
  made('bytes after the end', /extra bytes at the end/, [PAGE], { after: Buffer.from('more') }),
  made('70 000 bytes after the end', /End of central directory record signature not found/, [PAGE], {
    after: Buffer.alloc(70_000),
  }),
  made('a comment with a second end record', /end of central dir signature .* in the comment/, [PAGE], {
    comment: Buffer.concat([buildZip([]), Buffer.from('and more')]),
  }),
  made('a comment that is a second archive', /two end records/, [PAGE], {
    comment: buildZip([{ ...PAGE, data: 'another page' }]),
  }),
  bytes('a comment with a second directory, at its right place', /belong to no entry|first entry/, () => {
    const first = buildZip([PAGE, A], { commentLength: 1000 });
    return buildZip([{ ...PAGE, data: 'another page' }], { before: first });
  }),
  bytes('an archive in an entry, whose comment is the rest of the file', /two end records/, () => {
    // A reader that takes the first end record finds only EVIL; for the last one that is data of an entry.
    const hidden = { ...PAGE, name: EVIL.name, data: EVIL.data };
    const build = (commentLength: number) =>
      buildZip([PAGE, { name: 'inner.bin', data: buildZip([hidden], { commentLength }), method: 0 }]);
    return build(build(0).length - (build(0).indexOf('PK\x05\x06') + 22));
  }),
  bytes('two archives, one after the other', /not where its end record says/, () =>
    Buffer.concat([buildZip([PAGE]), buildZip([PAGE])]),
  ),
  bytes('an archive stored in an archive', 'ok', () =>
    buildZip([PAGE, { name: 'inner.zip', data: buildZip([EVIL]), method: 0 }]),
  ),
  made('a program before the archive', /does not start with an entry/, [PAGE], {
    before: Buffer.from('#!/bin/sh\n'),
  }),
  made('an entry before the first one that no directory lists', /bytes before its first entry/, [PAGE], {
    before: buildZip([EVIL]).subarray(0, 40),
  }),
  bytes('a program before the archive, not counted', /does not start with an entry/, () =>
    Buffer.concat([Buffer.from('#!/bin/sh\n'), buildZip([PAGE])]),
  ),
  made('a directory that lies further on', /not where its end record says/, [PAGE], { end: { start: 200 } }),
  made('a directory that lies at the start', /not where its end record says/, [PAGE], { end: { start: 0 } }),
  made('a directory that is longer', /not where its end record says/, [PAGE], { end: { bytes: 500 } }),
  made('bytes between the directory and its end', /not where its end record says/, [PAGE], {
    afterDirectory: Buffer.from('digital signature'),
  }),
  made('bytes at the end of the directory', /does not have the size that its end record says/, [PAGE], {
    afterDirectory: Buffer.from('PK\x05\x05\x00\x00', 'latin1'),
    isInDirectory: true,
  }),
  made(
    'bytes between the entries and the directory',
    /"index\.html" is followed by bytes that belong/,
    [PAGE],
    {
      beforeDirectory: Buffer.from('signing block'),
    },
  ),
  made(
    'fewer entries counted than there are',
    /does not have the size that its end record says/,
    [PAGE, EVIL],
    {
      end: { entries: 1, entriesHere: 1 },
    },
  ),
  made('more entries counted than there are', /refers to bytes beyond its end/, [PAGE], {
    end: { entries: 2, entriesHere: 2 },
  }),
  made('65 535 entries counted', /refers to bytes beyond its end/, [PAGE], {
    end: { entries: 0xffff, entriesHere: 0xffff },
  }),
  made('two counts', /multi-part/, [PAGE], { end: { entries: 2 } }),
  made('the second part of several', /multi-disk/, [PAGE], { end: { disk: 1 } }),
  made('a directory in another part', /multi-part/, [PAGE], { end: { directoryDisk: 1 } }),
  made('an entry with another part number', 'ok', [{ ...PAGE, disk: 1 }]),
];

const DIRECTORY: readonly CorpusZip[] = [
  made(
    'a directory entry without its signature',
    /after the entry "index\.html": invalid central directory file header signature/,
    [PAGE, { ...A, central: { signature: 0x02014b51 } }],
  ),
  made('a name longer than the directory', /refers to bytes beyond its end/, [
    { ...PAGE, central: { nameLength: 60_000 } },
  ]),
  made('entries in another order than their data', 'ok', [A, PAGE, EVIL]),
  bytes('a directory in another order than the data', 'ok', () => {
    const [first, second] = [buildZip([A]), buildZip([A, PAGE])];
    const local = second.readUInt32LE(second.length - 6);
    const record = first.length - 22 - first.readUInt32LE(first.length - 6);
    const ends = second.subarray(second.length - 22);
    const directory = second.subarray(local, second.length - 22);
    return Buffer.concat([
      second.subarray(0, local),
      directory.subarray(record),
      directory.subarray(0, record),
      ends,
    ]);
  }),
  made('entry comments', 'ok', [{ ...PAGE, comment: 'the page' }, A]),
  made('an unknown extra field', 'ok', [{ ...PAGE, extra: extraField(0xcafe, Buffer.alloc(8)) }]),
  made('extra fields padded with zeros', 'ok', [{ ...PAGE, extra: Buffer.alloc(7) }]),
  made('an extra field that is too long', /after the entry "index\.html": extra field length exceeds/, [
    PAGE,
    { ...A, extra: Buffer.from('fecaff00', 'hex') },
  ]),
  made('an extra field that is cut off', 'ok', [PAGE, { ...A, extra: Buffer.from('feca', 'hex') }]),
  made('no local header', /at the entry "a": invalid local file header signature/, [
    PAGE,
    { ...A, local: { signature: 0x12345678 } },
  ]),
  made('an offset into the middle of an entry', /at the entry "a": invalid local file header signature/, [
    PAGE,
    { ...A, central: { offset: 1 } },
  ]),
  made('an offset behind the archive', /refers to bytes beyond its end/, [
    PAGE,
    { ...A, central: { offset: 0x7fff_fff0 } },
  ]),
  made('another name in the local header', /"a" has another name in its local header/, [
    PAGE,
    { ...A, local: { name: 'b' } },
  ]),
  made('a longer name in the local header', /"a" has another name in its local header/, [
    PAGE,
    { ...A, local: { name: 'a/../../evil' } },
  ]),
  made('another method in the local header', /"a" has another method/, [
    PAGE,
    { ...A, local: { method: 0 } },
  ]),
  made('another CRC-32 in the local header', /"a" has another CRC-32/, [PAGE, { ...A, local: { crc: 7 } }]),
  made('another size in the local header', /"a" has another size/, [PAGE, { ...A, local: { bytes: 7 } }]),
  made('another packed size in the local header', /"a" has another size/, [
    PAGE,
    { ...A, local: { compressedBytes: 7 } },
  ]),
  made('no sizes in the local header, and no descriptor', /"a" has another size/, [
    PAGE,
    { ...A, local: { bytes: 0, compressedBytes: 0 } },
  ]),
  made('a descriptor that the local header does not announce', /"a" has another set of flags/, [
    PAGE,
    { ...A, descriptor: 'signed', local: { flags: 0 } },
  ]),
  made('a local extra field longer than the archive', /at the entry "a": file data overflows file bounds/, [
    PAGE,
    { ...A, local: { extraLength: 65_535 } },
  ]),
  made('a long local extra field', 'ok', [
    { ...A, local: { extra: extraField(0xcafe, Buffer.alloc(40_000)) } },
    PAGE,
  ]),
  made('two entries with the same data', /"copy" has another name/, [
    PAGE,
    { ...PAGE, name: 'copy', only: 'central', central: { offset: 0 } },
  ]),
  bytes('an entry within another, as in bombs', /overlaps what follows/, () => {
    const inner = buildZip([EVIL]).subarray(0, 30 + 4 + 31);
    const outerHead = 30 + 5;
    return buildZip([
      { name: 'outer', data: inner, method: 0 },
      { ...EVIL, only: 'central', central: { offset: outerHead } },
      PAGE,
    ]);
  }),
  made(
    'an entry that no directory lists, between two',
    /"index\.html" is followed by bytes that belong to no entry/,
    [PAGE, { ...EVIL, only: 'local' }, A],
  ),
  made('an entry that no directory lists, at the end', /"a" is followed by bytes that belong to no entry/, [
    PAGE,
    A,
    { ...EVIL, only: 'local' },
  ]),
  made('a directory entry without data', /at the entry "evil": invalid local file header signature/, [
    PAGE,
    { ...EVIL, only: 'central' },
  ]),
  made('bytes between two entries', /"index\.html" is followed by bytes/, [
    PAGE,
    { ...A, before: Buffer.alloc(100) },
  ]),
  made('1000 entries', 'ok', [
    PAGE,
    ...Array.from({ length: 999 }, (_, i) => ({ name: `d/${i}`, data: `${i}` })),
  ]),
];

const ZIP64: readonly CorpusZip[] = [
  made('zip64 fields in every header', 'ok', [
    { ...PAGE, zip64: 'both' },
    { ...A, zip64: 'both' },
  ]),
  made('zip64 fields in local headers alone, as Python writes them', 'ok', [{ ...PAGE, zip64: 'local' }]),
  made('zip64 fields in the directory alone', 'ok', [{ ...PAGE, zip64: 'central' }]),
  made('zip64 fields and descriptors', 'ok', [{ ...PAGE, zip64: 'both', descriptor: 'signed64' }]),
  made('zip64 end records', 'ok', [PAGE, A], { zip64: {} }),
  made('zip64 everywhere', 'ok', [{ ...PAGE, zip64: 'both' }], { zip64: {} }),
  made('zip64 end records that were not needed', 'ok', [PAGE], {
    zip64: {},
    end: { entries: 1, entriesHere: 1 },
  }),
  made('a saturated size without a zip64 field', /"a" claims to unpack to 4294967295 bytes/, [
    PAGE,
    { ...A, bytes: SATURATED },
  ]),
  made('a saturated offset without a zip64 field', /refers to bytes beyond its end/, [
    PAGE,
    { ...A, central: { offset: SATURATED } },
  ]),
  made('a saturated part without a zip64 field', 'ok', [PAGE, { ...A, disk: 0xffff }]),
  made('a zip64 field that is too short', /extra field does not include compressed size/, [
    PAGE,
    { ...A, central: { bytes: SATURATED, compressedBytes: SATURATED, extra: zip64Field(33) } },
  ]),
  made('a zip64 field of 5 bytes', /extra field does not include uncompressed size/, [
    PAGE,
    { ...A, central: { bytes: SATURATED, extra: extraField(1, Buffer.alloc(5)) } },
  ]),
  made('an empty zip64 field that is not needed', 'ok', [{ ...PAGE, extra: extraField(1, Buffer.alloc(0)) }]),
  made(
    'a zip64 field that repeats the sizes before the offset',
    /refers to bytes beyond its end|invalid local/,
    [PAGE, { ...A, central: { offset: SATURATED, extra: zip64Field(33, 5, 80) } }],
  ),
  made('two zip64 fields', 'ok', [PAGE, { ...A, zip64: 'central', central: { extra: zip64Field(1, 2, 3) } }]),
  made('a zip64 field that contradicts the header', 'ok', [
    PAGE,
    { ...A, central: { extra: zip64Field(33, 999) } },
  ]),
  made('an impossible size in a zip64 field', /"a" claims to unpack to 18446744073709552000 bytes/, [
    PAGE,
    { ...A, central: { bytes: SATURATED, extra: extraField(1, Buffer.alloc(8, 0xff)) } },
  ]),
  made('a huge size in a zip64 field', /"a" claims to unpack/, [
    PAGE,
    { ...A, central: { bytes: SATURATED, extra: zip64Field(2 ** 45) } },
  ]),
  made(
    'a zip64 end record that is not where its locator says',
    /invalid zip64 end of central directory record signature/,
    [PAGE],
    {
      zip64: { position: 0 },
    },
  ),
  bytes('a zip64 locator that points to a copy of the end record', /zip64 end record is not where/, () => {
    const build = (copy: Buffer) =>
      buildZip([{ name: 'copy', data: copy, method: 0 }, PAGE], { zip64: { position: 30 + 'copy'.length } });
    const record = build(Buffer.alloc(56)).subarray(-22 - 20 - 56, -22 - 20);
    return build(record);
  }),
  made('a zip64 end record far outside', /refers to bytes beyond its end/, [PAGE], {
    zip64: { position: 2 ** 50 },
  }),
  made('a zip64 end record of another length', /zip64 end record contradicts/, [PAGE], {
    zip64: { recordBytes: 60 },
  }),
  made('a zip64 end record with another count', /zip64 end record contradicts/, [PAGE], {
    zip64: { entries: 7, entriesHere: 7 },
    end: { entries: 1, entriesHere: 1 },
  }),
  made(
    'a zip64 end record with another count where nothing contradicts',
    /invalid central directory file header signature/,
    [PAGE],
    {
      zip64: { entries: 7, entriesHere: 7 },
    },
  ),
  made('too many entries', /has 4000000000 entries; 100000 is the most/, [PAGE], {
    zip64: { entries: 4_000_000_000, entriesHere: 4_000_000_000 },
  }),
  bytes('a directory too long for memory', /central directory is larger than 16777216 bytes/, () =>
    buildZip([PAGE], { afterDirectory: Buffer.alloc(17 * 1024 * 1024), isInDirectory: true }),
  ),
  made('a directory that is longer than the archive', /not where its end record says/, [PAGE], {
    zip64: { bytes: 2 ** 40 },
  }),
  made('a zip64 directory at another place', /not where its end record says/, [PAGE], {
    zip64: { start: 1 },
  }),
  made('a zip64 part of several', /multi-part/, [PAGE], { zip64: { parts: 2 } }),
  made('a zip64 record in another part', /multi-part/, [PAGE], { zip64: { locatorDisk: 1 } }),
];

/** End records, the directory and the local headers, zip64. */
export const STRUCTURE_ZIPS: readonly CorpusZip[] = [...NOT_ZIP, ...END_RECORDS, ...DIRECTORY, ...ZIP64];
