import { constants, deflateRawSync } from 'node:zlib';
import { descriptor, extraField } from './build-zip.ts';
import { type CorpusZip, made, PAGE } from './corpus-zip.ts';

const TEXT = 'It is a long way to the end of a text that packs well, well, well. '.repeat(40);
const mode = (octal: number) => (octal << 16) >>> 0;
const GIB = 1024 ** 3;

function withMode(what: string, octal: number, expected: CorpusZip['expected'], name = 'special'): CorpusZip {
  return made(what, expected, [
    PAGE,
    { name, data: name.endsWith('/') ? '' : '/etc/passwd', attributes: mode(octal) },
  ]);
}

/** An ASi Unix field: CRC, mode, size, uid, gid. */
function asiUnix(octal: number): Buffer {
  const data = Buffer.alloc(14);
  data.writeUInt16LE(octal, 4);
  return extraField(0x756e, data);
}

/** Kinds of files, encryption, methods, sizes, checksums, descriptors. */
export const CONTENT_ZIPS: readonly CorpusZip[] = [
  withMode('a symbolic link', 0o120777, /"special" is a symbolic link/),
  made('a symbolic link from a system without links', /"special" is a symbolic link/, [
    PAGE,
    { name: 'special', data: '/etc/passwd', madeBy: 0x0014, attributes: mode(0o120777) },
  ]),
  made('a symbolic link by an extra field alone, which no mode confirms', 'ok', [
    PAGE,
    { name: 'special', data: '/etc/passwd', extra: asiUnix(0o120777) },
  ]),
  made('a symbolic link by an extra field of its local header', 'ok', [
    PAGE,
    { name: 'special', data: '/etc/passwd', local: { extra: asiUnix(0o120777) } },
  ]),
  made('a symbolic link for index.html', /"index\.html" is a symbolic link/, [
    { ...PAGE, attributes: mode(0o120777) },
  ]),
  withMode('a fifo', 0o010644, /"special" is a special file by its mode/),
  withMode('a character device', 0o020666, /"special" is a special file by its mode/),
  withMode('a block device', 0o060660, /"special" is a special file by its mode/),
  withMode('a socket', 0o140755, /"special" is a special file by its mode/),
  withMode('a mode of no known kind', 0o030644, /"special" is a special file by its mode/),
  withMode(
    'a file with the mode of a folder',
    0o040755,
    /"special" is a folder by its mode, but must be a file/,
  ),
  withMode(
    'a folder with the mode of a file',
    0o100644,
    /"special\/" is a file by its mode, but must be a folder/,
    'special/',
  ),
  withMode('a set-uid file', 0o104755, 'ok'),
  withMode('no mode', 0, 'ok'),
  made('a file with the DOS attribute of a folder', 'ok', [
    PAGE,
    { name: 'special', data: 'x', madeBy: 0x0014, attributes: 0x10 },
  ]),
  made('a folder without any attribute', 'ok', [PAGE, { name: 'a/', madeBy: 0x0014, attributes: 0 }]),
  made('a folder with content', /"a\/" is a folder with content/, [PAGE, { name: 'a/', data: 'x' }]),
  made('a folder that is packed, as Java writes it', 'ok', [
    PAGE,
    { name: 'a/', method: 8, descriptor: 'signed' },
  ]),
  made('an encrypted entry', /"secret" is encrypted/, [PAGE, { name: 'secret', data: 'x', flags: 1 }]),
  made('an encrypted entry by its local header', /"secret" has another set of flags in its local header/, [
    PAGE,
    { name: 'secret', data: 'x', local: { flags: 1 } },
  ]),
  made('strong encryption', /after the entry "index\.html": strong encryption is not supported/, [
    PAGE,
    { name: 'secret', data: 'x', flags: 0x41 },
  ]),
  made('masked headers', /"secret" is encrypted/, [PAGE, { name: 'secret', data: 'x', flags: 0x2000 }]),
  made('AES encryption', /"secret" is packed with method 99/, [
    PAGE,
    { name: 'secret', data: 'x', method: 99 },
  ]),
  made('the extra field of AES encryption in an entry that is not encrypted', 'ok', [
    PAGE,
    { name: 'secret', data: 'x', extra: extraField(0x9901, Buffer.alloc(7)) },
  ]),
  made('a patch', /"secret" is a patch/, [PAGE, { name: 'secret', data: 'x', flags: 0x20 }]),
  ...[1, 6, 9, 12, 14, 93, 95, 98].map((method) =>
    made(`method ${method}`, new RegExp(`"packed" is packed with method ${method};`), [
      PAGE,
      { name: 'packed', data: 'x', method },
    ]),
  ),
  made('an unknown version of the format', /"new" needs an unknown version/, [
    PAGE,
    { name: 'new', data: 'x', needs: 90 },
  ]),
  made('a stored entry', 'ok', [{ ...PAGE, method: 0 }]),
  made('empty entries, stored and packed', 'ok', [PAGE, { name: 'a' }, { name: 'b', method: 8 }]),
  made('a stored entry with a wrong CRC-32', /"a" is damaged: its CRC-32/, [
    PAGE,
    { name: 'a', data: TEXT, method: 0, crc: 0x12345678 },
  ]),
  made('a packed entry with a wrong CRC-32', /"a" is damaged: its CRC-32/, [
    PAGE,
    { name: 'a', data: TEXT, crc: 0x12345678 },
  ]),
  made('an empty entry with a wrong CRC-32', /"a" is damaged: its CRC-32/, [PAGE, { name: 'a', crc: 1 }]),
  made('a wrong CRC-32 in a large entry', /"a" is damaged: its CRC-32/, [
    PAGE,
    { name: 'a', data: TEXT.repeat(2000), crc: 1 },
  ]),
  made('a large entry', 'ok', [PAGE, { name: 'a', data: TEXT.repeat(2000) }]),
  made('data that cannot be unpacked', /"a" is damaged: its data cannot be unpacked/, [
    PAGE,
    { name: 'a', data: TEXT, packed: Buffer.from('this is no deflate stream') },
  ]),
  made('large data that cannot be unpacked', /"a" is damaged: its data cannot be unpacked/, [
    PAGE,
    { name: 'a', data: TEXT.repeat(2000), packed: Buffer.alloc(100_000, 0xff) },
  ]),
  made('packed data that is cut off', /"a" is damaged: its data cannot be unpacked/, [
    PAGE,
    { name: 'a', data: TEXT, packed: deflateRawSync(TEXT).subarray(0, -4) },
  ]),
  made('large packed data that is cut off', /"a" is damaged: its data cannot be unpacked/, [
    PAGE,
    { name: 'a', data: TEXT.repeat(2000), packed: deflateRawSync(TEXT.repeat(2000)).subarray(0, -4) },
  ]),
  made('bytes after the packed data', /"a" has bytes after the end of its packed data/, [
    PAGE,
    { name: 'a', data: TEXT, packed: Buffer.concat([deflateRawSync(TEXT), Buffer.from('hidden')]) },
  ]),
  made('many bytes after large packed data', /"a" has bytes after the end of its packed data/, [
    PAGE,
    {
      name: 'a',
      data: TEXT.repeat(2000),
      packed: Buffer.concat([deflateRawSync(TEXT.repeat(2000)), Buffer.alloc(700_000)]),
    },
  ]),
  made('more content than declared', /"a" unpacks to more than its declared size/, [
    PAGE,
    { name: 'a', data: TEXT, bytes: 10 },
  ]),
  made('one byte more than declared', /"a" unpacks to more than its declared size/, [
    PAGE,
    { name: 'a', data: TEXT, bytes: TEXT.length - 1 },
  ]),
  made('content where none is declared', /"a" unpacks to more than its declared size/, [
    PAGE,
    { name: 'a', data: TEXT, bytes: 0 },
  ]),
  made('a bomb that hides its size', /"a" unpacks to more than its declared size/, [
    PAGE,
    { name: 'a', data: Buffer.alloc(50 * 1024 * 1024), bytes: 300 * 1024, crc: 0 },
  ]),
  made(
    'a bomb that is damaged behind its declared size, which is reported first',
    /"a" unpacks to more than/,
    [
      PAGE,
      {
        name: 'a',
        data: 'x',
        packed: Buffer.concat([
          deflateRawSync(Buffer.alloc(2 * 1024 * 1024), { finishFlush: constants.Z_SYNC_FLUSH }),
          Buffer.alloc(1000, 0xff),
        ]),
        bytes: 300 * 1024,
      },
    ],
  ),
  made('less content than declared', /"a" unpacks to less than its declared size/, [
    PAGE,
    { name: 'a', data: TEXT, bytes: TEXT.length + 1 },
  ]),
  made('a bomb: over 1 GiB at over 200 times its size', /"a" claims to unpack to 2147483648 bytes/, [
    PAGE,
    { name: 'a', packed: Buffer.alloc(1000), method: 8, bytes: 2 * GIB },
  ]),
  made('a bomb of many entries', /The archive claims to unpack to \d+ bytes, over 200 times/, [
    PAGE,
    ...Array.from({ length: 20 }, (_, index) => ({
      name: `${index}`,
      packed: Buffer.alloc(1000),
      method: 8,
      bytes: 0.9 * GIB,
    })),
  ]),
  made('a stored entry of two sizes', /size mismatch for stored file: 2680 != 2681/, [
    PAGE,
    { name: 'a', data: TEXT, method: 0, bytes: TEXT.length + 1 },
  ]),
  made('an entry with more data than the archive', /at the entry "a": file data overflows file bounds/, [
    PAGE,
    { name: 'a', data: TEXT, compressedBytes: 0x7fff_ffff },
  ]),
  ...(['signed', 'bare', 'signed64', 'bare64'] as const).flatMap((kind) => [
    made(`a ${kind} data descriptor`, 'ok', [
      { ...PAGE, descriptor: kind },
      { name: 'a', data: TEXT, method: 0, descriptor: kind },
    ]),
    made(`a ${kind} data descriptor with another CRC-32`, /"a" has no data descriptor that agrees/, [
      PAGE,
      { name: 'a', data: TEXT, method: 0, descriptor: descriptor(kind, 1, TEXT.length, TEXT.length) },
    ]),
  ]),
  made('sizes both in the header and in the descriptor', 'ok', [
    PAGE,
    {
      name: 'a',
      data: 'x',
      method: 0,
      crc: 0x8cdc1683,
      descriptor: 'signed',
      local: { crc: 0x8cdc1683, bytes: 1, compressedBytes: 1 },
    },
  ]),
  made('a missing descriptor', /"a" has no data descriptor that agrees/, [
    PAGE,
    { name: 'a', data: TEXT, flags: 8 },
  ]),
  made('a descriptor that is cut off', /"a" has no data descriptor that agrees/, [
    PAGE,
    { name: 'a', data: TEXT, descriptor: Buffer.alloc(11) },
  ]),
  made(
    'a descriptor without its flag',
    /"a" is followed by bytes that belong to no entry/,
    [PAGE, { name: 'a', data: 'x', method: 0 }],
    { beforeDirectory: descriptor('signed', 0x8cdc1683, 1, 1) },
  ),
];
