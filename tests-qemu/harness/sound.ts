import { readFile } from 'node:fs/promises';
import { waitFor } from '../../testing/wait.ts';

/** Bytes before the samples in the file that QEMU writes. It fills in the lengths only when it exits. */
const HEADER_BYTES = 44;
/** Short enough for some windows without a gap: an emulated machine does not always deliver sound in time. In ms. */
const WINDOW_MS = 50;

/** The left channel of a recording, -1 to 1. */
export interface Recording {
  /** Samples per second. */
  rate: number;
  samples: Float64Array;
}

/** Reads a WAV file of 16-bit samples, also one that is still being written. @param from bytes to skip after the header */
export function readRecording(file: Buffer, from = 0): Recording {
  if (file.length < HEADER_BYTES) return { rate: 1, samples: new Float64Array() };
  const isPcm = file.toString('latin1', 8, 16) === 'WAVEfmt ' && file.readUInt16LE(20) === 1;
  if (!isPcm || file.readUInt16LE(34) !== 16) throw new Error('not a WAV file of 16-bit samples');
  const frameBytes = file.readUInt16LE(22) * 2;
  const start = HEADER_BYTES + Math.ceil(from / frameBytes) * frameBytes;
  const samples = new Float64Array(Math.max(0, Math.floor((file.length - start) / frameBytes)));
  for (let i = 0; i < samples.length; i++) samples[i] = file.readInt16LE(start + i * frameBytes) / 32_768;
  return { rate: file.readUInt32LE(24), samples };
}

/** The highest amplitude of a tone in any window of a recording, 0 to 1 (Goertzel's algorithm, with a Hann window). */
export function toneLevel({ rate, samples }: Recording, frequency: number): number {
  const length = Math.round((rate * WINDOW_MS) / 1000);
  let highest = 0;
  for (let start = 0; start + length <= samples.length; start += length >> 1) {
    highest = Math.max(highest, amplitude(samples.subarray(start, start + length), frequency / rate));
  }
  return highest;
}

/** @param turns of the tone per sample */
function amplitude(window: Float64Array, turns: number): number {
  const factor = 2 * Math.cos(2 * Math.PI * turns);
  let [last, previous] = [0, 0];
  window.forEach((sample, i) => {
    const hann = 1 - Math.cos((2 * Math.PI * i) / window.length);
    [last, previous] = [hann * sample + factor * last - previous, last];
  });
  return (2 * Math.sqrt(Math.max(0, last ** 2 + previous ** 2 - factor * last * previous))) / window.length;
}

/** What a machine's sound card plays, from the file that QEMU writes. */
export class Sound {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Everything that is played from now on, once there are `ms` of it. */
  async record(ms: number, timeoutMs = 60_000): Promise<Recording> {
    const { length } = await this.#bytes();
    const from = Math.max(0, length - HEADER_BYTES);
    return await waitFor(
      async () => {
        const recording = readRecording(await this.#bytes(), from);
        return recording.samples.length * 1000 >= recording.rate * ms && recording;
      },
      { timeoutMs, what: 'sound', intervalMs: 200 },
    );
  }

  /** Waits until the levels of tones are in these ranges. @param wanted lowest and highest amplitude, by frequency in Hz */
  async waitForTones(wanted: Readonly<Record<number, readonly [number, number]>>, timeoutMs = 90_000) {
    let seen = '';
    await waitFor(
      async () => {
        const recording = await this.record(500, timeoutMs);
        const levels = Object.entries(wanted).map(
          ([hertz, range]) => [hertz, toneLevel(recording, Number(hertz)), ...range] as const,
        );
        seen = levels.map(([hertz, level]) => `${hertz} Hz: ${level.toFixed(4)}`).join(', ');
        return levels.every(([, level, low, high]) => level >= low && level <= high);
      },
      { timeoutMs, what: `the tones ${JSON.stringify(wanted)}` },
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}; last: ${seen || 'no sound'}`);
    });
  }

  async #bytes(): Promise<Buffer> {
    return await readFile(this.#path).catch(() => Buffer.alloc(0));
  }
}
