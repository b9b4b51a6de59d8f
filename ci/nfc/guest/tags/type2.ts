/** Tags of type 2 (NFC Forum Type 2 Tag specification), with the memory of NXP's NTAG213, 215, 216 and Ultralight. */
import type { Tag, TagAnswer, TagContent } from './tag.ts';

const PAGE = 4;
const READ_BYTES = 16;
/** Pages that a bit of the static lock bytes protects. */
const FIRST_LOCKABLE = 3;
const STATIC_END = 16;
const ACK = Buffer.alloc(0);

interface Memory {
  pages: number;
  /** Third byte of the capability container: bytes of the data area divided by 8. */
  size: number;
  /** Page with the dynamic lock bytes, and how many pages a bit of it protects. */
  dynamic?: { page: number; pagesPerBit: number };
  /** The TLV in front of the message that says where the dynamic lock bytes are. */
  control: string;
  /** Answer to GET_VERSION; Ultralight has none. */
  version?: string;
}

/** NXP data sheets NTAG213/215/216 rev. 3.2 and MF0ICU1 rev. 3.9. */
export const MEMORIES = {
  ntag213: {
    pages: 45,
    size: 0x12,
    dynamic: { page: 0x28, pagesPerBit: 2 },
    control: '0103a00c34',
    version: '0004040201000f03',
  },
  ntag215: {
    pages: 135,
    size: 0x3e,
    dynamic: { page: 0x82, pagesPerBit: 16 },
    control: '',
    version: '0004040201001103',
  },
  ntag216: {
    pages: 231,
    size: 0x6d,
    dynamic: { page: 0xe2, pagesPerBit: 16 },
    control: '',
    version: '0004040201001303',
  },
  ultralight: { pages: 16, size: 0x06, control: '' },
} as const satisfies Record<string, Memory>;

export interface Type2Options {
  memory: keyof typeof MEMORIES;
  /** Seven bytes. */
  uid: Buffer;
  ndef?: Buffer | undefined;
  /** Protects all pages by lock bits, as when it was sealed. */
  isLocked?: boolean | undefined;
  /** Without a capability container, as a blank Ultralight. */
  isBlank?: boolean | undefined;
}

export class Type2Tag implements Tag {
  readonly uid: Buffer;
  readonly atqa = Buffer.from([0x00, 0x44]);
  readonly sak = 0x00;
  readonly ats = undefined;
  readonly #kind: Memory;
  readonly #memory: Buffer;
  #isActive = false;

  constructor({ memory, uid, ndef, isLocked, isBlank }: Type2Options) {
    this.uid = uid;
    this.#kind = MEMORIES[memory];
    this.#memory = Buffer.alloc(this.#kind.pages * PAGE);
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0] = uid;
    this.#memory.set([a, b, c, 0x88 ^ a ^ b ^ c, d, e, f, g, d ^ e ^ f ^ g, 0x48]);
    if (!isBlank) {
      this.#memory.set([0xe1, 0x10, this.#kind.size, 0x00], 12);
      this.#memory.set(this.#tlvs(ndef ?? Buffer.alloc(0)), 16);
    }
    if (isLocked) this.#lock();
  }

  /** The data area of a tag that is new, or was written by another device. */
  #tlvs(ndef: Buffer): Buffer {
    const length = ndef.length < 0xff ? [ndef.length] : [0xff, ndef.length >> 8, ndef.length & 0xff];
    const control = Buffer.from(this.#kind.control, 'hex');
    const all = Buffer.concat([control, Buffer.from([0x03, ...length]), ndef, Buffer.from([0xfe])]);
    // The last TLV may be left out where the message fills the data area.
    const area = this.#kind.size * 8;
    if (all.length > area + 1) throw new Error(`${ndef.length} bytes do not fit on this tag`);
    return all.subarray(0, area);
  }

  #lock(): void {
    this.#memory.set([0xff, 0xff], 10);
    if (this.#kind.dynamic) this.#memory.set([0xff, 0xff], this.#kind.dynamic.page * PAGE);
    this.#memory[15] = 0x0f;
  }

  reset(): void {
    this.#isActive = false;
  }

  activate(): void {
    this.#isActive = true;
  }

  exchange(data: Buffer): TagAnswer {
    // A tag that has refused a command says nothing until it is selected again.
    if (!this.#isActive) return undefined;
    const result = this.#command(data);
    if (result === 'nak') this.#isActive = false;
    return result;
  }

  #command(data: Buffer): TagAnswer {
    const [command, page = 0, last = 0] = data;
    const { pages, version } = this.#kind;
    switch (command) {
      case 0x30: {
        if (data.length !== 2 || page >= pages) return 'nak';
        // Reading goes on at page 0 after the last one.
        return Buffer.concat([this.#memory, this.#memory]).subarray(page * PAGE, page * PAGE + READ_BYTES);
      }
      case 0x3a:
        if (data.length !== 3 || version === undefined || page > last || last >= pages) return 'nak';
        return Buffer.from(this.#memory.subarray(page * PAGE, (last + 1) * PAGE));
      case 0xa2:
        return data.length === 6 && this.#write(page, data.subarray(2)) ? ACK : 'nak';
      case 0x60:
        return version === undefined ? 'nak' : Buffer.from(version, 'hex');
      case 0x50:
        this.#isActive = false;
        return undefined;
      default:
        return 'nak';
    }
  }

  #write(page: number, bytes: Buffer): boolean {
    const { pages, dynamic } = this.#kind;
    if (page < 2 || page >= pages || this.#isPageLocked(page)) return false;
    const at = page * PAGE;
    // Lock bytes and the capability container can only gain bits.
    if (page <= FIRST_LOCKABLE || page === dynamic?.page) {
      for (const [i, byte] of bytes.entries()) {
        if (page !== 2 || i >= 2) this.#memory[at + i] = (this.#memory[at + i] ?? 0) | byte;
      }
    } else this.#memory.set(bytes, at);
    return true;
  }

  #isPageLocked(page: number): boolean {
    const { dynamic } = this.#kind;
    if (page < FIRST_LOCKABLE) return false;
    if (page < STATIC_END) return ((this.#memory.readUInt16LE(10) >> page) & 1) === 1;
    if (!dynamic || page >= dynamic.page) return false;
    const bits = this.#memory.readUInt16LE(dynamic.page * PAGE);
    return ((bits >> Math.floor((page - STATIC_END) / dynamic.pagesPerBit)) & 1) === 1;
  }

  content(): TagContent | undefined {
    if (this.#memory[12] !== 0xe1) return undefined;
    const area = this.#memory.subarray(16, 16 + this.#kind.size * 8);
    for (let at = 0; at < area.length; ) {
      const type = area[at];
      if (type === 0xfe) return undefined;
      if (type === 0x00) {
        at += 1;
        continue;
      }
      const isLong = area[at + 1] === 0xff;
      const length = isLong ? area.readUInt16BE(at + 2) : (area[at + 1] ?? 0);
      const start = at + (isLong ? 4 : 2);
      if (type === 0x03) {
        return { length, message: area.subarray(start, start + length).toString('hex') };
      }
      at = start + length;
    }
    return undefined;
  }
}
