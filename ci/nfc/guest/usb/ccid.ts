/**
 * An ACR122U as its USB messages show it: USB CCID (rev. 1.1, chapter 6) around the pseudo-APDUs of its manual (ACS, Application
 * Programming Interface V2.04), which go to the PN532 in it.
 */
import { Pn532Commands } from '../chip/commands.ts';
import type { Field } from '../chip/field.ts';
import type { Tag } from '../tags/tag.ts';

const OK = Buffer.from([0x90, 0x00]);
const FAILED = Buffer.from([0x63, 0x00]);
const HEAD_BYTES = 10;
const MOST_LOGGED = 1000;

const ICC_POWER_ON = 0x62;
const ICC_POWER_OFF = 0x63;
const GET_SLOT_STATUS = 0x65;
const XFR_BLOCK = 0x6f;
const ESCAPE = 0x6b;
const GET_PARAMETERS = 0x6c;
const SET_PARAMETERS = 0x61;
const DATA_BLOCK = 0x80;
const SLOT_STATUS = 0x81;
const PARAMETERS = 0x82;
const ESCAPE_ANSWER = 0x83;
const COMMAND_FAILED = 1;
/** The error "no card is there" of CCID. */
const ICC_MUTE = 0xfe;
const NOTIFY_SLOT_CHANGE = 0x50;
/** Default parameters of T=1. */
const T1_PARAMETERS = Buffer.from([0x11, 0x10, 0x00, 0x4d, 0x00, 0x20, 0x00]);
/** ATR of a storage card as the manual composes it; the name of an Ultralight is in it. */
const STORAGE_ATR = Buffer.from('3b8f8001804f0ca0000003060300030000000068', 'hex');

/** A command for light or sound. */
export interface Feedback {
  what: 'led' | 'buzzer_on_detect';
  /** Bytes of the command after its first three. */
  bytes: string;
}

export class Acr122uModel {
  readonly field: Field;
  readonly #commands: Pn532Commands;
  #isPowered = false;
  #log: Feedback[] = [];
  /** Called with the message of the interrupt endpoint. */
  notify: (message: Buffer) => void = () => undefined;

  constructor(field: Field) {
    this.field = field;
    this.#commands = new Pn532Commands(field);
    // Its own firmware looks for tags all the time, so that a search of the host ends at once.
    this.#commands.run(0x32, Buffer.from([0x05, 0xff, 0x01, 0x00]));
    field.changed = () => this.announce();
  }

  /** Reports to the host whether there is a card, after a change and after it was plugged in. */
  announce(): void {
    this.#isPowered = false;
    this.notify(Buffer.from([NOTIFY_SLOT_CHANGE, this.#tag ? 3 : 2]));
  }

  takeFeedback(): Feedback[] {
    return this.#log.splice(0);
  }

  /** Answers a message of the bulk endpoint. */
  message(message: Buffer): Buffer {
    const data = message.subarray(HEAD_BYTES, HEAD_BYTES + message.readUInt32LE(1));
    const answer = (type: number, bytes: Buffer = Buffer.alloc(0), last = 0): Buffer =>
      this.#answer(message, type, bytes, { last });
    const mute = (): Buffer =>
      this.#answer(message, DATA_BLOCK, Buffer.alloc(0), { failed: COMMAND_FAILED, error: ICC_MUTE });
    switch (message[0]) {
      case ICC_POWER_ON: {
        const atr = this.#powerOn();
        return atr ? answer(DATA_BLOCK, atr) : mute();
      }
      case ICC_POWER_OFF:
        this.#isPowered = false;
        return answer(SLOT_STATUS);
      case GET_SLOT_STATUS:
        return answer(SLOT_STATUS);
      case XFR_BLOCK:
        return this.#tag ? answer(DATA_BLOCK, this.#apdu(data)) : mute();
      case ESCAPE:
        return answer(ESCAPE_ANSWER, this.#apdu(data));
      case GET_PARAMETERS:
      case SET_PARAMETERS:
        return answer(PARAMETERS, T1_PARAMETERS, 1);
      default:
        return this.#answer(message, SLOT_STATUS, Buffer.alloc(0), { failed: COMMAND_FAILED });
    }
  }

  get #tag(): Tag | undefined {
    return this.field.tags[0];
  }

  #answer(
    message: Buffer,
    type: number,
    data: Buffer,
    { failed = 0, error = 0, last = 0 }: { failed?: number; error?: number; last?: number },
  ): Buffer {
    const head = Buffer.alloc(HEAD_BYTES);
    head[0] = type;
    head.writeUInt32LE(data.length, 1);
    message.copy(head, 5, 5, 7);
    const card = this.#tag ? (this.#isPowered ? 0 : 1) : 2;
    head.set([card | (failed << 6), error, last], 7);
    return Buffer.concat([head, data]);
  }

  #powerOn(): Buffer | undefined {
    this.#commands.run(0x4a, Buffer.from([0x01, 0x00]));
    const tag = this.#tag;
    this.#isPowered = tag !== undefined;
    if (!tag?.ats) return tag && STORAGE_ATR;
    // The historical bytes of the ATS between interface bytes and a check sum (PC/SC part 3, 3.1.3.2.3).
    const historical = tag.ats.subarray(5);
    const atr = Buffer.from([0x3b, 0x80 | historical.length, 0x80, 0x01, ...historical]);
    const check = atr.subarray(1).reduce((sum, byte) => sum ^ byte, 0);
    return Buffer.concat([atr, Buffer.from([check])]);
  }

  #apdu(apdu: Buffer): Buffer {
    const [cls, ins, p1 = 0, p2 = 0] = apdu;
    if (cls !== 0xff) return this.#exchange(1, apdu) ?? FAILED;
    switch (ins) {
      case 0xca: {
        const data = p1 === 0 ? this.#tag?.uid : this.#tag?.ats?.subarray(1);
        return data ? Buffer.concat([data, OK]) : FAILED;
      }
      case 0xb0: {
        const pages = this.#exchange(1, Buffer.from([0x30, p2]));
        return pages ? Buffer.concat([pages.subarray(0, apdu[4] || 16), OK]) : FAILED;
      }
      case 0xd6:
        return this.#exchange(1, Buffer.from([0xa2, p2, ...apdu.subarray(5, 9)])) ? OK : FAILED;
      case 0x00:
        return this.#reader(p1, p2, apdu);
      default:
        return FAILED;
    }
  }

  /** Commands to the reader itself. */
  #reader(p1: number, p2: number, apdu: Buffer): Buffer {
    switch (p1) {
      case 0x00: {
        const [, code = 0, ...params] = apdu.subarray(5, 5 + (apdu[4] ?? 0));
        const result = this.#commands.run(code, Buffer.from(params));
        if (!result || result === 'later') return FAILED;
        return Buffer.concat([Buffer.from([0xd5, code + 1]), result, OK]);
      }
      case 0x40:
        this.#record('led', apdu.subarray(3));
        return Buffer.from([0x90, p2 & 0x03]);
      case 0x48:
        return Buffer.from('ACR122U214');
      case 0x50:
      case 0x51:
        return Buffer.from([0x90, 0xff]);
      case 0x52:
        this.#record('buzzer_on_detect', apdu.subarray(3));
        return OK;
      case 0x41:
        return OK;
      default:
        return FAILED;
    }
  }

  #record(what: Feedback['what'], bytes: Buffer): void {
    if (this.#log.length < MOST_LOGGED) this.#log.push({ what, bytes: bytes.toString('hex') });
  }

  #exchange(target: number, data: Buffer): Buffer | undefined {
    const result = this.#commands.run(0x40, Buffer.from([target, ...data]));
    return result && result !== 'later' && result[0] === 0 ? result.subarray(1) : undefined;
  }
}
