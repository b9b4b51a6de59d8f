import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from './device.ts';

/** Bytes before the samples in the file that QEMU writes. It fills in the lengths only when it exits. */
const HEADER_BYTES = 44;
/** Short enough for some windows without a gap: an emulated machine does not always deliver sound in time. In ms. */
const WINDOW_MS = 50;

/** The rate of {@link recordMix}, and how much it records. */
const MIX = { rate: 48_000, seconds: 6 };

/** One channel of a recording, -1 to 1. */
export interface Recording {
  /** Samples per second. */
  rate: number;
  samples: Float64Array;
}

/** Samples of 16 bits, one of each `frameBytes`. */
function samplesOf(bytes: Buffer, frameBytes: number): Float64Array {
  const samples = new Float64Array(Math.max(0, Math.floor(bytes.length / frameBytes)));
  for (let i = 0; i < samples.length; i++) samples[i] = bytes.readInt16LE(i * frameBytes) / 32_768;
  return samples;
}

/**
 * Reads the left channel of a WAV file of 16-bit samples, also one that is still being written.
 * @param from bytes to skip after the header
 */
export function readRecording(file: Buffer, from = 0): Recording {
  if (file.length < HEADER_BYTES) return { rate: 1, samples: new Float64Array() };
  const isPcm = file.toString('latin1', 8, 16) === 'WAVEfmt ' && file.readUInt16LE(20) === 1;
  if (!isPcm || file.readUInt16LE(34) !== 16) throw new Error('not a WAV file of 16-bit samples');
  const frameBytes = file.readUInt16LE(22) * 2;
  const start = HEADER_BYTES + Math.ceil(from / frameBytes) * frameBytes;
  return { rate: file.readUInt32LE(24), samples: samplesOf(file.subarray(start), frameBytes) };
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

/**
 * Records what the sound server mixes for six seconds, on a device without a sound card.
 * @param act runs meanwhile @returns the left and the right channel
 */
export async function recordMix(device: Device, act: () => Promise<void>): Promise<[Recording, Recording]> {
  const bytes = MIX.rate * MIX.seconds * 4;
  const format = `--format=s16le --rate=${MIX.rate} --channels=2`;
  const record = `parec --server=unix:/run/vitrine-sound/pulse --device=auto_null.monitor ${format} | head -c ${bytes}`;
  await device.shell.ok(`rm -f /run/mix.raw; systemd-run --quiet --collect sh -c '${record} >/run/mix.raw'`);
  const size = async () => Number(await device.shell.ok('stat -c %s /run/mix.raw 2>/dev/null || echo 0'));
  await waitFor(async () => (await size()) > 0, { timeoutMs: 30_000, what: 'the recording to begin' });
  await act();
  await waitFor(async () => (await size()) === bytes, { timeoutMs: 30_000, what: 'the recording' });
  const packed = await device.shell.ok('gzip -c /run/mix.raw | base64 -w 0; rm /run/mix.raw');
  const mix = gunzipSync(Buffer.from(packed, 'base64'));
  const channel = (offset: number): Recording => ({
    rate: MIX.rate,
    samples: samplesOf(mix.subarray(offset), 4),
  });
  return [channel(0), channel(2)];
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
