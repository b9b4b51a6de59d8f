import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRecording, toneLevel } from './sound.ts';

const RATE = 44_100;

/** A stereo WAV file as QEMU writes it, with these tones (amplitude by frequency) on the left and silence on the right. */
function wav(tones: Record<number, number>, seconds = 0.5): Buffer {
  const frames = RATE * seconds;
  const file = Buffer.alloc(44 + frames * 4);
  file.write('RIFF\0\0\0\0WAVEfmt ', 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(2, 22);
  file.writeUInt32LE(RATE, 24);
  file.writeUInt16LE(16, 34);
  for (let i = 0; i < frames; i++) {
    const parts = Object.entries(tones).map(
      ([hertz, level]) => level * Math.sin((2 * Math.PI * Number(hertz) * i) / RATE),
    );
    file.writeInt16LE(Math.round(parts.reduce((sum, part) => sum + part, 0) * 32_767), 44 + i * 4);
  }
  return file;
}

function near(level: number, expected: number): void {
  assert.ok(Math.abs(level - expected) < 0.01, `${level} instead of ${expected}`);
}

test('tones are measured by frequency, also several at once', () => {
  const recording = readRecording(wav({ 440: 0.5, 1000: 0.125 }));
  assert.equal(recording.rate, RATE);
  near(toneLevel(recording, 440), 0.5);
  near(toneLevel(recording, 1000), 0.125);
  near(toneLevel(recording, 700), 0);
  near(toneLevel(readRecording(wav({})), 440), 0);
});

test('gaps do not lower the level, and a part can be read', () => {
  const file = wav({ 440: 0.5 });
  file.fill(0, 44 + 20_000);
  near(toneLevel(readRecording(file), 440), 0.5);
  near(toneLevel(readRecording(file, 20_001), 440), 0);
});

test('a file that has just been opened has no sound; another format is an error', () => {
  assert.equal(readRecording(Buffer.alloc(10)).samples.length, 0);
  assert.throws(() => readRecording(Buffer.alloc(100)), /not a WAV file/);
});
