/** What a page writes to a serial port. */
import type { PeripheralCall } from './bridge.ts';
import { min, subarray, toBase64, uncurry } from './builtins.ts';
import { bytesOf } from './webidl.ts';

/** The agent takes so much with a call. */
const MAX_BYTES = 64 * 1024;

const NativeWritableStream = WritableStream;
const raise = uncurry<WritableStreamDefaultController, [unknown], void>(
  WritableStreamDefaultController.prototype.error,
);
const abortStream = uncurry<WritableStream, [unknown], Promise<void>>(WritableStream.prototype.abort);

export class Sender {
  /** The stream that the page has, until it is closed or has failed. */
  stream: WritableStream<Uint8Array> | null = null;
  readonly #call: PeripheralCall;
  readonly #isClosing: () => boolean;
  #controller: WritableStreamDefaultController | undefined;
  #isBusy = false;

  constructor(call: PeripheralCall, isClosing: () => boolean) {
    this.#call = call;
    this.#isClosing = isClosing;
  }

  /** The stream, which is made if there is none. */
  open(): WritableStream<Uint8Array> {
    this.stream ??= new NativeWritableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      write: (chunk, controller) => this.#write(chunk, controller.signal),
      close: () => this.#finish(() => this.#call('serial.drain')),
      abort: () =>
        this.#finish(async () => {
          if (!this.#isClosing()) await this.#call('serial.flush', { direction: 'out' });
        }),
    });
    return this.stream;
  }

  /** Ends the stream for `close()`. @throws TypeError if it is locked */
  async end(reason: DOMException): Promise<void> {
    if (this.stream) await abortStream(this.stream, reason);
    this.stream = null;
  }

  /** The port is gone. */
  lose(error: DOMException): void {
    if (!this.stream) return;
    this.stream = null;
    // A call in progress rejects, and the stream with it.
    if (this.#controller && !this.#isBusy) raise(this.#controller, error);
  }

  async #write(chunk: unknown, signal: AbortSignal): Promise<void> {
    const { stream } = this;
    this.#isBusy = true;
    try {
      const bytes = bytesOf(chunk);
      for (let from = 0; from < bytes.length; from += MAX_BYTES) {
        const part = subarray(bytes, from, min(from + MAX_BYTES, bytes.length));
        await this.#call('serial.write', { data: toBase64(part) }, { signal });
      }
    } catch (error) {
      // The stream calls abort() after a write that was given up. Else it has failed, and there may be a new one.
      if (!signal.aborted && this.stream === stream) this.stream = null;
      throw error;
    } finally {
      this.#isBusy = false;
    }
  }

  async #finish(call: () => Promise<unknown>): Promise<void> {
    const { stream } = this;
    this.#isBusy = true;
    try {
      await call();
    } finally {
      this.#isBusy = false;
      if (this.stream === stream) this.stream = null;
    }
  }
}
