import { fits } from '../contract/validate.ts';
import { Ending, Part } from './browser-messages.ts';

/** The text that is arriving. */
interface Body {
  number: number;
  pieces: string[];
  length: number;
}

/**
 * Puts long texts together, which the browser sends in parts before the message that they belong to. Holds one text
 * of bounded length at a time. A text that is too long or incomplete is dropped, and its message arrives without it.
 */
export class PartsReader {
  readonly #maxLength: number;
  #body: Body | undefined;

  /** @param maxLength longest text, in UTF-16 units */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** @returns the message, with its text; undefined for a part */
  take(message: unknown): unknown {
    if (fits(Part, message)) {
      this.#add(message.body, message.part, message.data);
      return undefined;
    }
    if (!fits(Ending, message)) return message;
    const { body: number, parts, field, ...rest } = message;
    const body = this.#body;
    this.#body = undefined;
    if (body?.number !== number || body.pieces.length !== parts) return rest;
    return { ...rest, [field]: body.pieces.join('') };
  }

  #add(number: number, part: number, data: string): void {
    if (part === 0) this.#body = { number, pieces: [], length: 0 };
    const body = this.#body;
    if (!body) return;
    body.length += data.length;
    const isNext = body.number === number && body.pieces.length === part;
    if (isNext && body.length <= this.#maxLength) body.pieces.push(data);
    else this.#body = undefined;
  }
}
