/**
 * Changes archives at random: the reader must refuse them with a ZipError, or accept them with the same data as before.
 * `properties.test.ts` runs this briefly; to run it longer:
 *
 *     npx node agent/src/resources/content/zip/tests/fuzz-zip.ts --seconds 600 [--seed 7]
 *
 * Findings are saved in `seeds/`, which every later run starts from.
 */
import { createHash, randomInt } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { verifyBundle } from '../verify.ts';
import { ZipError } from '../zip-entry.ts';
import { memorySource } from './memory-source.ts';
import { readContents } from './read-contents.ts';

const SEEDS = fileURLToPath(new URL('seeds/', import.meta.url));
/** Processor time of this process, so that other load does not count. */
const SLOW_MS = 5000;
const SIGNATURES = ['PK\x01\x02', 'PK\x03\x04', 'PK\x05\x06', 'PK\x06\x06', 'PK\x06\x07', 'PK\x07\x08'];
const NUMBERS = [0, 1, 7, 8, 9, 12, 20, 45, 99, 0x7f, 0xff, 0x800, 0x7fff, 0xffff, 0x7fff_ffff, 0xffff_ffff];

/** The saved archives: valid ones to start from, and earlier findings. */
export function readSeeds(): { name: string; bytes: Buffer }[] {
  const names = readdirSync(SEEDS).sort();
  return names.map((name) => ({ name, bytes: readFileSync(join(SEEDS, name)) }));
}

/** A random number below a limit. */
export type Dice = (limit: number) => number;

/** A generator whose numbers depend only on the seed. */
export function dice(seed: number): Dice {
  let state = seed >>> 0;
  return (limit) => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

/** The archive with one to four random changes. */
export function mutate(bytes: Buffer, others: readonly Buffer[], roll: Dice): Buffer {
  let changed = Buffer.from(bytes);
  for (let left = 1 + roll(4); left > 0 && changed.length > 4; left--)
    changed = change(changed, others, roll);
  return changed;
}

function change(bytes: Buffer<ArrayBuffer>, others: readonly Buffer[], roll: Dice): Buffer<ArrayBuffer> {
  const at = roll(bytes.length);
  const length = Math.min(bytes.length - at, 1 + roll(roll(2) === 0 ? 4 : 200));
  const part = bytes.subarray(at, at + length);
  const splice = (...middle: Buffer[]) =>
    Buffer.concat([bytes.subarray(0, at), ...middle, bytes.subarray(at + length)]);
  switch (roll(9)) {
    case 0:
      bytes[at] = (bytes[at] ?? 0) ^ (1 << roll(8));
      return bytes;
    case 1:
      bytes[at] = roll(256);
      return bytes;
    case 2:
    case 3:
      return writeNumber(bytes, fieldPosition(bytes, roll), roll);
    case 4:
      return splice();
    case 5:
      return splice(part, part);
    case 6:
      return splice(Buffer.from(Array.from({ length }, () => roll(256))));
    case 7: {
      const other = others[roll(others.length)] ?? bytes;
      const from = roll(other.length);
      return splice(other.subarray(from, from + length));
    }
    default:
      return bytes.subarray(0, at);
  }
}

/** A position in one of the headers. */
function fieldPosition(bytes: Buffer, roll: Dice): number {
  const signature = SIGNATURES[roll(SIGNATURES.length)] ?? '';
  const found = bytes.indexOf(signature, roll(bytes.length), 'latin1');
  return found < 0 ? roll(bytes.length) : found + 4 + roll(46);
}

function writeNumber(bytes: Buffer<ArrayBuffer>, at: number, roll: Dice): Buffer<ArrayBuffer> {
  const value = NUMBERS[roll(NUMBERS.length)] ?? 0;
  const width = value > 0xffff || roll(2) === 0 ? 4 : 2;
  if (at + width > bytes.length) return bytes;
  if (width === 4) bytes.writeUInt32LE(value, at);
  else bytes.writeUInt16LE(value, at);
  return bytes;
}

/** The content of an archive in comparable form; `undefined` when it is refused. @throws any error but ZipError */
export async function contentOf(bytes: Buffer): Promise<string | undefined> {
  const source = memorySource(bytes);
  try {
    const directory = await verifyBundle(source);
    const contents = [...(await readContents(source, directory))];
    return JSON.stringify(contents.sort().map(([name, data]) => [name, data.toString('base64')]));
  } catch (error) {
    if (error instanceof ZipError) return undefined;
    throw error;
  }
}

/**
 * The data of all entries without their names. No checksum covers names, so one that was changed equally in both headers
 * is valid.
 */
export function dataOf(content: string): string {
  const entries: [string, string][] = JSON.parse(content);
  return JSON.stringify(entries.map(([, data]) => data).sort());
}

export interface FuzzFinding {
  archive: Buffer;
  what: string;
}

export interface FuzzResult {
  rounds: number;
  /** Changed archives that were accepted, at most 1000. */
  accepted: Buffer[];
  findings: FuzzFinding[];
}

/** Changes the seeds until `isOver`, or until the first finding. */
export async function fuzz(seed: number, isOver: (rounds: number) => boolean): Promise<FuzzResult> {
  const roll = dice(seed);
  const seeds = readSeeds().map(({ bytes }) => bytes);
  const contents = await Promise.all(seeds.map(contentOf));
  const known = new Set(contents.filter((content) => content !== undefined).map(dataOf));
  const result: FuzzResult = { rounds: 0, accepted: [], findings: [] };
  while (!isOver(result.rounds) && result.findings.length === 0) {
    result.rounds++;
    const archive = mutate(seeds[roll(seeds.length)] ?? Buffer.alloc(0), seeds, roll);
    const started = process.cpuUsage();
    try {
      const content = await contentOf(archive);
      if (content !== undefined && !known.has(dataOf(content))) {
        result.findings.push({ archive, what: 'was accepted with other data' });
      } else if (content !== undefined && result.accepted.length < 1000) {
        result.accepted.push(archive);
      }
    } catch (error) {
      result.findings.push({ archive, what: `broke the reader: ${error}` });
    }
    const { user, system } = process.cpuUsage(started);
    if ((user + system) / 1000 > SLOW_MS) {
      result.findings.push({ archive, what: `took over ${SLOW_MS / 1000} s` });
    }
  }
  return result;
}

/** Saves a finding among the seeds, which the tests read. */
function save(archive: Buffer): string {
  const hash = createHash('sha256').update(archive).digest('hex').slice(0, 12);
  const path = join(SEEDS, `found-${hash}.zip`);
  writeFileSync(path, archive);
  return path;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { seconds: { type: 'string' }, seed: { type: 'string' } } });
  const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
  const end = performance.now() + Number(values.seconds ?? 60) * 1000;
  const { rounds, accepted, findings } = await fuzz(seed, () => performance.now() > end);
  console.log(`${rounds} archives, ${accepted.length} of them accepted; seed ${seed}`);
  for (const { archive, what } of findings) console.log(`an archive ${what}; saved as ${save(archive)}`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
