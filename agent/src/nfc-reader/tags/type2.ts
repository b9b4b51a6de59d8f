import { CommandError, unsupported } from '../errors.ts';
import type { FieldTag } from '../field.ts';
import { NdefFound, type WriteProgress } from './progress.ts';
import {
  type Area,
  type Capabilities,
  CC_PAGE,
  DATA_START,
  dataPositions,
  defaultLockBits,
  isLockedDynamically,
  isLockedStatically,
  type Layout,
  type LockBits,
  MAX_MEMORY_BYTES,
  ndefTlv,
  PAGE_BYTES,
  parseCapabilities,
  parseLayout,
} from './type2-memory.ts';

const BLOCK_BYTES = 16;
/** Where the static lock bytes are: page 2. */
const LOCK_PAGE_START = 8;
/** The static lock bytes lock what is before this, in bytes. */
const STATIC_END = 16 * PAGE_BYTES;
const TERMINATOR = 0xfe;

/** A tag's memory as far as it was read, from page 0 on. A tag without NDEF has no capabilities. */
class Memory {
  bytes: Buffer = Buffer.alloc(0);
  readonly #tag: FieldTag;

  constructor(tag: FieldTag) {
    this.#tag = tag;
  }

  /** Reads so far that `count` bytes are known. */
  async need(count: number): Promise<void> {
    while (this.bytes.length < count) {
      const block = await this.#tag.readBlock(this.bytes.length / PAGE_BYTES);
      this.bytes = Buffer.concat([this.bytes, block]);
    }
  }

  /** Some bytes that may be far behind the others. */
  async at(start: number, length: number): Promise<Buffer> {
    const page = Math.floor(start / PAGE_BYTES);
    const offset = start - page * PAGE_BYTES;
    const blocks: Buffer[] = [];
    for (let read = 0; read < offset + length; read += BLOCK_BYTES) {
      blocks.push(await this.#tag.readBlock(page + read / PAGE_BYTES));
    }
    return Buffer.concat(blocks).subarray(offset, offset + length);
  }
}

/** @throws TagError, ReaderError */
export async function readType2(tag: FieldTag, found: NdefFound): Promise<void> {
  const memory = new Memory(tag);
  const capabilities = await readCapabilities(memory);
  found.isFormatted = capabilities !== undefined;
  if (!capabilities?.isReadable) return;
  const layout = await readLayout(memory, capabilities);
  if (layout?.message && layout.message.length > 0) {
    found.message = await readMessage(memory, capabilities, layout.reserved, layout.message);
  }
}

/** @throws CommandError, TagError, ReaderError */
export async function writeType2(tag: FieldTag, message: Buffer, progress: WriteProgress): Promise<void> {
  const memory = new Memory(tag);
  const capabilities = await readCapabilities(memory);
  if (!capabilities) throw unsupported('The tag is not formatted for NDEF messages.');
  if (!capabilities.isWritable || !capabilities.isReadable) throw unsupported('The tag is read-only.');
  const layout = await readLayout(memory, capabilities);
  if (layout?.tlv === undefined) throw unsupported('The tag has no room for an NDEF message.');

  const positions = dataPositions(capabilities.size, layout.reserved);
  const tlv = ndefTlv(message);
  const target = positions.slice(layout.tlv, layout.tlv + tlv.length);
  if (target.length < tlv.length) {
    const room = roomFor(positions.length - layout.tlv);
    throw unsupported(`The message has ${message.length} bytes, and the tag takes ${room}.`);
  }
  const terminatorAt = positions[layout.tlv + tlv.length];
  await refuseLocked(
    tag,
    memory,
    capabilities,
    layout,
    terminatorAt === undefined ? target : [...target, terminatorAt],
  );

  // What the pages contain afterwards. Bytes that are not part of the message stay as they are.
  await memory.need(pageStart(terminatorAt ?? target.at(-1) ?? 0) + PAGE_BYTES);
  const wanted = Buffer.from(memory.bytes);
  target.forEach((position, index) => {
    wanted[position] = tlv[index] ?? 0;
  });
  if (terminatorAt !== undefined) wanted[terminatorAt] = TERMINATOR;

  // The length 0, or the new one, is in one byte; with it, its page is written first and last.
  const lengthAt = target[1] ?? 0;
  const lengthPage = Math.floor(lengthAt / PAGE_BYTES);
  const page = (bytes: Buffer, number: number): Buffer =>
    Buffer.from(bytes.subarray(number * PAGE_BYTES, (number + 1) * PAGE_BYTES));
  const empty = Buffer.from(memory.bytes);
  empty[lengthAt] = 0;
  await progress.step('empty', () => tag.writePage(lengthPage, page(empty, lengthPage)));
  for (const number of pagesOf(target, terminatorAt)) {
    // The tag keeps its length of 0: the state does not change.
    if (number !== lengthPage) await tag.writePage(number, page(wanted, number));
  }
  await progress.step('written', () => tag.writePage(lengthPage, page(wanted, lengthPage)));

  const written = new NdefFound();
  await readType2(tag, written);
  if (!message.equals(written.message ?? Buffer.alloc(0))) {
    progress.state = 'unknown';
    throw new CommandError('failed', 'The tag contains something else than what was written to it.');
  }
}

async function readCapabilities(memory: Memory): Promise<Capabilities | undefined> {
  await memory.need(BLOCK_BYTES);
  return parseCapabilities(memory.bytes.subarray(CC_PAGE * PAGE_BYTES, DATA_START));
}

/** Reads the TLVs as far as needed. @returns undefined when they are malformed */
async function readLayout(memory: Memory, { size }: Capabilities): Promise<Layout | undefined> {
  for (;;) {
    const layout = parseLayout(memory.bytes, size);
    if (typeof layout !== 'number') return layout;
    await memory.need(layout);
  }
}

async function readMessage(
  memory: Memory,
  { size }: Capabilities,
  reserved: readonly Area[],
  { start, length }: Area,
): Promise<Buffer> {
  const positions = dataPositions(size, reserved).slice(start, start + length);
  await memory.need((positions.at(-1) ?? 0) + 1);
  return Buffer.from(positions.map((position) => memory.bytes.readUInt8(position)));
}

/** Longest message for so many bytes of memory, in bytes: its head has 2 bytes, or 4 from 255 bytes on. */
function roomFor(bytes: number): number {
  return bytes - 4 >= 255 ? bytes - 4 : Math.min(254, Math.max(0, bytes - 2));
}

/** @throws CommandError when one of the positions is locked */
async function refuseLocked(
  tag: FieldTag,
  memory: Memory,
  { size }: Capabilities,
  layout: Layout,
  positions: readonly number[],
): Promise<void> {
  const page2 = memory.bytes.subarray(LOCK_PAGE_START, LOCK_PAGE_START + PAGE_BYTES);
  const locked = unsupported('The tag is read-only: its lock bits are set.');
  if (positions.some((position) => isLockedStatically(position, page2))) throw locked;
  if (positions.every((position) => position < STATIC_END)) return;
  for (const lock of await dynamicLockBits(tag, size, layout)) {
    const lockBytes = Math.ceil(lock.bits / 8);
    if (lock.start + lockBytes > MAX_MEMORY_BYTES)
      throw unsupported('The lock bits of the tag cannot be read.');
    const bytes = await memory.at(lock.start, lockBytes);
    if (positions.some((position) => isLockedDynamically(position, lock, bytes))) throw locked;
  }
}

async function dynamicLockBits(tag: FieldTag, size: number, layout: Layout): Promise<readonly LockBits[]> {
  if (layout.lockBits.length > 0) return layout.lockBits;
  const lock = defaultLockBits(size, await tag.version());
  return lock ? [lock] : [];
}

function pagesOf(positions: readonly number[], terminatorAt: number | undefined): Set<number> {
  const all = terminatorAt === undefined ? positions : [...positions, terminatorAt];
  return new Set(all.map((position) => Math.floor(position / PAGE_BYTES)));
}

function pageStart(position: number): number {
  return position - (position % PAGE_BYTES);
}
