import type { SerialPort } from './port.ts';

/** Lines are joined to writes of up to so many bytes. */
const WRITE_BYTES = 256 * 1024;

interface Line {
  text: string;
  bytes: number;
  done: (() => void) | undefined;
}

/** The lines of a session that the port has not taken yet, in order. None is dropped before `close`. */
export class Output {
  readonly #port: SerialPort;
  readonly #onWritten: () => void;
  #lines: Line[] = [];
  #bytes = 0;
  #writing = false;
  #closed = false;

  /** @param onWritten called when the port has taken a write */
  constructor(port: SerialPort, onWritten: () => void) {
    this.#port = port;
    this.#onWritten = onWritten;
  }

  /** Bytes that the host has not read, here and in the port. */
  get unread(): number {
    return this.#bytes + this.#port.pendingBytes;
  }

  /**
   * @param text one line without its line feed
   * @param done called when the port has taken or refused it; not after `close`
   */
  send(text: string, done?: () => void): void {
    if (this.#closed) return;
    const bytes = Buffer.byteLength(text) + 1;
    this.#lines.push({ text, bytes, done });
    this.#bytes += bytes;
    if (this.#writing) return;
    this.#writing = true;
    // The lines of one turn of the event loop go out together.
    queueMicrotask(() => void this.#write());
  }

  async #write(): Promise<void> {
    while (this.#lines.length > 0) {
      const lines = this.#nextLines();
      await this.#port.write(textOf(lines));
      for (const { done } of lines) done?.();
      if (this.#closed) break;
      this.#onWritten();
    }
    this.#writing = false;
  }

  /** At least one line. */
  #nextLines(): Line[] {
    let total = 0;
    let count = 0;
    for (const { bytes } of this.#lines) {
      if (count > 0 && total + bytes > WRITE_BYTES) break;
      total += bytes;
      count += 1;
    }
    this.#bytes -= total;
    return this.#lines.splice(0, count);
  }

  /** Gives all lines to the port at once, before another protocol takes over the line. */
  writeOut(): void {
    this.#bytes = 0;
    void this.#port.write(textOf(this.#lines.splice(0)));
  }

  /** Drops all lines. */
  close(): void {
    this.#closed = true;
    this.#lines = [];
    this.#bytes = 0;
  }
}

function textOf(lines: readonly Line[]): string {
  return lines.map(({ text }) => `${text}\n`).join('');
}
