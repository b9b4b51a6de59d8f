/** SLIP (RFC 1055), in which the ESP loader's packets begin and end with END. */
const END = 0xc0;
const ESCAPE = 0xdb;
const ESCAPED_END = 0xdc;
const ESCAPED_ESCAPE = 0xdd;
/** Longer packets are dropped; the loader's have at most 16 KiB and a header. */
const MOST_BYTES = 20 * 1024;

export function slip(packet: Buffer): Buffer {
  const bytes = [END];
  for (const byte of packet) {
    if (byte === END) bytes.push(ESCAPE, ESCAPED_END);
    else if (byte === ESCAPE) bytes.push(ESCAPE, ESCAPED_ESCAPE);
    else bytes.push(byte);
  }
  return Buffer.from([...bytes, END]);
}

/** Takes packets out of a stream. */
export class SlipReader {
  #bytes: number[] = [];
  #isEscaped = false;

  /** @returns the packets that end in `data`; empty ones, between two packets, are left out */
  push(data: Buffer): Buffer[] {
    const packets: Buffer[] = [];
    for (const byte of data) {
      if (byte === END) {
        if (this.#bytes.length > 0) packets.push(Buffer.from(this.#bytes));
        this.#bytes = [];
      } else if (byte === ESCAPE) {
        this.#isEscaped = true;
      } else if (this.#bytes.length < MOST_BYTES) {
        this.#bytes.push(this.#isEscaped ? (byte === ESCAPED_END ? END : ESCAPE) : byte);
        this.#isEscaped = false;
      }
    }
    return packets;
  }
}
