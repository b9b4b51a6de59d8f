import { buildZip, extraField, u64 } from './build-zip.ts';
import { type CorpusZip, made, PAGE } from './corpus-zip.ts';

const A = { name: 'a', data: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' };
const EVIL = { name: 'evil', data: 'what another reader would see' };
const SATURATED = 0xffff_ffff;

function bytes(name: string, expected: CorpusZip['expected'], build: () => Buffer): CorpusZip {
  return { name, expected, build: async () => build() };
}

const zip64Field = (...values: number[]) => extraField(1, Buffer.concat(values.map((value) => u64(value))));

const NOT_ZIP: readonly CorpusZip[] = [
  bytes('nothing', /This is not a zip archive/, () => Buffer.alloc(0)),
  bytes('one byte', /This is not a zip archive/, () => Buffer.from('P')),
  bytes('a page', /This is not a zip archive/, () => Buffer.from('<!doctype html><title>Not packed</title>')),
  bytes('a gzip stream', /This is not a zip archive/, () =>
    Buffer.from('1f8b0800000000000003'.padEnd(100, '0'), 'hex'),
  ),
  bytes('a mebibyte of zeros', /This is not a zip archive/, () => Buffer.alloc(1024 * 1024)),
  bytes('the magic alone', /has no end record/, () => Buffer.from('PK\x03\x04'.padEnd(40, '\0'), 'latin1')),
  bytes('an archive that was cut off', /cut off/, () => buildZip([PAGE, A]).subarray(0, -1)),
  bytes('the first half of an archive', /cut off/, () => buildZip([PAGE, A]).subarray(0, 60)),
  bytes('an archive without its first byte', /does not start with an entry/, () =>
    buildZip([PAGE]).subarray(1),
  ),
];

const END_RECORDS: readonly CorpusZip[] = [
  made('a comment', 'ok', [PAGE], { comment: 'Made by a person.' }),
  made('the longest comment', 'ok', [PAGE], { comment: 'x'.repeat(65_535) }),
  made('a comment that is cut off', /cut off/, [PAGE], { comment: 'short', commentLength: 100 }),
  made('bytes after the end', /bytes after its end/, [PAGE], { after: Buffer.from('more') }),
  made('70 000 bytes after the end', /bytes after its end/, [PAGE], { after: Buffer.alloc(70_000) }),
  made('a comment with a second end record', /second end record/, [PAGE], {
    comment: Buffer.concat([buildZip([]), Buffer.from('and more')]),
  }),
  made('a comment that is a second archive', /second end record/, [PAGE], {
    comment: buildZip([{ ...PAGE, data: 'another page' }]),
  }),
  bytes('a comment with a second directory, at its right place', /belong to no entry|first entry/, () => {
    const first = buildZip([PAGE, A], { commentLength: 1000 });
    return buildZip([{ ...PAGE, data: 'another page' }], { before: first });
  }),
  bytes('an archive whose comment is the rest of another one', /second end record/, () => {
    // Whoever takes the first end record finds EVIL alone; for the last one all that is an entry's data.
    const hidden = { ...PAGE, name: EVIL.name, data: EVIL.data };
    const build = (commentLength: number) =>
      buildZip([PAGE, { name: 'inner.bin', data: buildZip([hidden], { commentLength }), method: 0 }]);
    return build(build(0).length - (build(0).indexOf('PK\x05\x06') + 22));
  }),
  bytes('two archives, one after the other', /bytes after its end|not where its end record says/, () =>
    Buffer.concat([buildZip([PAGE]), buildZip([PAGE])]),
  ),
  bytes('an archive stored in an archive, which is an entry like any other', 'ok', () =>
    buildZip([PAGE, { name: 'inner.zip', data: buildZip([EVIL]), method: 0 }]),
  ),
  made('a program before the archive', /does not start with an entry/, [PAGE], {
    before: Buffer.from('#!/bin/sh\n'),
  }),
  made('an entry of no directory before the first', /bytes before its first entry/, [PAGE], {
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
  made('bytes at the end of the directory', /more in its central directory/, [PAGE], {
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
  made('fewer entries counted than there are', /more in its central directory/, [PAGE, EVIL], {
    end: { entries: 1, entriesHere: 1 },
  }),
  made('more entries counted than there are', /more entries than its central directory has room/, [PAGE], {
    end: { entries: 2, entriesHere: 2 },
  }),
  made('65 535 entries counted', /more entries than its central directory has room/, [PAGE], {
    end: { entries: 0xffff, entriesHere: 0xffff },
  }),
  made('two counts', /one part of several/, [PAGE], { end: { entries: 2 } }),
  made('the second part of several', /one part of several/, [PAGE], { end: { disk: 1 } }),
  made('a directory in another part', /one part of several/, [PAGE], { end: { directoryDisk: 1 } }),
  made('an entry in another part', /"index\.html" lies in another part/, [{ ...PAGE, disk: 1 }]),
];

const DIRECTORY: readonly CorpusZip[] = [
  made('a directory entry without its signature', /damaged at entry 2/, [
    PAGE,
    { ...A, central: { signature: 0x02014b51 } },
  ]),
  made('a name longer than the directory', /ends within entry 1/, [
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
  made('an extra field that nobody knows', 'ok', [{ ...PAGE, extra: extraField(0xcafe, Buffer.alloc(8)) }]),
  made('extra fields padded with zeros', 'ok', [{ ...PAGE, extra: Buffer.alloc(7) }]),
  made('an extra field that is too long', /"a" has an extra field that ends outside/, [
    PAGE,
    { ...A, extra: Buffer.from('fecaff00', 'hex') },
  ]),
  made('an extra field that is cut off', /"a" has an extra field that is cut off/, [
    PAGE,
    { ...A, extra: Buffer.from('feca', 'hex') },
  ]),
  made('no local header', /"a" has no local header/, [PAGE, { ...A, local: { signature: 0x12345678 } }]),
  made('an offset into the middle of an entry', /"a" has no local header|overlaps/, [
    PAGE,
    { ...A, central: { offset: 1 } },
  ]),
  made('an offset behind the archive', /"a" reaches beyond the data/, [
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
  made(
    'a local extra field longer than the archive',
    /"a" (has a local header that reaches beyond|overlaps)/,
    [PAGE, { ...A, local: { extraLength: 65_535 } }],
  ),
  made('a long local extra field', 'ok', [
    { ...A, local: { extra: extraField(0xcafe, Buffer.alloc(40_000)) } },
    PAGE,
  ]),
  made('two entries with the same data', /"index\.html" overlaps|"copy" has another name/, [
    PAGE,
    { ...PAGE, name: 'copy', only: 'central', central: { offset: 0 } },
  ]),
  bytes('an entry within another, as bombs have it', /overlaps what follows/, () => {
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
  made('a directory entry without data', /"evil" (reaches beyond|has no local header)/, [
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
  made('a saturated size without a zip64 field', /"a" lacks the zip64 field/, [
    PAGE,
    { ...A, bytes: SATURATED },
  ]),
  made('a saturated offset without a zip64 field', /"a" lacks the zip64 field/, [
    PAGE,
    { ...A, central: { offset: SATURATED } },
  ]),
  made('a saturated part without a zip64 field', /"a" lacks the zip64 field/, [PAGE, { ...A, disk: 0xffff }]),
  made('a zip64 field that is too short', /"a" has a zip64 field of the wrong length/, [
    PAGE,
    { ...A, central: { bytes: SATURATED, compressedBytes: SATURATED, extra: zip64Field(33) } },
  ]),
  made('a zip64 field of 5 bytes', /"a" has a zip64 field of the wrong length/, [
    PAGE,
    { ...A, central: { bytes: SATURATED, extra: extraField(1, Buffer.alloc(5)) } },
  ]),
  made('an empty zip64 field that nothing needs', 'ok', [{ ...PAGE, extra: extraField(1, Buffer.alloc(0)) }]),
  made('two zip64 fields', /"a" has two zip64 fields/, [
    PAGE,
    { ...A, zip64: 'central', central: { extra: zip64Field(1, 2, 3) } },
  ]),
  made('a zip64 field that contradicts the header', /"a" has a zip64 field that contradicts/, [
    PAGE,
    { ...A, central: { extra: zip64Field(33, 999) } },
  ]),
  made('an impossible size in a zip64 field', /"a" has a zip64 field with an impossible size/, [
    PAGE,
    { ...A, central: { bytes: SATURATED, extra: extraField(1, Buffer.alloc(8, 0xff)) } },
  ]),
  made('a huge size in a zip64 field', /"a" reaches beyond|"a" has another size|"a" claims to unpack/, [
    PAGE,
    { ...A, central: { bytes: SATURATED, extra: zip64Field(2 ** 45) } },
  ]),
  made('a zip64 end record that is not where its locator says', /zip64 end record is not where/, [PAGE], {
    zip64: { position: 0 },
  }),
  made('a zip64 end record far outside', /zip64 end record is not where/, [PAGE], {
    zip64: { position: 2 ** 50 },
  }),
  made('a zip64 end record of another length', /zip64 end record is damaged/, [PAGE], {
    zip64: { recordBytes: 60 },
  }),
  made('a zip64 end record with another count', /zip64 end record contradicts/, [PAGE], {
    zip64: { entries: 7, entriesHere: 7 },
    end: { entries: 1, entriesHere: 1 },
  }),
  made(
    'a zip64 end record with another count where nothing contradicts',
    /more entries than its central/,
    [PAGE],
    {
      zip64: { entries: 7, entriesHere: 7 },
    },
  ),
  made('too many entries', /has 4000000000 entries; 100000 is the most/, [PAGE], {
    zip64: { entries: 4_000_000_000, entriesHere: 4_000_000_000 },
  }),
  made('a directory too long for memory', /central directory has more than 16777216 bytes/, [PAGE], {
    zip64: { bytes: 2 ** 40 },
  }),
  made('a zip64 directory at another place', /not where its end record says/, [PAGE], {
    zip64: { start: 1 },
  }),
  made('a zip64 part of several', /one part of several/, [PAGE], { zip64: { parts: 2 } }),
  made('a zip64 record in another part', /one part of several/, [PAGE], { zip64: { locatorDisk: 1 } }),
];

/** End records, the directory and the local headers, zip64. */
export const STRUCTURE_ZIPS: readonly CorpusZip[] = [...NOT_ZIP, ...END_RECORDS, ...DIRECTORY, ...ZIP64];
