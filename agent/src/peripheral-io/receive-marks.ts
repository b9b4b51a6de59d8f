const MARK = 0xff;

export type ReceiveErrorName = 'BreakError' | 'ParityError';

export interface Received {
  data: Buffer;
  errors: ReceiveErrorName[];
}

/**
 * Takes the kernel's marks out of what a tty with PARMRK receives (termios(3)): FF 00 00 is a break, FF 00 X the byte X
 * with a wrong parity, FF FF the byte FF. A mark may come in pieces.
 */
export class ReceiveMarks {
  /** How much of a mark was seen: nothing, FF, FF 00. */
  #seen = 0;

  /** @returns bytes without marks and damaged bytes, which is `piece` itself if there is nothing to take out */
  take(piece: Buffer): Received {
    if (this.#seen === 0 && !piece.includes(MARK)) return { data: piece, errors: [] };
    const data = Buffer.allocUnsafe(piece.length);
    const errors: ReceiveErrorName[] = [];
    let length = 0;
    for (const byte of piece) {
      if (this.#seen === 2) {
        errors.push(byte === 0 ? 'BreakError' : 'ParityError');
        this.#seen = 0;
      } else if (this.#seen === 1 && byte === 0) {
        this.#seen = 2;
      } else if (this.#seen === 0 && byte === MARK) {
        this.#seen = 1;
      } else {
        this.#seen = 0;
        data[length] = byte;
        length += 1;
      }
    }
    return { data: data.subarray(0, length), errors };
  }
}
