/** What a session has to say and its host has not read yet. */
import type { SerialPort } from './port.ts';

/** Lines are written together up to so many bytes; the port refuses what is more than it can hold. */
const PIECE_BYTES = 256 * 1024;

/** A line on its way to the port. */
interface Line {
  text: string;
  bytes: number;
  /** The port has taken it, or it goes nowhere. */
  done: (() => void) | undefined;
}

/** Lines in order, each whole. Nothing is dropped: the lines of a host that does not read wait, and end with its session. */
export class Output {
  readonly #port: SerialPort;
  readonly #written: () => void;
  #lines: Line[] = [];
  #bytes = 0;
  #writing = false;
  #closed = false;

  /** @param written told when the port has taken something */
  constructor(port: SerialPort, written: () => void) {
    this.#port = port;
    this.#written = written;
  }

  /** In bytes. */
  get unread(): number {
    return this.#bytes + this.#port.pendingBytes;
  }

  /** @param text one line without its end */
  send(text: string, done?: () => void): void {
    if (this.#closed) return;
    const bytes = Buffer.byteLength(text) + 1;
    this.#lines.push({ text, bytes, done });
    this.#bytes += bytes;
    if (this.#writing) return;
    this.#writing = true;
    // Lines of one turn go out in one write.
    queueMicrotask(() => void this.#write());
  }

  /** One piece after the other, each when the port has taken the one before. */
  async #write(): Promise<void> {
    while (this.#lines.length > 0 && !this.#closed) {
      const piece = this.#nextPiece();
      await this.#port.write(textOf(piece));
      for (const { done } of piece) done?.();
      if (this.#closed) break;
      this.#written();
    }
    this.#writing = false;
  }

  #nextPiece(): Line[] {
    let total = 0;
    let count = 0;
    for (const { bytes } of this.#lines) {
      if (count > 0 && total + bytes > PIECE_BYTES) break;
      total += bytes;
      count += 1;
    }
    this.#bytes -= total;
    return this.#lines.splice(0, count);
  }

  /** Hands what waits to the port at once, for a link that goes on without the protocol. */
  writeOut(): void {
    this.#bytes = 0;
    void this.#port.write(textOf(this.#lines.splice(0)));
  }

  /** What waits goes nowhere. */
  close(): void {
    this.#closed = true;
    this.#lines = [];
    this.#bytes = 0;
  }
}

function textOf(lines: readonly Line[]): string {
  return lines.map(({ text }) => `${text}\n`).join('');
}
