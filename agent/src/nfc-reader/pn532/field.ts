import { TagError } from '../errors.ts';
import { type Field, type FieldTag, kindOf } from '../field.ts';
import { type Pn532, UnknownCommand } from './chip.ts';
import type { ListedTarget } from './targets.ts';

/** Most tags that the chip can hold. */
const MAX_TAGS = 2;
/** With one tag held, the chip lists again at each so-many-th poll, to see a second one. */
const LIST_EVERY = 4;
/** For so long after an APDU the field is not switched off, so that the tag keeps its session. In ms. */
const IN_USE_MS = 5000;
/** The first byte of a UID of 4 bytes that is random: another one each time the tag gets power (NXP AN10927). */
const RANDOM_UID = 0x08;

/** Commands of NFC Forum type 2 tags. */
const READ = 0x30;
const WRITE = 0xa2;
const GET_VERSION = 0x60;
const BLOCK_BYTES = 16;
const VERSION_BYTES = 8;

/** The tags in the field of a PN532: it holds up to two of them, and asks each whether it is there. */
export class Pn532Field implements Field {
  readonly #chip: Pn532;
  #held: Pn532Tag[] = [];
  #polls = 0;
  /** Whether the firmware can ask an ISO-DEP tag whether it is there. */
  #asksCards = true;
  /** Whether a tag may be active that is not held: it would not be found without a reset. */
  #mustReset = false;

  /** @param chip started */
  constructor(chip: Pn532) {
    this.#chip = chip;
  }

  async poll(): Promise<readonly FieldTag[]> {
    this.#polls += 1;
    if (this.#held.length === 0) {
      const targets = this.#mustReset ? await this.#listReset() : await this.#list();
      this.#held = targets.map((target) => new Pn532Tag(this.#chip, this, target));
    } else if (this.#isListing()) {
      await this.#listAgain();
    } else {
      const missing: Pn532Tag[] = [];
      for (const tag of this.#held) if (!(await this.#answers(tag))) missing.push(tag);
      await this.#settle(missing);
    }
    return [...this.#held];
  }

  interrupt(): void {
    this.#chip.interrupt();
  }

  async close(): Promise<void> {
    this.#held = [];
    await this.#chip.close();
  }

  /** Whether the tag was there when it was last asked. */
  holds(tag: Pn532Tag): boolean {
    return this.#held.includes(tag);
  }

  /** Whether the tag is held; asks it. */
  async check(tag: Pn532Tag): Promise<boolean> {
    if (!this.holds(tag)) return false;
    if (!(await this.#answers(tag))) await this.#settle([tag]);
    return this.holds(tag);
  }

  /**
   * Activates a tag again that did not answer, as a type 2 tag that refused a command.
   * @returns whether it is there
   */
  async activate(tag: Pn532Tag): Promise<boolean> {
    if (!this.holds(tag)) return false;
    if (!this.#mayReset()) return true;
    await this.#listAgain();
    return this.holds(tag);
  }

  /** Whether this poll lists the tags instead of asking each. */
  #isListing(): boolean {
    if (!this.#mayReset()) return false;
    const mustList = this.#held.some(
      ({ kind }) => kind === 'other' || (kind === 'type4' && !this.#asksCards),
    );
    return mustList || (this.#held.length < MAX_TAGS && this.#polls % LIST_EVERY === 0);
  }

  /** Whether the field may be switched off, which ends the session of every tag. */
  #mayReset(): boolean {
    return !this.#held.some((tag) => tag.isInUse || (tag.hasRandomUid && this.#asksCards));
  }

  /** Asks a tag, twice before it counts as missing. */
  async #answers(tag: Pn532Tag): Promise<boolean> {
    return (await this.#asked(tag)) || (await this.#asked(tag));
  }

  async #asked(tag: Pn532Tag): Promise<boolean> {
    try {
      if (tag.kind === 'type2') await this.#chip.exchange(tag.number, Buffer.of(READ, 0));
      if (tag.kind === 'type4' && this.#asksCards) {
        if (this.#held.length > 1) await this.#chip.select(tag.number);
        return await this.#chip.isCardPresent();
      }
    } catch (error) {
      if (error instanceof TagError) return false;
      if (!(error instanceof UnknownCommand)) throw error;
      this.#asksCards = false;
    }
    return true;
  }

  /**
   * Drops tags that did not answer. A type 2 tag may only have lost its selection, so it is listed once more. An ISO-DEP
   * session of the tag has ended, so it would be another stay.
   */
  async #settle(missing: readonly Pn532Tag[]): Promise<void> {
    if (missing.length === 0) return;
    this.#mustReset = true;
    this.#held = this.#held.filter((tag) => !missing.includes(tag) || tag.kind !== 'type4');
    if (!missing.some(({ kind }) => kind !== 'type4')) return;
    if (this.#mayReset()) await this.#listAgain();
    else this.#held = this.#held.filter((tag) => !missing.includes(tag));
  }

  /** Lists the tags anew. Those that are held keep their stay; a missing one gets a second chance. */
  async #listAgain(): Promise<void> {
    let listed = await this.#listReset().catch(() => this.#listReset());
    if (this.#held.some((tag) => !listed.some((target) => tag.is(target)))) listed = await this.#listReset();
    this.#held = listed.map((target) => {
      const tag = this.#held.find((held) => held.is(target)) ?? new Pn532Tag(this.#chip, this, target);
      tag.number = target.number;
      return tag;
    });
  }

  async #list(): Promise<ListedTarget[]> {
    try {
      return await this.#chip.list();
    } catch {
      // The chip may have activated tags nevertheless.
      return await this.#listReset();
    }
  }

  async #listReset(): Promise<ListedTarget[]> {
    this.#mustReset = true;
    await this.#chip.switchFieldOff();
    const targets = await this.#chip.list();
    this.#mustReset = false;
    return targets;
  }
}

class Pn532Tag implements FieldTag {
  readonly uid: Buffer;
  readonly atqa: Buffer;
  readonly sak: number;
  readonly kind;
  /** The chip's number for it. */
  number: number;
  readonly #chip: Pn532;
  readonly #field: Pn532Field;
  #usedAt = Number.NEGATIVE_INFINITY;

  constructor(chip: Pn532, field: Pn532Field, { number, uid, atqa, sak }: ListedTarget) {
    this.#chip = chip;
    this.#field = field;
    this.number = number;
    this.uid = uid;
    this.atqa = atqa;
    this.sak = sak;
    this.kind = kindOf(sak);
  }

  get isInUse(): boolean {
    return performance.now() - this.#usedAt < IN_USE_MS;
  }

  get hasRandomUid(): boolean {
    return this.kind === 'type4' && this.uid.length === 4 && this.uid.readUInt8(0) === RANDOM_UID;
  }

  is({ uid, sak }: ListedTarget): boolean {
    return this.sak === sak && this.uid.equals(uid);
  }

  async readBlock(page: number): Promise<Buffer> {
    const block = await this.#exchange(Buffer.of(READ, page));
    if (block.length < BLOCK_BYTES) throw new TagError('The tag sent less than 16 bytes.');
    return block.subarray(0, BLOCK_BYTES);
  }

  async writePage(page: number, data: Buffer): Promise<void> {
    await this.#exchange(Buffer.of(WRITE, page, ...data));
  }

  async version(): Promise<Buffer | undefined> {
    try {
      // It goes to the tag that was used last.
      await this.readBlock(0);
      const version = await this.#chip.communicateThrough(Buffer.of(GET_VERSION));
      if (version.length === VERSION_BYTES) return version;
    } catch (error) {
      if (!(error instanceof TagError)) throw error;
    }
    // A tag that does not know the command is not selected any more.
    if (!(await this.#field.activate(this))) throw new TagError('The tag has left.');
    return undefined;
  }

  async apdu(command: Buffer, isFileAccess = false): Promise<Buffer> {
    if (!this.#field.holds(this)) throw new TagError('The tag has left.');
    return await this.#chip.exchangeApdu(this.number, command, isFileAccess);
  }

  use(): void {
    this.#usedAt = performance.now();
  }

  async isPresent(): Promise<boolean> {
    return await this.#field.check(this);
  }

  /** One exchange with a type 2 tag, which is repeated once. */
  async #exchange(data: Buffer): Promise<Buffer> {
    if (!this.#field.holds(this)) throw new TagError('The tag has left.');
    try {
      return await this.#chip.exchange(this.number, data);
    } catch (error) {
      if (!(error instanceof TagError) || !(await this.#field.activate(this))) throw error;
    }
    return await this.#chip.exchange(this.number, data);
  }
}
