import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { chunk, ihdr, png } from './make-png.ts';
import { agreement, type Colour, colourAt, colourCount, decodePng, near, type Picture } from './png.ts';

/** Encodes a PNG with a chosen filter for every row: the inverse of the decoder under test. */
function encode({ width, height, rgb }: Picture, channels: 3 | 4, filters: number[]): Buffer {
  const stride = width * channels;
  const pixels = Buffer.alloc(stride * height, 0x7f);
  for (let i = 0; i < width * height; i++) pixels.set(rgb.subarray(i * 3, i * 3 + 3), i * channels);
  const at = (x: number, y: number): number => (x < 0 || y < 0 ? 0 : (pixels[y * stride + x] ?? 0));
  const rows: number[] = [];
  for (let y = 0; y < height; y++) {
    const filter = filters[y % filters.length] ?? 0;
    rows.push(filter);
    for (let x = 0; x < stride; x++) {
      const left = x < channels ? 0 : at(x - channels, y);
      const up = at(x, y - 1);
      const corner = x < channels ? 0 : at(x - channels, y - 1);
      const p = left + up - corner;
      const candidates = [left, up, corner];
      const best = candidates.reduce((a, b) => (Math.abs(p - b) < Math.abs(p - a) ? b : a));
      const guess = [0, left, up, Math.floor((left + up) / 2), best][filter] ?? 0;
      rows.push((at(x, y) - guess) & 0xff);
    }
  }
  const data = deflateSync(Buffer.from(rows));
  const cut = Math.ceil(data.length / 2);
  return png(
    ihdr({ width, height, colourType: channels === 3 ? 2 : 6 }),
    chunk('IDAT', data.subarray(0, cut)),
    chunk('IDAT', data.subarray(cut)),
    chunk('IEND'),
  );
}

const pictures = fc
  .record({ width: fc.integer({ min: 1, max: 9 }), height: fc.integer({ min: 1, max: 9 }) })
  .chain(({ width, height }) =>
    fc
      .uint8Array({ minLength: width * height * 3, maxLength: width * height * 3 })
      .map((rgb): Picture => ({ width, height, rgb })),
  );

test('an encoded picture is decoded unchanged, with and without alpha, for all filters', () => {
  fc.assert(
    fc.property(
      pictures,
      fc.constantFrom<(3 | 4)[]>(3, 4),
      fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 9 }),
      (picture, channels, filters) => {
        assert.deepEqual(decodePng(encode(picture, channels, filters)), picture);
      },
    ),
  );
});

test('a truncated PNG and a file that is not a PNG are rejected', () => {
  const whole = encode({ width: 1, height: 1, rgb: Uint8Array.of(1, 2, 3) }, 3, [0]);
  assert.throws(() => decodePng(whole.subarray(0, whole.length - 1)), /ends before/);
  assert.throws(() => decodePng(Buffer.from('GIF89a…………')), /not a PNG/);
});

test('colours are read at a position and compared with a tolerance', () => {
  const picture: Picture = { width: 2, height: 1, rgb: Uint8Array.of(255, 0, 0, 0, 0, 250) };
  const [red, blue]: [Colour, Colour] = [
    [255, 0, 0],
    [0, 0, 255],
  ];
  assert.ok(near(colourAt(picture, 0.25, 0.5), red));
  assert.ok(near(colourAt(picture, 0.75, 0.5), blue));
  assert.ok(!near(colourAt(picture, 0.75, 0.5), blue, 4));
  assert.equal(colourCount(picture), 2);
});

test('agreement is the share of equal pixels, and 0 for pictures of different sizes', () => {
  const a: Picture = { width: 2, height: 1, rgb: Uint8Array.of(9, 9, 9, 50, 50, 50) };
  const b: Picture = { width: 2, height: 1, rgb: Uint8Array.of(9, 9, 12, 50, 90, 50) };
  assert.equal(agreement(a, b), 0.5);
  assert.equal(agreement(a, { width: 1, height: 2, rgb: a.rgb }), 0);
});
