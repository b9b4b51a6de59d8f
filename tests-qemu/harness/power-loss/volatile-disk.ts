import { closeSync, ftruncateSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import type { Random } from './random.ts';

/** The unit that a disk writes atomically, in bytes. */
export const SECTOR = 512;
/** Block size of the overlay, in bytes: that of the file system. */
const BLOCK = 4096;

/** The effect of a power cut on the unflushed writes. */
export interface Loss {
  strategy: Strategy;
  /** Number of unflushed writes at the moment of the cut, and their bytes. */
  writes: number;
  bytes: number;
  kept: number;
  torn: number;
}

/**
 * Which unflushed writes survive a cut. `none`: the whole cache is lost. `first`: the writes reached the medium in order,
 * up to one that is torn. `any`: each write independently survives, is lost or is torn. `all`: all reached the medium.
 */
export type Strategy = 'none' | 'first' | 'any' | 'all';

const STRATEGIES: readonly [Strategy, ...Strategy[]] = [
  'none',
  'none',
  'first',
  'any',
  'any',
  'any',
  'any',
  'all',
];
/** Share of the surviving writes of `any` that are torn. */
const TORN_SHARE = 0.2;

interface Write {
  offset: number;
  data: Buffer;
  /** Written to the medium before it was answered (force unit access). */
  durable: boolean;
}

/**
 * A disk with a volatile write cache: data written since the last flush is visible to readers, but only a random part of
 * it survives {@link cut}, sector by sector. Flushed data always survives. The disk starts with the content of the raw
 * image `base`, which is never written; changes go to a sparse file.
 */
export class VolatileDisk {
  readonly size: number;
  readonly #base: number;
  readonly #overlay: number;
  readonly #overlayPath: string;
  /** For each block, whether it is in the overlay. */
  readonly #changed: Uint8Array;
  /** Unflushed writes, oldest first. */
  #pending: Write[] = [];
  /** The content that blocks with unflushed writes had at the last flush. */
  readonly #durable = new Map<number, Buffer>();

  /** @param overlay path of a new sparse file, which `close` removes; an existing file is overwritten */
  constructor(base: string, overlay: string) {
    this.size = statSync(base).size;
    if (this.size % BLOCK !== 0) throw new Error(`${base} does not end with a whole block`);
    this.#base = openSync(base, 'r');
    this.#overlay = openSync(overlay, 'w+');
    this.#overlayPath = overlay;
    ftruncateSync(this.#overlay, this.size);
    this.#changed = new Uint8Array(this.size / BLOCK);
  }

  get unflushed(): number {
    return this.#pending.length;
  }

  read(offset: number, length: number): Buffer {
    const into = Buffer.allocUnsafe(length);
    for (let done = 0; done < length; ) {
      const block = Math.floor((offset + done) / BLOCK);
      const changed = this.#changed[block];
      let next = block + 1;
      while (next * BLOCK < offset + length && this.#changed[next] === changed) next++;
      const part = Math.min(next * BLOCK - offset, length) - done;
      readWhole(changed ? this.#overlay : this.#base, into, done, part, offset + done);
      done += part;
    }
    return into;
  }

  /** @param durable write to the medium at once, bypassing the cache */
  write(offset: number, data: Buffer, durable = false): void {
    if (offset % SECTOR !== 0 || data.length % SECTOR !== 0) throw new Error('not a whole sector');
    for (let block = Math.floor(offset / BLOCK); block * BLOCK < offset + data.length; block++) {
      if (!this.#durable.has(block)) this.#durable.set(block, this.read(block * BLOCK, BLOCK));
    }
    // A copy, because the caller's buffer may be part of a bigger one, which would be kept in memory.
    this.#pending.push({ offset, data: Buffer.from(data), durable });
    this.#put(offset, data);
  }

  /** Writes everything to the medium. */
  flush(): void {
    this.#pending = [];
    this.#durable.clear();
  }

  /** Cuts the power: `random` decides which unflushed writes are kept, lost or torn. */
  cut(random: Random, strategy: Strategy = random.pick(STRATEGIES)): Loss {
    const pending = this.#pending;
    const volatile = pending.filter((write) => !write.durable);
    const bytes = volatile.reduce((sum, { data }) => sum + data.length, 0);
    const loss: Loss = { strategy, writes: volatile.length, bytes, kept: 0, torn: 0 };
    const fate = drawFates(random, strategy, volatile.length);
    for (const [block, content] of this.#durable) this.#put(block * BLOCK, content);
    // Oldest first, so that a sector gets the newest of its surviving writes.
    for (const { offset, data, durable } of pending) {
      const now = durable ? 'kept' : fate();
      if (now === 'kept') this.#put(offset, data);
      if (now === 'torn') this.#tear(random, offset, data);
      if (!durable && now !== 'lost') loss[now]++;
    }
    this.flush();
    return loss;
  }

  close(): void {
    closeSync(this.#base);
    closeSync(this.#overlay);
    rmSync(this.#overlayPath, { force: true });
  }

  /** Writes only some sectors of a write: the first ones, or random ones. */
  #tear(random: Random, offset: number, data: Buffer): void {
    const sectors = data.length / SECTOR;
    const whole = random.chance(0.5) ? random.integer(0, sectors) : undefined;
    for (let i = 0; i < sectors; i++) {
      if (whole === undefined ? random.chance(0.5) : i < whole) {
        this.#put(offset + i * SECTOR, data.subarray(i * SECTOR, (i + 1) * SECTOR));
      }
    }
  }

  #put(offset: number, data: Buffer): void {
    const first = Math.floor(offset / BLOCK);
    const last = Math.floor((offset + data.length - 1) / BLOCK);
    for (let block = first; block <= last; block++) {
      if (this.#changed[block]) continue;
      const covered = block * BLOCK >= offset && (block + 1) * BLOCK <= offset + data.length;
      if (!covered) writeSync(this.#overlay, this.read(block * BLOCK, BLOCK), 0, BLOCK, block * BLOCK);
      this.#changed[block] = 1;
    }
    writeSync(this.#overlay, data, 0, data.length, offset);
  }
}

/** Returns a function that draws the fate of each write, in order. */
function drawFates(random: Random, strategy: Strategy, count: number): () => 'kept' | 'torn' | 'lost' {
  if (strategy === 'none') return () => 'lost';
  if (strategy === 'all') return () => 'kept';
  if (strategy === 'first') {
    let left = random.integer(0, count);
    return () => (--left > 0 ? 'kept' : left === 0 ? 'torn' : 'lost');
  }
  const survival = random.pick([0.1, 0.5, 0.9]);
  return () => (!random.chance(survival) ? 'lost' : random.chance(TORN_SHARE) ? 'torn' : 'kept');
}

function readWhole(file: number, into: Buffer, at: number, length: number, position: number): void {
  for (let done = 0; done < length; ) {
    const got = readSync(file, into, at + done, length - done, position + done);
    if (got === 0) throw new Error(`the disk's file ends at ${position + done}`);
    done += got;
  }
}
