/** Tags with ISO 14443-4: NFC Forum type 4, and a card with an application of its own. */
import { randomBytes } from 'node:crypto';
import { type Apdu, answer, parseApdu, type Tag, type TagContent } from './tag.ts';

/** As a DESFire answers: 64 bytes in a frame, 106 kbit/s to 848 kbit/s, one historical byte. */
const ATS = Buffer.from('067577810280', 'hex');
const NDEF_APPLICATION = Buffer.from('d2760000850101', 'hex');
const CARD_APPLICATION = Buffer.from('f0010203040506', 'hex');
const CC_FILE = 0xe103;
const NDEF_FILE = 0xe104;
const OK = 0x9000;
const WRONG_LENGTH = 0x6700;
const NOT_ALLOWED = 0x6982;
const NOT_FOUND = 0x6a82;
const WRONG_OFFSET = 0x6b00;
const UNKNOWN_INS = 0x6d00;
const SELECT = 0xa4;

abstract class IsoDepTag implements Tag {
  readonly atqa = Buffer.from([0x03, 0x44]);
  readonly sak = 0x20;
  readonly ats = ATS;
  readonly #fixedUid: Buffer | undefined;
  #uid: Buffer;

  /** @param uid undefined: a random one, which begins with 08 (ISO 14443-3) */
  constructor(uid: Buffer | undefined) {
    this.#fixedUid = uid;
    this.#uid = uid ?? randomUid();
  }

  get uid(): Buffer {
    return this.#uid;
  }

  reset(): void {
    if (!this.#fixedUid) this.#uid = randomUid();
  }

  activate(): void {
    this.deselect();
  }

  exchange(data: Buffer): Buffer {
    const apdu = parseApdu(data);
    return apdu ? this.command(apdu) : answer(WRONG_LENGTH);
  }

  protected abstract deselect(): void;
  protected abstract command(apdu: Apdu): Buffer;
  abstract content(): TagContent | undefined;
}

function randomUid(): Buffer {
  return Buffer.concat([Buffer.from([0x08]), randomBytes(3)]);
}

export interface Type4Options {
  uid?: Buffer | undefined;
  ndef?: Buffer | undefined;
  /** Size of the NDEF file with its length, in bytes. Default 2048. */
  fileBytes?: number | undefined;
  isReadOnly?: boolean | undefined;
}

/** NFC Forum Type 4 Tag, mapping version 2.0. */
export class Type4Tag extends IsoDepTag {
  readonly #file: Buffer;
  readonly #container: Buffer;
  readonly #isReadOnly: boolean;
  #isApplication = false;
  #selected = 0;

  constructor({ uid, ndef = Buffer.alloc(0), fileBytes = 2048, isReadOnly = false }: Type4Options) {
    super(uid);
    this.#isReadOnly = isReadOnly;
    this.#file = Buffer.alloc(fileBytes);
    this.#file.writeUInt16BE(ndef.length);
    ndef.copy(this.#file, 2);
    // Length, version 2.0, longest read and write, and where the NDEF file is.
    this.#container = Buffer.from('000f20003b00340406e104ffff0000', 'hex');
    this.#container.writeUInt16BE(fileBytes, 11);
    if (isReadOnly) this.#container[14] = 0xff;
  }

  protected deselect(): void {
    this.#isApplication = false;
    this.#selected = 0;
  }

  protected command({ ins, p1, p2, data, expected }: Apdu): Buffer {
    if (ins === SELECT && p1 === 0x04) {
      this.#isApplication = data.equals(NDEF_APPLICATION);
      this.#selected = 0;
      return answer(this.#isApplication ? OK : NOT_FOUND);
    }
    if (!this.#isApplication) return answer(ins === SELECT ? NOT_FOUND : UNKNOWN_INS);
    if (ins === SELECT) {
      const file = data.length === 2 ? data.readUInt16BE(0) : 0;
      if (file !== CC_FILE && file !== NDEF_FILE) return answer(NOT_FOUND);
      this.#selected = file;
      return answer(OK);
    }
    const content = { [CC_FILE]: this.#container, [NDEF_FILE]: this.#file }[this.#selected];
    if (!content) return answer(NOT_ALLOWED);
    const offset = (p1 << 8) | p2;
    if (ins === 0xb0) {
      if (expected === 0 || expected > this.#container.readUInt16BE(3)) return answer(WRONG_LENGTH);
      if (offset >= content.length) return answer(WRONG_OFFSET);
      return answer(OK, content.subarray(offset, offset + expected));
    }
    if (ins !== 0xd6) return answer(UNKNOWN_INS);
    if (this.#selected === CC_FILE || this.#isReadOnly) return answer(NOT_ALLOWED);
    if (data.length === 0 || data.length > this.#container.readUInt16BE(5)) return answer(WRONG_LENGTH);
    if (offset + data.length > content.length) return answer(WRONG_OFFSET);
    data.copy(content, offset);
    return answer(OK);
  }

  content(): TagContent {
    const length = this.#file.readUInt16BE(0);
    return { length, message: this.#file.subarray(2, 2 + length).toString('hex') };
  }
}

/**
 * A card without NDEF. `00 A4 04 00 07 F0010203040506` selects its application; then `80 10` gives the data back, and
 * `80 12` gives as many bytes as are expected: 0, 1, 2 … 255, 0 …
 */
export class Card extends IsoDepTag {
  #isApplication = false;

  protected deselect(): void {
    this.#isApplication = false;
  }

  protected command({ ins, p1, data, expected }: Apdu): Buffer {
    if (ins === SELECT && p1 === 0x04) {
      this.#isApplication = data.equals(CARD_APPLICATION);
      return answer(this.#isApplication ? OK : NOT_FOUND);
    }
    if (!this.#isApplication) return answer(NOT_ALLOWED);
    if (ins === 0x10) return answer(OK, data);
    if (ins !== 0x12) return answer(UNKNOWN_INS);
    return answer(OK, Buffer.from(Array.from({ length: expected }, (_, index) => index & 0xff)));
  }

  content(): undefined {
    return undefined;
  }
}
