/**
 * Reads and changes files in the root directory of a FAT16 volume in memory, according to "FAT: General Overview of
 * On-Disk Format" (Microsoft, 2000): enough to check the files that U-Boot has written and to prepare the next test.
 */

const ENTRY = 32;
const DELETED = 0xe5;
const LONG_NAME = 0x0f;
const VOLUME_LABEL = 0x08;
const END_OF_CHAIN = 0xfff8;
const LAST_CLUSTER = 0xffff;
/** Positions of the 13 characters in an entry of a long name. */
const NAME_PARTS = [
  [1, 11],
  [14, 26],
  [28, 32],
] as const;

interface Entry {
  name: string;
  /** Position of its 32 bytes; the entries of its long name precede them. */
  at: number;
  longNames: number;
  cluster: number;
  size: number;
}

/** A volume, or at least the beginning of it that contains all files. */
export class FatVolume {
  readonly bytes: Buffer;
  readonly #clusterSize: number;
  readonly #fats: number[];
  readonly #fatSize: number;
  readonly #root: number;
  readonly #rootEnd: number;

  /** @throws Error when the bytes are not a FAT16 volume */
  constructor(bytes: Buffer) {
    this.bytes = bytes;
    const sector = bytes.readUInt16LE(11);
    this.#clusterSize = bytes.readUInt8(13) * sector;
    const start = bytes.readUInt16LE(14) * sector;
    this.#fatSize = bytes.readUInt16LE(22) * sector;
    this.#fats = Array.from({ length: bytes.readUInt8(16) }, (_, i) => start + i * this.#fatSize);
    this.#root = start + this.#fats.length * this.#fatSize;
    this.#rootEnd = this.#root + bytes.readUInt16LE(17) * ENTRY;
    if (bytes.toString('latin1', 54, 59) !== 'FAT16') throw new Error('not a FAT16 volume');
  }

  /** The names in the root directory. */
  names(): string[] {
    return this.#entries().map(({ name }) => name);
  }

  /** A file's content; undefined when it does not exist. */
  read(name: string): Buffer | undefined {
    const entry = this.#find(name);
    if (!entry) return undefined;
    const content = this.#chain(entry.cluster).map((cluster) => this.#data(cluster));
    const whole = Buffer.concat(content);
    if (whole.length < entry.size) throw new Error(`${name} has fewer clusters than its size says`);
    return whole.subarray(0, entry.size);
  }

  /** Replaces the content of an existing file. It keeps its first clusters. */
  replace(name: string, content: Buffer): void {
    const entry = this.#find(name);
    if (!entry) throw new Error(`there is no ${name}`);
    const chain = this.#chain(entry.cluster);
    const needed = Math.ceil(content.length / this.#clusterSize);
    for (const cluster of chain.splice(needed)) this.#link(cluster, 0);
    while (chain.length < needed) chain.push(this.#free(chain));
    chain.forEach((cluster, i) => {
      this.#link(cluster, chain[i + 1] ?? LAST_CLUSTER);
      content.copy(this.#data(cluster), 0, i * this.#clusterSize, (i + 1) * this.#clusterSize);
    });
    this.bytes.writeUInt16LE(chain[0] ?? 0, entry.at + 26);
    this.bytes.writeUInt32LE(content.length, entry.at + 28);
  }

  /** Deletes a file. */
  remove(name: string): void {
    const entry = this.#find(name);
    if (!entry) throw new Error(`there is no ${name}`);
    for (const cluster of this.#chain(entry.cluster)) this.#link(cluster, 0);
    for (let i = 0; i <= entry.longNames; i++) this.bytes.writeUInt8(DELETED, entry.at - i * ENTRY);
  }

  /** Checks the file system: clusters that belong to two files or none, different tables, wrong sizes. */
  problems(): string[] {
    const problems: string[] = [];
    const owners = new Map<number, string>();
    for (const { name, cluster, size } of this.#entries()) {
      const chain = this.#chain(cluster);
      if (chain.length !== Math.ceil(size / this.#clusterSize)) {
        problems.push(`${name} has ${size} bytes in ${chain.length} clusters`);
      }
      for (const each of chain) {
        const other = owners.get(each);
        if (other !== undefined) problems.push(`cluster ${each} belongs to ${other} and ${name}`);
        owners.set(each, name);
      }
    }
    const [first = 0, ...others] = this.#fats;
    const table = this.bytes.subarray(first, first + this.#fatSize);
    for (let cluster = 2; cluster * 2 < table.length; cluster++) {
      if (table.readUInt16LE(cluster * 2) !== 0 && !owners.has(cluster)) {
        problems.push(`cluster ${cluster} belongs to no file`);
      }
    }
    for (const at of others) {
      if (!this.bytes.subarray(at, at + this.#fatSize).equals(table)) problems.push('the two tables differ');
    }
    return problems;
  }

  #find(name: string): Entry | undefined {
    return this.#entries().find((entry) => entry.name.toLowerCase() === name.toLowerCase());
  }

  #entries(): Entry[] {
    const entries: Entry[] = [];
    let long: string[] = [];
    for (let at = this.#root; at < this.#rootEnd && this.bytes[at] !== 0; at += ENTRY) {
      const attributes = this.bytes.readUInt8(at + 11);
      if (this.bytes[at] === DELETED) long = [];
      else if (attributes === LONG_NAME) {
        const part = NAME_PARTS.map(([from, to]) => this.bytes.toString('utf16le', at + from, at + to));
        long.unshift(part.join('').replace(/\0.*$/s, ''));
      } else {
        if ((attributes & VOLUME_LABEL) === 0) {
          const [base = '', extension = ''] = [
            this.bytes.toString('latin1', at, at + 8),
            this.bytes.toString('latin1', at + 8, at + 11),
          ].map((text) => text.trimEnd());
          entries.push({
            name: long.join('') || (extension ? `${base}.${extension}` : base),
            at,
            longNames: long.length,
            cluster: this.bytes.readUInt16LE(at + 26),
            size: this.bytes.readUInt32LE(at + 28),
          });
        }
        long = [];
      }
    }
    return entries;
  }

  /** The clusters of a file, in order. */
  #chain(first: number): number[] {
    const chain: number[] = [];
    for (let cluster = first; cluster !== 0 && cluster < END_OF_CHAIN; ) {
      if (cluster < 2 || chain.includes(cluster)) throw new Error(`a chain of clusters leads to ${cluster}`);
      chain.push(cluster);
      cluster = this.bytes.readUInt16LE((this.#fats[0] ?? 0) + cluster * 2);
    }
    return chain;
  }

  #link(cluster: number, next: number): void {
    for (const fat of this.#fats) this.bytes.writeUInt16LE(next, fat + cluster * 2);
  }

  /** A free cluster that is not in `taken`. */
  #free(taken: number[]): number {
    for (let cluster = 2; cluster * 2 < this.#fatSize; cluster++) {
      const used = this.bytes.readUInt16LE((this.#fats[0] ?? 0) + cluster * 2) !== 0;
      if (!used && !taken.includes(cluster)) return cluster;
    }
    throw new Error('the volume is full');
  }

  #data(cluster: number): Buffer {
    const at = this.#rootEnd + (cluster - 2) * this.#clusterSize;
    if (at + this.#clusterSize > this.bytes.length)
      throw new Error(`cluster ${cluster} is not in these bytes`);
    return this.bytes.subarray(at, at + this.#clusterSize);
  }
}
