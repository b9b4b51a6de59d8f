import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../testing/long-runs.ts';
import { LineSplitter } from '../../base/line-splitter.ts';
import { type Frame, MAX_LINE_BYTES, parseFrame } from './framing.ts';

function framesOf(pieces: readonly Buffer[], lines = new LineSplitter(MAX_LINE_BYTES)): Frame[] {
  const frames: Frame[] = [];
  for (const piece of pieces) {
    lines.forEach(piece, (line) => {
      const frame = parseFrame(line);
      if (frame) frames.push(frame);
    });
  }
  return frames;
}

function objects(text: string | Buffer): unknown[] {
  return framesOf([Buffer.from(text)]).map((frame) => ('object' in frame ? frame.object : frame.problem));
}

/** Cuts bytes at the given places, in whatever order they come. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted].map((start, index) => bytes.subarray(start, sorted[index] ?? bytes.length));
}

test('gives one frame a line and ignores empty lines', () => {
  assert.deepEqual(objects('{"a":1}\n\n\r\n{"b":"ü"}\r\n{"c":'), [{ a: 1 }, { b: 'ü' }]);
});

test('tells what a bad line is, and the next one is good', () => {
  const bytes = Buffer.concat([
    Buffer.from('{"a":\n'),
    Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]),
    Buffer.from('[1]\nnull\n"text"\n \n{"ok":true}\n'),
  ]);
  assert.deepEqual(objects(bytes), [
    'The line is not JSON: Unexpected end of JSON input.',
    'The line is not UTF-8.',
    'The line is not a JSON object.',
    'The line is not a JSON object.',
    'The line is not a JSON object.',
    'The line is not JSON: Unexpected end of JSON input.',
    { ok: true },
  ]);
});

test('takes a line of exactly 1 MiB and ignores a longer one, whole or in pieces', () => {
  const filler = '{"x":""}'.length;
  for (const [size, expected] of [
    [MAX_LINE_BYTES, 2],
    [MAX_LINE_BYTES + 1, 1],
    [3 * MAX_LINE_BYTES, 1],
  ] as const) {
    const bytes = Buffer.from(`{"x":"${'a'.repeat(size - filler)}"}\n{"next":1}\n`);
    for (const step of [bytes.length, 65_536, 4093]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / step) }, (_, index) =>
        bytes.subarray(index * step, (index + 1) * step),
      );
      const frames = framesOf(pieces);
      assert.equal(frames.length, expected, `${size} bytes in steps of ${step}`);
      assert.ok(frames.every((frame) => 'object' in frame));
    }
  }
});

test('holds no more than a line, however long the line gets', () => {
  const lines = new LineSplitter(MAX_LINE_BYTES);
  const piece = Buffer.alloc(64 * 1024, 'a');
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let count = 0; count < 4096; count += 1) {
    assert.deepEqual(framesOf([piece], lines), []);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  // One line as it grows, and the smaller ones that it outgrew until they are collected.
  assert.ok(most < 4 * MAX_LINE_BYTES, `${most} bytes`);
  assert.deepEqual(framesOf([Buffer.from('\n{"id":1}\n')], lines), [
    { object: { id: 1 }, id: '1', isTooDeep: false },
  ]);
});

test('gives the same frames however the bytes are cut', () => {
  const line = fc.oneof(
    { weight: 4, arbitrary: fc.json().map((text) => Buffer.from(text)) },
    {
      weight: 4,
      arbitrary: fc.dictionary(fc.string(), fc.jsonValue()).map((o) => Buffer.from(JSON.stringify(o))),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.constantFrom('', '\r', '{}', '{"a":1}\r').map((text) => Buffer.from(text)) },
  );
  const stream = fc
    .array(line, { maxLength: 12 })
    .map((lines) => Buffer.concat(lines.flatMap((l) => [l, Buffer.from('\n')])));
  fc.assert(
    fc.property(stream, fc.array(fc.nat(4000), { maxLength: 20 }), (bytes, places) => {
      assert.deepEqual(framesOf(cut(bytes, places)), framesOf([bytes]));
    }),
    { numRuns: repetitions(300, 10_000) },
  );
});

/** A small generator of our own: fast-check's arbitraries are too slow for so many frames. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state;
  };
}

test('survives many random and mutated frames, and a good frame after them is heard', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const next = random(seed);
      const lines = new LineSplitter(MAX_LINE_BYTES);
      const good = Buffer.from(
        '{"id":1,"type":"request","method":"GET","path":"/api/v1/device"}\n{"type":"subscribe","topics":["log"]}\n'.repeat(
          500,
        ),
      );
      for (let round = 0; round < 20; round += 1) {
        // Mutated: a few bytes of good frames change, and newlines move with them.
        const bytes = Buffer.from(good);
        for (let change = 0; change < 400; change += 1) bytes[next() % bytes.length] = next() >>> 24;
        // Random: every byte, with newlines as often as 1 in 16.
        const noise = Buffer.alloc(16_384);
        for (let at = 0; at < noise.length; at += 1)
          noise[at] = (next() >>> 16) % 16 === 0 ? 0x0a : next() >>> 24;
        const pieces = cut(Buffer.concat([bytes, noise]), [next(), next(), next()]);
        for (const frame of framesOf(pieces, lines)) {
          if ('object' in frame) assert.equal(typeof frame.object, 'object');
          else assert.ok(frame.problem.length > 0);
        }
      }
      const last = framesOf([Buffer.from('\n{"still":"here"}\n')], lines).at(-1);
      assert.deepEqual(last, { object: { still: 'here' }, id: undefined, isTooDeep: false });
    }),
    { numRuns: repetitions(6, 300) },
  );
});
