/** Changes and reads the disk that post-image.sh built for a board, between two boots. */
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { defined, type PreparedBoard } from './board.ts';
import { FatVolume } from './fat.ts';
import type { Slot } from './oracle.ts';

const SECTOR = 512;
const GPT_ENTRIES = 128;
const GPT_ENTRY = 128;
const SCRIPT = 'boot.scr';
const IMAGE_HEADER = 64;
/** The part of the FAT partition that contains all files: tables, root directory and a few hundred KiB. */
export const BOOT_BYTES = 512 * 1024;

/** The content of the environment's two files in the FAT; undefined for a missing one. */
export type Files = readonly [Buffer | undefined, Buffer | undefined];

/** Content of a slot: complete, or without one file. */
export type Content = 'whole' | 'without-kernel' | 'without-initramfs';

/** The disk in a folder that make-disk.sh filled. No machine may run on it while a method is called. */
export class TestDisk {
  readonly #names: readonly [string, string];
  readonly #partitions: Record<Slot | 'boot', number>;
  readonly #file: number;
  readonly #starts: number[];
  readonly #original: Buffer;
  #pristine: Buffer;
  readonly #contents: Map<string, Buffer>;
  #slots: Record<Slot, Content> = { A: 'whole', B: 'whole' };

  constructor({ folder, definitions }: PreparedBoard) {
    const partition = (name: string): number => Number(defined(definitions, `${name}_PART`));
    this.#names = [defined(definitions, 'ENV_FILE_0'), defined(definitions, 'ENV_FILE_1')];
    this.#partitions = { boot: partition('BOOT'), A: partition('ROOTFS_A'), B: partition('ROOTFS_B') };
    this.#file = openSync(join(folder, 'disk.img'), 'r+');
    this.#starts = partitionStarts(this.#read(SECTOR, SECTOR * 33));
    this.#original = this.#read(this.bootStart, BOOT_BYTES);
    this.#pristine = this.#original;
    this.#contents = new Map(
      ['A', 'B'].flatMap((slot) =>
        ['', '-without-kernel', '-without-initramfs'].map((which): [string, Buffer] => {
          const name = `slot-${slot}${which}`;
          return [name, readFileSync(join(folder, `${name}.ext4`))];
        }),
      ),
    );
    // genimage has written the same file system to both slots.
    for (const slot of ['A', 'B'] as const) this.#fill(slot, 'whole');
  }

  /** Restores the factory state of the FAT, with these files as the environment, and sets the slots' content. */
  prepare(files: Files, slots: Partial<Record<Slot, Content>> = {}): void {
    const volume = new FatVolume(Buffer.from(this.#pristine));
    this.#names.forEach((name, i) => {
      const file = files[i];
      if (file) volume.replace(name, file);
      else volume.remove(name);
    });
    this.#writeBoot(volume.bytes);
    for (const slot of ['A', 'B'] as const) {
      const content = slots[slot] ?? 'whole';
      if (this.#slots[slot] !== content) this.#fill(slot, content);
    }
  }

  /** Changes the text of the boot script until {@link close}, and updates mkimage's checksums. */
  replaceScript(change: (text: string) => string): void {
    const volume = new FatVolume(Buffer.from(this.#original));
    const image = volume.read(SCRIPT);
    if (!image) throw new Error(`the disk has no ${SCRIPT}`);
    volume.replace(SCRIPT, scriptImage(image, change(scriptText(image))));
    this.#pristine = volume.bytes;
    this.#writeBoot(volume.bytes);
  }

  /** The current content of the FAT. */
  boot(): FatVolume {
    return new FatVolume(this.#read(this.bootStart, BOOT_BYTES));
  }

  /** Where the FAT begins, in bytes from the disk's beginning. */
  get bootStart(): number {
    return this.#start(this.#partitions.boot);
  }

  /** The environment's files in a FAT. */
  files(volume = this.boot()): Files {
    const [first, second] = this.#names;
    return [volume.read(first), volume.read(second)];
  }

  /** Restores the factory state of the FAT and closes the disk. */
  close(): void {
    this.#writeBoot(this.#original);
    closeSync(this.#file);
  }

  #fill(slot: Slot, content: Content): void {
    const name = `slot-${slot}${content === 'whole' ? '' : `-${content}`}`;
    const bytes = this.#contents.get(name);
    if (!bytes) throw new Error(`there is no ${name}`);
    this.#write(this.#start(this.#partitions[slot]), bytes);
    this.#slots[slot] = content;
  }

  #writeBoot(bytes: Buffer): void {
    this.#write(this.bootStart, bytes);
  }

  #start(partition: number): number {
    const start = this.#starts[partition - 1];
    if (!start) throw new Error(`the disk has no partition ${partition}`);
    return start;
  }

  #read(position: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    if (readSync(this.#file, bytes, 0, length, position) !== length)
      throw new Error('the disk ends too early');
    return bytes;
  }

  #write(position: number, bytes: Buffer): void {
    if (writeSync(this.#file, bytes, 0, bytes.length, position) !== bytes.length) {
      throw new Error('the disk is full');
    }
  }
}

/** The text in an image of "mkimage -T script". The header is followed by a list of sizes that ends with 0. */
function scriptText(image: Buffer): string {
  const length = image.readUInt32BE(IMAGE_HEADER);
  return image.toString('utf8', IMAGE_HEADER + 8, IMAGE_HEADER + 8 + length);
}

/** The same image with another text (include/image.h of U-Boot, `struct legacy_img_hdr`). */
function scriptImage(image: Buffer, text: string): Buffer {
  const script = Buffer.from(text);
  const data = Buffer.concat([Buffer.alloc(8), script]);
  data.writeUInt32BE(script.length, 0);
  const header = Buffer.from(image.subarray(0, IMAGE_HEADER));
  header.writeUInt32BE(data.length, 12);
  header.writeUInt32BE(crc32(data), 24);
  header.writeUInt32BE(0, 4);
  header.writeUInt32BE(crc32(header), 4);
  return Buffer.concat([header, data]);
}

/** Where each partition begins, in bytes, from a GPT's header and entries (UEFI specification, 5.3). */
function partitionStarts(gpt: Buffer): number[] {
  if (gpt.toString('latin1', 0, 8) !== 'EFI PART') throw new Error('the disk has no GPT');
  return Array.from({ length: GPT_ENTRIES }, (_, i) => {
    return Number(gpt.readBigUInt64LE(SECTOR + i * GPT_ENTRY + 32)) * SECTOR;
  });
}
