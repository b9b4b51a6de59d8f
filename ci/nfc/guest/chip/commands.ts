import type { Tag } from '../tags/tag.ts';
import type { Field } from './field.ts';

const GET_FIRMWARE_VERSION = 0x02;
const DIAGNOSE = 0x00;
const GET_GENERAL_STATUS = 0x04;
const SET_PARAMETERS = 0x12;
const SAM_CONFIGURATION = 0x14;
const RF_CONFIGURATION = 0x32;
const IN_DATA_EXCHANGE = 0x40;
const IN_COMMUNICATE_THRU = 0x42;
const IN_DESELECT = 0x44;
const IN_LIST_PASSIVE_TARGET = 0x4a;
const IN_RELEASE = 0x52;
const IN_SELECT = 0x54;

/** Status bytes of UM0701-02, table 19. */
const DONE = 0x00;
const TIMED_OUT = 0x01;
const FRAMING = 0x05;
const NOT_ACCEPTED = 0x27;
/** Set in the status and in the target's number: more data follow. */
const MORE = 0x40;
/** Data of one answer to InDataExchange. */
const MOST_DATA = 262;
/** Type A at 106 kbit/s. */
const TYPE_A = 0x00;
const MOST_TARGETS = 2;
const ATTENTION_REQUEST = 6;

/** The commands of a PN532 that a reader of tags needs (NXP UM0701-02, chapter 7). */
export class Pn532Commands {
  readonly #field: Field;
  #targets: Tag[] = [];
  #current: Tag | undefined;
  /** Data of a command that is not complete, and those of an answer that were not sent. */
  #collected: Buffer[] = [];
  #rest: Buffer = Buffer.alloc(0);
  /** Whether a search for tags lasts until there is one, as after power-on. */
  #searchesForever = true;

  constructor(field: Field) {
    this.#field = field;
  }

  /** As after power-on. */
  reset(): void {
    this.#forget();
    this.#searchesForever = true;
    this.#field.switch(true);
  }

  /**
   * Runs a command. @returns the data of the answer; undefined if there is no such command; `later` if it goes on until
   * there is a tag
   */
  run(code: number, params: Buffer): Buffer | 'later' | undefined {
    switch (code) {
      case GET_FIRMWARE_VERSION:
        return Buffer.from([0x32, 0x01, 0x06, 0x07]);
      case SAM_CONFIGURATION:
      case SET_PARAMETERS:
        return Buffer.alloc(0);
      case GET_GENERAL_STATUS:
        return Buffer.from([0, this.#field.isOn ? 1 : 0, 0, 0]);
      case RF_CONFIGURATION:
        this.#configure(params);
        return Buffer.alloc(0);
      case DIAGNOSE:
        return this.#diagnose(params);
      case IN_LIST_PASSIVE_TARGET:
        return this.#list(params);
      case IN_DATA_EXCHANGE:
        return this.#exchange(params);
      case IN_COMMUNICATE_THRU:
        return this.#communicate(this.#current, params);
      case IN_SELECT:
        return this.#select(params);
      case IN_DESELECT:
      case IN_RELEASE:
        if (params[0] === 0) this.#forget();
        return Buffer.from([DONE]);
      default:
        return undefined;
    }
  }

  #forget(): void {
    this.#targets = [];
    this.#current = undefined;
    this.#collected = [];
    this.#rest = Buffer.alloc(0);
  }

  #configure([item, ...values]: Buffer): void {
    if (item === 0x01) this.#field.switch(((values[0] ?? 0) & 1) === 1);
    if (item === 0x05) this.#searchesForever = values[2] === 0xff;
  }

  #diagnose([test, ...parameters]: Buffer): Buffer | undefined {
    if (test === 0x00) return Buffer.from([0x00, ...parameters]);
    if (test !== ATTENTION_REQUEST) return undefined;
    const isThere = this.#current?.ats !== undefined && this.#field.tags.includes(this.#current);
    return Buffer.from([isThere ? DONE : TIMED_OUT]);
  }

  #list([most = 0, type]: Buffer): Buffer | 'later' | undefined {
    if (most < 1 || most > MOST_TARGETS) return undefined;
    this.#field.switch(true);
    const found = type === TYPE_A ? this.#field.tags.slice(0, most) : [];
    if (found.length === 0 && this.#searchesForever) return 'later';
    this.#forget();
    for (const tag of found) tag.activate();
    this.#targets = found;
    this.#current = found.at(-1);
    const describe = ({ atqa, sak, uid, ats }: Tag, index: number): Buffer =>
      Buffer.concat([
        Buffer.from([index + 1]),
        atqa,
        Buffer.from([sak, uid.length]),
        uid,
        ...(ats ? [ats] : []),
      ]);
    return Buffer.concat([Buffer.from([found.length]), ...found.map(describe)]);
  }

  #select([number = 0]: Buffer): Buffer {
    const tag = this.#targets[number - 1];
    if (!tag) return Buffer.from([NOT_ACCEPTED]);
    this.#current = tag;
    return Buffer.from([this.#field.tags.includes(tag) ? DONE : TIMED_OUT]);
  }

  #exchange(params: Buffer): Buffer {
    const [number = 0] = params;
    const tag = this.#targets[(number & ~MORE) - 1];
    if (!tag) return Buffer.from([NOT_ACCEPTED]);
    this.#current = tag;
    const data = params.subarray(1);
    if (this.#rest.length > 0 && data.length === 0) return this.#part(this.#rest);
    this.#rest = Buffer.alloc(0);
    this.#collected.push(data);
    if ((number & MORE) !== 0) return Buffer.from([DONE]);
    const all = Buffer.concat(this.#collected.splice(0));
    const result = this.#communicate(tag, all);
    return result[0] === DONE ? this.#part(result.subarray(1)) : result;
  }

  /** As much of an answer as fits, with its status. */
  #part(data: Buffer): Buffer {
    this.#rest = data.subarray(MOST_DATA);
    const status = this.#rest.length > 0 ? DONE | MORE : DONE;
    return Buffer.concat([Buffer.from([status]), data.subarray(0, MOST_DATA)]);
  }

  #communicate(tag: Tag | undefined, data: Buffer): Buffer {
    const result = tag && this.#field.exchange(tag, data);
    if (result === undefined) return Buffer.from([TIMED_OUT]);
    if (result === 'nak') return Buffer.from([FRAMING]);
    return Buffer.concat([Buffer.from([DONE]), result]);
  }
}
