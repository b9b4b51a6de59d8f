/** Commands of the ACR122U (ACS, "ACR122U Application Programming Interface V2.04"). Pure. */
import type { FieldSettings, Light } from '../field.ts';

const STATUS_BYTES = 2;
const CLASS = 0xff;

/** Length of a buzzer's or light's period, in ms. */
const PERIOD_MS = 100;
/** Bits of the light's state: final state, and whether it changes. */
const RED = 0x01;
const GREEN = 0x02;
const CHANGE_BOTH = 0x0c;
const LIGHTS: Readonly<Record<Light, number>> = { off: 0, red: RED, green: GREEN, orange: RED | GREEN };

/** PICC operating parameters: all kinds of tags, automatic activation; bit 5 looks each 250 ms instead of 500. */
const LOOK_ALWAYS = 0xdf;
const EACH_250_MS = 0x20;
const SLOW_POLL_MS = 500;

/** Commands of the PN532 inside (UM0701-02). */
export const LIST_TAG = direct(Buffer.of(0xd4, 0x4a, 0x01, 0x00));
export const GET_VERSION = direct(Buffer.of(0xd4, 0x42, 0x60));

/** Section 6.1: sends a command to the PN532 inside. */
function direct(command: Buffer): Buffer {
  return Buffer.of(CLASS, 0x00, 0x00, 0x00, command.length, ...command);
}

/** Section 5.4: reads 16 bytes of a type 2 tag. */
export const readBlock = (page: number): Buffer => Buffer.of(CLASS, 0xb0, 0x00, page, 0x10);

/** Section 5.5: writes a page of a type 2 tag. */
export const updatePage = (page: number, data: Buffer): Buffer =>
  Buffer.of(CLASS, 0xd6, 0x00, page, data.length, ...data);

/** Sections 6.5 and 6.7: how often the reader looks, and whether it sounds by itself when it sees a tag. */
export function settingsCommands({ pollMs, feedbackOnDetect }: FieldSettings): Buffer[] {
  const parameters = pollMs < SLOW_POLL_MS ? LOOK_ALWAYS | EACH_250_MS : LOOK_ALWAYS;
  return [
    Buffer.of(CLASS, 0x00, 0x51, parameters, 0x00),
    Buffer.of(CLASS, 0x00, 0x52, feedbackOnDetect ? 0xff : 0x00, 0x00),
  ];
}

/** Section 6.2: one sound, and the light from then on. @param buzzerMs rounded up to 100 ms */
export function feedbackCommand(light: Light | undefined, buzzerMs = 0): Buffer {
  const periods = Math.min(Math.ceil(buzzerMs / PERIOD_MS), 255);
  const state = light === undefined ? 0 : CHANGE_BOTH | LIGHTS[light];
  const sound = periods > 0 ? [periods, 0, 1, 1] : [0, 0, 0, 0];
  return Buffer.of(CLASS, 0x00, 0x40, state, sound.length, ...sound);
}

/** The data of an answer whose status word says success: 9000, or 90 with the state of the light. */
export function answerData(answer: Buffer): Buffer | undefined {
  const end = answer.length - STATUS_BYTES;
  return end >= 0 && answer[end] === 0x90 ? answer.subarray(0, end) : undefined;
}

/** The answer of the PN532 inside to a direct command, without its code. */
export function directData(answer: Buffer, code: number): Buffer | undefined {
  const data = answerData(answer);
  return data && data[0] === 0xd5 && data[1] === code ? data.subarray(2) : undefined;
}

/** Whether an APDU has a 3-byte length (ISO/IEC 7816-4, section 5.1), which the reader's driver does not send. */
export function isExtended(apdu: Buffer): boolean {
  const SHORT_BYTES = 5;
  return apdu.length > SHORT_BYTES && apdu[4] === 0;
}

/** Whether the reader takes an APDU for one of its own commands. No card uses their class (ISO/IEC 7816-4, section 5.4.1). */
export function isReaderCommand(apdu: Buffer): boolean {
  return apdu[0] === CLASS;
}
