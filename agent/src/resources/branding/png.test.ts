import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { repetitions } from '../../../../testing/long-runs.ts';
import {
  chunk,
  ihdr,
  KINDS,
  makePng,
  palette,
  pixels,
  png,
  SIGNATURE,
} from '../../../../testing/make-png.ts';
import { ApiError } from '../../contract/errors.ts';
import { asset } from '../../system/assets.ts';
import { checkPng, MAX_PIXELS, MAX_SIDE, type PngHeader, rowLengths } from './png.ts';

const IDAT = chunk('IDAT', deflateSync(pixels()));
const END = chunk('IEND');

test('accepts every colour type, bit depth and interlace method in odd sizes', async () => {
  const sizes: [number, number][] = [
    [1, 1],
    [2, 3],
    [5, 5],
    [8, 8],
    [33, 17],
    [9, 70],
  ];
  for (const [colourType, bitDepth] of KINDS) {
    for (const interlaced of [false, true]) {
      for (const [width, height] of sizes) {
        const header: PngHeader = { width, height, colourType, bitDepth, interlaced };
        assert.deepEqual(await checkPng(makePng(header)), header);
      }
    }
  }
});

test('counts the rows of Adam7 as the specification does', () => {
  const rows = (width: number, height: number) => [
    ...rowLengths({ width, height, bitDepth: 8, colourType: 0, interlaced: true }),
  ];
  assert.deepEqual(rows(8, 8), [2, 2, 3, 3, 3, 5, 5, 5, 5, 5, 5, 9, 9, 9, 9]);
  assert.deepEqual(rows(1, 1), [2]);
  assert.deepEqual(rows(3, 2), [2, 2, 2, 4]);
});

const GOOD: Readonly<Record<string, Buffer>> = {
  'pixels in many chunks, some of them empty': png(
    ihdr(),
    chunk('IDAT'),
    ...[...deflateSync(pixels())].map((byte) => chunk('IDAT', Buffer.from([byte]))),
    chunk('IDAT'),
    END,
  ),
  'a palette in a true-colour picture': png(ihdr(), palette({ bitDepth: 8 }), IDAT, END),
  'ancillary chunks before and after the pixels, also those of an animation': png(
    ihdr(),
    chunk('gAMA', Buffer.from([0, 0, 177, 143])),
    chunk('acTL', Buffer.alloc(8)),
    IDAT,
    chunk('fdAT', Buffer.alloc(9)),
    chunk('tEXt', Buffer.from('Title\0Shop')),
    END,
  ),
  'stored deflate blocks': png(ihdr(), chunk('IDAT', deflateSync(pixels(), { level: 0 })), END),
  '4K': makePng({ width: 3840, height: 2160 }),
  '8K with sixteen bits': makePng({ width: 7680, height: 4320, bitDepth: 16, colourType: 6 }),
};

for (const [what, file] of Object.entries(GOOD))
  test(`accepts ${what}`, async () => void (await checkPng(file)));

test('accepts the built-in image, which is small', async () => {
  const file = await asset('page/splash.png');
  const { width, height } = await checkPng(file);
  assert.ok(width <= 640 && height <= 360 && file.length <= 40 * 1024);
});

/** Zeros compress by 1000 to 1: a small file can inflate to more than the memory of the device. */
const BOMB = deflateSync(Buffer.alloc(160 * 2 ** 20), { level: 1 });

function changed(file: Buffer, at: number, value: number): Buffer {
  const copy = Buffer.from(file);
  copy[at] = value;
  return copy;
}

function filtered(filter: number): Buffer {
  return png(ihdr(), chunk('IDAT', deflateSync(changed(pixels(), (20 * 3 + 1) * 4, filter))), END);
}

const BAD: Readonly<Record<string, [Buffer, RegExp]>> = {
  nothing: [Buffer.alloc(0), /not a PNG/],
  'a JPEG': [Buffer.from('ffd8ffe000104a46494600010100', 'hex'), /not a PNG/],
  'an SVG': [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), /not a PNG/],
  'a PNG after a text mode transfer': [
    Buffer.from(makePng().toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
    /not a PNG/,
  ],
  'the signature alone': [SIGNATURE, /ends before/],
  'a file cut off in a chunk': [makePng().subarray(0, -20), /IDAT chunk at byte 33 is cut off/],
  'a file without IEND': [png(ihdr(), IDAT), /ends before its IEND/],
  'a wrong checksum of pixels': [changed(makePng(), 50, 0x77), /checksum of the IDAT/],
  'a wrong checksum of an ancillary chunk': [
    png(ihdr(), changed(chunk('tEXt', Buffer.from('a\0b')), 9, 1), IDAT, END),
    /checksum of the tEXt/,
  ],
  'a chunk longer than the file': [
    png(ihdr(), Buffer.from('ffffffff49444154', 'hex'), Buffer.alloc(20)),
    /cut off/,
  ],
  'junk in place of a chunk': [png(ihdr(), Buffer.alloc(40)), /no PNG chunk at byte 33/],
  'bytes after the end': [Buffer.concat([makePng(), Buffer.from('<?php')]), /5 bytes follow/],
  'two pictures in one file': [Buffer.concat([makePng(), makePng()]), /follow the end/],
  'no header': [png(IDAT, END), /first chunk .* is not IHDR/],
  'a header that is not first': [png(chunk('tIME', Buffer.alloc(7)), ihdr(), IDAT, END), /first chunk/],
  'two headers': [png(ihdr(), ihdr(), IDAT, END), /unexpected critical chunk, IHDR/],
  'a short header': [png(chunk('IHDR', Buffer.alloc(12)), IDAT, END), /13 bytes/],
  'no pixels': [png(ihdr(), END), /do not decompress|fewer pixels/],
  'width 0': [png(ihdr({ width: 0 }), IDAT, END), /empty/],
  'height 0': [png(ihdr({ height: 0 }), IDAT, END), /empty/],
  '30000 × 30000 in a tiny file': [png(ihdr({ width: 30_000, height: 30_000 }), IDAT, END), /too large/],
  'one side too long': [png(ihdr({ width: MAX_SIDE + 1, height: 1 }), IDAT, END), /too large/],
  'too many pixels': [png(ihdr({ width: 8192, height: MAX_PIXELS / 8192 + 1 }), IDAT, END), /too large/],
  'colour type 5': [png(ihdr({ colourType: 5 }), IDAT, END), /colour type 5/],
  'RGB of four bits': [png(ihdr({ bitDepth: 4 }), IDAT, END), /bit depth 4/],
  'a palette of sixteen bits': [png(ihdr({ colourType: 3, bitDepth: 16 }), IDAT, END), /bit depth 16/],
  'an unknown interlace method': [
    png(chunk('IHDR', changed(ihdr().subarray(8, 21), 12, 2)), IDAT, END),
    /interlace/,
  ],
  'an unknown compression method': [
    png(chunk('IHDR', changed(ihdr().subarray(8, 21), 10, 1)), IDAT, END),
    /compression/,
  ],
  'an unknown filter method': [
    png(chunk('IHDR', changed(ihdr().subarray(8, 21), 11, 1)), IDAT, END),
    /filter or interlace method/,
  ],
  'a palette in a grey picture with alpha': [
    png(ihdr({ colourType: 4 }), palette({ bitDepth: 8 }), IDAT, END),
    /grey PNG has a palette/,
  ],
  'a missing palette': [
    png(ihdr({ colourType: 3 }), chunk('IDAT', deflateSync(pixels({ colourType: 3 }))), END),
    /no palette/,
  ],
  'a palette after the pixels': [png(ihdr(), IDAT, palette({ bitDepth: 8 }), END), /late PLTE/],
  'a palette in a grey picture': [
    png(ihdr({ colourType: 0 }), palette({ bitDepth: 8 }), IDAT, END),
    /grey PNG has a palette/,
  ],
  'two palettes': [
    png(ihdr(), palette({ bitDepth: 1 }), palette({ bitDepth: 1 }), IDAT, END),
    /second or late/,
  ],
  'a palette of 3½ colours': [png(ihdr(), chunk('PLTE', Buffer.alloc(10)), IDAT, END), /10 bytes/],
  'an empty palette': [png(ihdr(), chunk('PLTE'), IDAT, END), /0 bytes/],
  'more colours than the bit depth has': [
    png(ihdr({ colourType: 3, bitDepth: 2 }), palette({ bitDepth: 4 }), IDAT, END),
    /not 1 to 4 colours/,
  ],
  'pixels in two places': [png(ihdr(), IDAT, chunk('tIME', Buffer.alloc(7)), IDAT, END), /not consecutive/],
  'an unknown critical chunk': [png(ihdr(), chunk('FUNY'), IDAT, END), /unexpected critical chunk, FUNY/],
  'an end that is not empty': [png(ihdr(), IDAT, chunk('IEND', Buffer.alloc(1))), /not empty/],
  'one byte of pixels too few': [
    png(ihdr(), chunk('IDAT', deflateSync(pixels().subarray(0, -1))), END),
    /fewer pixels/,
  ],
  'no byte of pixels': [png(ihdr(), chunk('IDAT', deflateSync(Buffer.alloc(0))), END), /fewer pixels/],
  'an empty IDAT': [png(ihdr(), chunk('IDAT'), END), /decompress|shorter/],
  'one byte of pixels too many': [
    png(ihdr(), chunk('IDAT', deflateSync(Buffer.concat([pixels(), Buffer.alloc(1)]))), END),
    /more pixels/,
  ],
  'a bomb': [png(ihdr({ width: 100, height: 100 }), chunk('IDAT', BOMB), END), /more pixels/],
  'bytes behind the compressed pixels': [
    png(ihdr(), chunk('IDAT', Buffer.concat([deflateSync(pixels()), Buffer.alloc(9)])), END),
    /Data follows the pixels/,
  ],
  'a whole IDAT behind the compressed pixels': [
    png(ihdr(), IDAT, IDAT, IDAT, END),
    /Data follows the pixels/,
  ],
  'many IDATs behind the compressed pixels': [
    png(ihdr(), IDAT, ...Array.from({ length: 40 }, () => chunk('IDAT', Buffer.alloc(60_000, 1))), END),
    /Data follows the pixels/,
  ],
  'compressed pixels that are cut off': [
    png(ihdr(), chunk('IDAT', deflateSync(pixels()).subarray(0, -6)), END),
    /decompress/,
  ],
  'a wrong checksum inside the compressed pixels': [
    png(ihdr(), chunk('IDAT', changed(deflateSync(pixels()), deflateSync(pixels()).length - 1, 9)), END),
    /decompress/,
  ],
  'pixels compressed without zlib’s frame': [
    png(ihdr(), chunk('IDAT', deflateRawSync(pixels())), END),
    /decompress/,
  ],
  'pixels that are not compressed': [png(ihdr(), chunk('IDAT', pixels()), END), /decompress/],
  'a preset dictionary': [
    png(ihdr(), chunk('IDAT', deflateSync(pixels(), { dictionary: Buffer.from('splash') })), END),
    /decompress/,
  ],
  'filter 5': [filtered(5), /filter 5/],
  'filter 255': [filtered(255), /filter 255/],
};

for (const [what, [file, why]] of Object.entries(BAD)) {
  test(`refuses ${what}`, async () => {
    await assert.rejects(checkPng(file), (error) => {
      assert.ok(error instanceof ApiError && error.code === 'bad_request', String(error));
      assert.match(error.message, why);
      return true;
    });
  });
}

test('stops inflating at the size that the header says', async () => {
  const file = png(ihdr({ width: 100, height: 100 }), chunk('IDAT', BOMB), END);
  const before = process.memoryUsage.rss();
  await assert.rejects(checkPng(file), /more pixels/);
  assert.ok(process.memoryUsage.rss() - before < 64 * 2 ** 20);
});

test('accepts text and colour profiles up to a limit of inflated bytes', async () => {
  const [small, large] = [3 * 2 ** 20, 17 * 2 ** 20].map((bytes) => deflateSync(Buffer.alloc(bytes)));
  assert.ok(small && large);
  const head = (text: string) => Buffer.from(text, 'latin1');
  const kinds: Readonly<Record<string, Buffer>> = {
    zTXt: head('Comment\0\0'),
    iCCP: head('profile\0\0'),
    iTXt: head('Comment\0\x01\0en\0Comment\0'),
  };
  const withChunks = (...chunks: Buffer[]) => checkPng(png(ihdr(), ...chunks, IDAT, END));
  const refused = { code: 'bad_request', message: /too much text or too many colour profiles/ };
  for (const [type, start] of Object.entries(kinds)) {
    const of = (packed: Buffer) => chunk(type, Buffer.concat([start, packed]));
    await withChunks(of(small), chunk(type, start), chunk(type, Buffer.from('Comment')));
    await assert.rejects(withChunks(of(large)), refused, type);
    await assert.rejects(withChunks(...Array.from({ length: 6 }, () => of(small))), refused, type);
  }
  // Only iTXt chunks say whether they are compressed; other chunks are not.
  const body = (compressed: string) => Buffer.concat([head(`Comment\0${compressed}\0en\0Comment\0`), large]);
  await withChunks(chunk('tEXt', body('\x01')), chunk('iTXt', body('\0')));
  // Data that is damaged at its end costs a decoder nearly as much as intact data.
  const cutOff = chunk('zTXt', Buffer.concat([head('Comment\0\0'), small.subarray(0, -4)]));
  await withChunks(...Array.from({ length: 8 }, () => cutOff));
  await assert.rejects(withChunks(...Array.from({ length: 17 }, () => cutOff)), refused);
  await withChunks(chunk('tEXt', head(`Comment\0${'x'.repeat(100_000)}`)));
  await assert.rejects(
    withChunks(...Array.from({ length: 1001 }, () => chunk('tEXt', head('a\0b')))),
    refused,
  );
});

test('accepts pixels in thousands of chunks without a listener for each', async () => {
  const size = { width: 1000, height: 500 };
  const data = deflateSync(pixels(size), { level: 0 });
  const parts = Array.from({ length: Math.ceil(data.length / 1000) }, (_, i) =>
    chunk('IDAT', data.subarray(i * 1000, i * 1000 + 1000)),
  );
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => void warnings.push(message);
  process.on('warning', onWarning);
  try {
    await checkPng(png(ihdr(size), ...parts, END));
    // Warnings are emitted in the next tick.
    await new Promise(setImmediate);
  } finally {
    process.off('warning', onWarning);
  }
  assert.deepEqual(warnings, []);
});

const KIND = fc.constantFrom(...KINDS);

test('any change of a PNG is either accepted or refused with a reason', async () => {
  const mutation = fc.record({ at: fc.nat(), value: fc.integer({ min: 0, max: 255 }) });
  await fc.assert(
    fc.asyncProperty(
      KIND,
      fc.boolean(),
      fc.array(mutation, { maxLength: 6 }),
      fc.option(fc.nat(), { nil: undefined }),
      fc.boolean(),
      async ([colourType, bitDepth], interlaced, mutations, cut, mend) => {
        const file = makePng({ colourType, bitDepth, interlaced, width: 13, height: 9 });
        for (const { at, value } of mutations) file[at % file.length] = value;
        const mended = mend ? withChecksums(file) : file;
        const end = cut === undefined ? mended.length : cut % (mended.length + 1);
        try {
          await checkPng(mended.subarray(0, end));
        } catch (error) {
          assert.ok(error instanceof ApiError && error.code === 'bad_request', String(error));
        }
      },
    ),
    { numRuns: repetitions(150, 5000) },
  );
});

/** Corrects the checksums, so that changes get past them. */
function withChecksums(file: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 8; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at);
    const body = file.subarray(at + 8, at + 8 + length);
    if (body.length < length) break;
    chunks.push(chunk(file.toString('latin1', at + 4, at + 8), body));
    at += 12 + length;
  }
  return png(...chunks);
}
