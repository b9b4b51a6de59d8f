import { ProtocolViolation } from '../../base/json-line-peer.ts';
import { Ending, Part } from './messages.ts';

/** Of one text: as many as the longest one can have. */
const MAX_PARTS = 3072;

/** The text that is arriving. */
interface Body {
  number: number;
  parts: number;
  /** Undefined when the text is too long. */
  pieces: string[] | undefined;
  length: number;
}

/**
 * Puts long texts together, which the browser sends in parts before the message that they belong to. Holds one text
 * of bounded length at a time. A text that is too long is dropped, and its message arrives without it.
 */
export class PartsReader {
  readonly #maxLength: () => number;
  #body: Body | undefined;

  /** @param maxLength longest text now, in UTF-16 units */
  constructor(maxLength: () => number) {
    this.#maxLength = maxLength;
  }

  /**
   * @returns the message, with its text; undefined for a part
   * @throws ProtocolViolation for parts out of order, too many, or for a text that is not complete
   */
  take(message: object): object | undefined {
    if ('part' in message) {
      if (!Part.fits(message)) throw new ProtocolViolation('a part is malformed');
      this.#add(message.body, message.part, message.data);
      return undefined;
    }
    if (!('parts' in message)) return message;
    if (!Ending.fits(message)) throw new ProtocolViolation('the end of a text is malformed');
    const { body: number, parts, field, ...rest } = message;
    const body = this.#body;
    this.#body = undefined;
    if (body?.number !== number || body.parts !== parts) throw new ProtocolViolation('a text is incomplete');
    return body.pieces ? { ...rest, [field]: body.pieces.join('') } : rest;
  }

  #add(number: number, part: number, data: string): void {
    const maxLength = this.#maxLength();
    if (part === 0 && !this.#body) this.#body = { number, parts: 0, pieces: [], length: 0 };
    const body = this.#body;
    if (!body || body.number !== number || body.parts !== part) {
      throw new ProtocolViolation('a part is out of order');
    }
    body.parts += 1;
    if (body.parts > MAX_PARTS) throw new ProtocolViolation('a text has too many parts');
    body.length += data.length;
    if (body.length <= maxLength) body.pieces?.push(data);
    else body.pieces = undefined;
  }
}
