import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReaderError } from '../errors.ts';
import { encodeFrame, FROM_CHIP, MAX_BODY_BYTES, NACK, parseFrame, TO_CHIP } from './frame.ts';
import { parseTargets } from './targets.ts';

const CASES = Number(process.env.VITRINE_FUZZ_CASES ?? 100_000);

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

test('frames of the manual (UM0701-02, sections 6.2.1 and 7.2)', () => {
  assert.deepEqual(encodeFrame(hex('02')), hex('00 00 FF 02 FE D4 02 2A 00'));
  assert.deepEqual(encodeFrame(hex('4A 02 00')), hex('00 00 FF 04 FC D4 4A 02 00 E0 00'));
  assert.deepEqual(parseFrame(hex('00 00 FF 06 FA D5 03 32 01 06 07 E8 00')), {
    kind: 'information',
    tfi: FROM_CHIP,
    data: hex('03 32 01 06 07'),
  });
  assert.deepEqual(parseFrame(hex('00 00 FF 00 FF 00')), { kind: 'ack' });
  assert.deepEqual(parseFrame(NACK), { kind: 'nack' });
  assert.deepEqual(parseFrame(hex('00 00 FF 01 FF 7F 81 00')), { kind: 'error' });
  // Any number of bytes may come before the start code, and the frame after an ACK is not read with it.
  assert.deepEqual(parseFrame(hex('80 00 00 00 FF 00 FF 00 00 00 FF 02')), { kind: 'ack' });
});

test('an extended frame from 255 bytes of data on', () => {
  const data = Buffer.alloc(255, 0x5a);
  const frame = encodeFrame(data);
  assert.deepEqual(frame.subarray(0, 8), hex('00 00 FF FF FF 01 00 FF'));
  assert.deepEqual(parseFrame(frame), { kind: 'information', tfi: TO_CHIP, data });
  assert.throws(() => encodeFrame(Buffer.alloc(MAX_BODY_BYTES)), RangeError);
  assert.throws(() => encodeFrame(Buffer.alloc(0)), RangeError);
});

test('bad and short frames', () => {
  const kinds: readonly [string, string][] = [
    ['', 'bad'],
    ['00 00', 'bad'],
    ['00 00 FF', 'incomplete'],
    ['00 00 FF 06 FB D5 03 32 01 06 07 E8 00', 'bad'],
    ['00 00 FF 06 FA D5 03 32 01 06 07 E9 00', 'bad'],
    ['00 00 FF 06 FA D5 03 32 01 06 07', 'incomplete'],
    ['00 00 FF 00 00 00', 'bad'],
    ['00 00 FF 01 FF D5 2B 00', 'bad'],
    ['00 00 FF FF FF', 'incomplete'],
    ['00 00 FF FF FF FF FF 02 D5', 'bad'],
  ];
  for (const [text, kind] of kinds) assert.equal(parseFrame(hex(text)).kind, kind, text);
  assert.deepEqual(parseFrame(hex('00 00 FF 06 FA D5')), { kind: 'incomplete', bytes: 12 });
});

test('frames of all lengths, and the same with one byte changed or cut off', () => {
  for (let length = 1; length < MAX_BODY_BYTES; length++) {
    const data = Buffer.from(Array.from({ length }, (_, index) => (index * 37 + length) & 0xff));
    const frame = encodeFrame(data, FROM_CHIP);
    assert.deepEqual(parseFrame(frame), { kind: 'information', tfi: FROM_CHIP, data });
    const short = parseFrame(frame.subarray(0, frame.length - 2));
    assert.deepEqual(short, { kind: 'incomplete', bytes: frame.length - 1 });
    const spoiled = Buffer.from(frame);
    const at = 3 + (length % (frame.length - 4));
    spoiled.writeUInt8(spoiled.readUInt8(at) ^ 0x10, at);
    assert.notEqual(parseFrame(spoiled).kind, 'information', `length ${length}, byte ${at}`);
  }
});

test(`${CASES} random inputs: the parser takes all of them, and finds only frames whose checksums fit`, () => {
  const random = generator(0x5eed);
  let frames = 0;
  for (let run = 0; run < CASES; run++) {
    const input = randomInput(random);
    const parsed = parseFrame(input);
    if (parsed.kind === 'information') {
      frames += 1;
      const frame = encodeFrame(parsed.data, parsed.tfi);
      const shorter = frame.length - 1;
      // The same bytes are in the input, but for the preamble; an extended frame may be shorter than it has to be.
      if (parsed.data.length >= 255) assert.ok(input.includes(frame.subarray(1, shorter)));
      else assert.ok(input.includes(frame.subarray(5, shorter)));
    }
    if (parsed.kind === 'incomplete') assert.ok(parsed.bytes > input.length);
    try {
      parseTargets(parsed.kind === 'information' ? parsed.data : input.subarray(0, 40));
    } catch (error) {
      if (!(error instanceof ReaderError)) throw error;
    }
  }
  assert.ok(frames > CASES / 10, `${frames} frames`);
});

/** Random numbers below a limit (xorshift32). */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/** Noise, or a frame that is whole, changed, cut off, or between other bytes. */
function randomInput(random: (below: number) => number): Buffer {
  const noise = (length: number): Buffer => {
    const bytes = Buffer.allocUnsafe(length);
    for (let at = 0; at < length; at++) bytes[at] = random(4) === 0 ? random(2) * 0xff : random(256);
    return bytes;
  };
  if (random(4) === 0) return noise(random(40));
  const body = noise(1 + random(random(20) === 0 ? 264 : 30));
  if (random(4) === 0) body[0] = random(4);
  const frame = encodeFrame(body, random(2) === 0 ? FROM_CHIP : random(256));
  switch (random(4)) {
    case 0:
      frame[random(frame.length)] = random(256);
      return frame;
    case 1:
      return frame.subarray(0, random(frame.length));
    case 2:
      return Buffer.concat([Buffer.alloc(random(5)), frame, noise(random(10))]);
    default:
      return frame;
  }
}
