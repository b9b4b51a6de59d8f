/** Tags for the model chip: what a tag answers to bytes at its air interface, without checksums. */

/** A tag in the field. It answers undefined when it refuses, after which it must be selected again. */
export interface ModelTag {
  readonly uid: Buffer;
  readonly atqa: number;
  readonly sak: number;
  answer(data: Buffer): Buffer | undefined;
  /** The field was switched off, or the tag selected anew. */
  reset(): void;
}

const ACK = Buffer.of(0x0a);

/** An NTAG21x (NXP NTAG213/215/216 datasheet), or a chip without GET_VERSION. */
export class ModelType2 implements ModelTag {
  readonly uid: Buffer;
  readonly atqa = 0x0044;
  readonly sak = 0x00;
  readonly pages: Buffer;
  readonly #version: number;
  /** Writes so far. */
  writes = 0;

  /** @param pages number of pages @param size of the data area @param version byte 6 of GET_VERSION; 0 for a chip that does not know it */
  constructor({ pages = 45, size = 144, version = 0x0f, uid = '04a1b2c3d4e5f6' } = {}) {
    this.uid = Buffer.from(uid, 'hex');
    this.pages = Buffer.alloc(pages * 4);
    this.pages.set(this.uid.subarray(0, 3));
    this.pages.set([0xe1, 0x10, size / 8, 0x00, 0x03, 0x00, 0xfe], 12);
    this.#version = version;
  }

  static readonly ntag213 = (): ModelType2 => new ModelType2();
  static readonly ntag215 = (): ModelType2 => new ModelType2({ pages: 135, size: 496, version: 0x11 });
  static readonly ntag216 = (): ModelType2 => new ModelType2({ pages: 231, size: 872, version: 0x13 });
  static readonly ultralight = (): ModelType2 => new ModelType2({ pages: 16, size: 48, version: 0 });

  answer(data: Buffer): Buffer | undefined {
    const [command, page = 0] = data;
    if (command === 0x30 && page * 4 < this.pages.length) {
      return Buffer.concat([this.pages, this.pages]).subarray(page * 4, page * 4 + 16);
    }
    if (command === 0xa2 && page * 4 < this.pages.length && data.length === 6 && !this.#isLocked(page)) {
      this.writes += 1;
      this.pages.set(data.subarray(2), page * 4);
      return ACK;
    }
    if (command === 0x60 && this.#version !== 0) {
      return Buffer.of(0, 4, 4, 2, 1, 0, this.#version, 3);
    }
    return undefined;
  }

  reset(): void {}

  #isLocked(page: number): boolean {
    return page < 16 && ((this.pages.readUInt16LE(10) >> page) & 1) === 1;
  }
}

const NDEF_APPLICATION = Buffer.from('d2760000850101', 'hex');
const OK = Buffer.of(0x90, 0x00);
const NOT_FOUND = Buffer.of(0x6a, 0x82);
const NOT_ALLOWED = Buffer.of(0x69, 0x82);

/** A type 4 tag with the NDEF application, and any APDU that `custom` answers. */
export class ModelType4 implements ModelTag {
  readonly uid: Buffer;
  readonly atqa = 0x0344;
  readonly sak = 0x20;
  readonly cc: Buffer;
  readonly file: Buffer;
  readonly apdus: Buffer[] = [];
  custom: (apdu: Buffer) => Buffer | undefined = () => undefined;
  #selected: Buffer | undefined;
  #isSelected = false;

  constructor({ size = 2048, mle = 64, mlc = 52, write = 0x00, uid = '04112233445566' } = {}) {
    this.uid = Buffer.from(uid, 'hex');
    this.file = Buffer.alloc(size);
    this.cc = Buffer.from('000f20000000000406e10400000000', 'hex');
    this.cc.writeUInt16BE(mle, 3);
    this.cc.writeUInt16BE(mlc, 5);
    this.cc.writeUInt16BE(size, 11);
    this.cc.writeUInt8(write, 14);
  }

  answer(apdu: Buffer): Buffer {
    this.apdus.push(apdu);
    const custom = this.custom(apdu);
    if (custom) return custom;
    const [, instruction, p1 = 0, p2 = 0, length = 0] = apdu;
    const offset = (p1 << 8) | p2;
    if (instruction === 0xa4 && p1 === 0x04) {
      this.#isSelected = apdu.subarray(5, 12).equals(NDEF_APPLICATION);
      return this.#isSelected ? OK : NOT_FOUND;
    }
    if (!this.#isSelected) return NOT_ALLOWED;
    if (instruction === 0xa4) {
      const id = apdu.readUInt16BE(5);
      this.#selected = id === 0xe103 ? this.cc : id === 0xe104 ? this.file : undefined;
      return this.#selected ? OK : NOT_FOUND;
    }
    if (!this.#selected) return NOT_ALLOWED;
    if (instruction === 0xb0 && length <= this.cc.readUInt16BE(3)) {
      return Buffer.concat([this.#selected.subarray(offset, offset + length), OK]);
    }
    if (instruction === 0xd6 && length <= this.cc.readUInt16BE(5) && this.cc.readUInt8(14) === 0) {
      this.#selected.set(apdu.subarray(5, 5 + length), offset);
      return OK;
    }
    return NOT_ALLOWED;
  }

  reset(): void {
    this.#isSelected = false;
    this.#selected = undefined;
  }

  get message(): Buffer {
    return this.file.subarray(2, 2 + this.file.readUInt16BE(0));
  }
}

/** MIFARE Classic: it is selected, and that is all. */
export function modelClassic(uid = 'deadbeef'): ModelTag {
  return {
    uid: Buffer.from(uid, 'hex'),
    atqa: 0x0004,
    sak: 0x08,
    answer: () => undefined,
    reset: () => undefined,
  };
}
