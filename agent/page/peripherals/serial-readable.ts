/** What a serial port receives, as a stream of bytes. */
import type { PeripheralCall } from './bridge.ts';
import {
  ByteArray,
  domException,
  getterOf,
  isView,
  max,
  min,
  setBytes,
  shift,
  subarray,
  uncurry,
} from './builtins.ts';

/**
 * The least that is asked for. `bufferSize` is 255 by default, which would be asked for again and again: a port with
 * 921 600 baud fills it in 3 ms, and the agent's answer takes as long.
 */
const MIN_WINDOW = 16 * 1024;
/** So much the agent may be asked for at a time. */
const MAX_GRANTED = 64 * 1024;

const NativeReadableStream = ReadableStream;
const enqueue = uncurry<ReadableByteStreamController, [Uint8Array<ArrayBuffer>], void>(
  ReadableByteStreamController.prototype.enqueue,
);
const raise = uncurry<ReadableByteStreamController, [unknown], void>(
  ReadableByteStreamController.prototype.error,
);
const respond = uncurry<ReadableStreamBYOBRequest, [number], void>(
  ReadableStreamBYOBRequest.prototype.respond,
);
const requestGetter = getterOf(ReadableByteStreamController.prototype, 'byobRequest');
const viewGetter = getterOf(ReadableStreamBYOBRequest.prototype, 'view');
const cancelStream = uncurry<ReadableStream, [], Promise<void>>(ReadableStream.prototype.cancel);

/** The page's own buffer, if it reads with one. */
function requestOf(
  controller: ReadableByteStreamController,
): { request: ReadableStreamBYOBRequest; into: Uint8Array<ArrayBuffer> } | undefined {
  const request = requestGetter(controller);
  if (!(request instanceof NativeRequest)) return undefined;
  const view = viewGetter(request);
  if (!isBufferView(view)) return undefined;
  const { buffer, byteOffset, byteLength } = view;
  return { request, into: new ByteArray(buffer, byteOffset, byteLength) };
}
const NativeRequest = ReadableStreamBYOBRequest;
const isBufferView = (view: unknown): view is ArrayBufferView<ArrayBuffer> => isView(view);

export class Receiver {
  /** The stream that the page has, until it is cancelled or has failed. */
  stream: ReadableStream<Uint8Array<ArrayBuffer>> | null = null;
  readonly #call: PeripheralCall;
  readonly #isClosing: () => boolean;
  #controller: ReadableByteStreamController | undefined;
  #window = MIN_WINDOW;
  /** What the agent may still send, in bytes. */
  #granted = 0;
  /** Received and not read; an error comes after the bytes before it. */
  #queue: (Uint8Array<ArrayBuffer> | DOMException)[] = [];
  #buffered = 0;
  #isWanted = false;
  #isFlushing = false;
  /** Why the port is lost: there is no other stream until it is opened again. */
  #lost: DOMException | undefined;

  constructor(call: PeripheralCall, isClosing: () => boolean) {
    this.#call = call;
    this.#isClosing = isClosing;
  }

  /** The port was opened. @param bufferSize in bytes */
  start(bufferSize: number): void {
    this.#window = max(bufferSize, MIN_WINDOW);
    this.#granted = 0;
    this.#isFlushing = false;
    // What was received before the port was lost, if nobody has read it.
    if (this.stream && this.#controller && this.#lost) raise(this.#controller, this.#lost);
    this.stream = null;
    this.#lost = undefined;
    this.#discard();
  }

  /** The stream, which is made if there is none. Bytes are asked for from now on. */
  open(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.stream || this.#lost) return this.stream;
    this.#isWanted = false;
    this.stream = new NativeReadableStream(
      {
        type: 'bytes',
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => {
          this.#isWanted = true;
          this.#deliver();
        },
        cancel: () => this.#cancel(),
      },
      // The page's buffer is here, not in the stream, so that bytes count as read when the page has got them.
      { highWaterMark: 0 },
    );
    this.#grant();
    return this.stream;
  }

  /** Ends the stream for `close()`. @throws TypeError if it is locked */
  async end(): Promise<void> {
    if (this.stream) await cancelStream(this.stream);
    this.stream = null;
    this.#discard();
  }

  receive(bytes: Uint8Array<ArrayBuffer>): void {
    this.#granted -= bytes.length;
    if (this.#isFlushing || this.#lost) return;
    this.#queue[this.#queue.length] = bytes;
    this.#buffered += bytes.length;
    this.#deliver();
    this.#grant();
  }

  /**
   * Receiving failed: the stream fails after the bytes that came before. Reading goes on with a new one. Of errors that
   * follow each other before the page has read so far, it gets the first.
   */
  fail(error: DOMException): void {
    const last = this.#queue[this.#queue.length - 1];
    if (this.#lost || (last !== undefined && !(last instanceof ByteArray))) return;
    this.#queue[this.#queue.length] = error;
    this.#deliver();
  }

  /** The port is gone. The page gets what was received, then the error. */
  lose(error: DOMException): void {
    this.fail(error);
    this.#lost = error;
    if (!this.stream) this.#discard();
  }

  #deliver(): void {
    const controller = this.#controller;
    if (!this.stream || !controller) return;
    const next = this.#queue[0];
    if (next === undefined) return;
    if (!(next instanceof ByteArray)) {
      shift(this.#queue);
      this.stream = null;
      raise(controller, next);
    } else if (this.#isWanted) {
      this.#isWanted = false;
      const byob = requestOf(controller);
      // These may call pull() at once.
      if (byob) respond(byob.request, this.#fill(byob.into));
      else enqueue(controller, this.#take());
      this.#grant();
      if (!this.#isWanted) this.#deliverError();
    }
  }

  /** The error after the last byte, also if nobody reads. */
  #deliverError(): void {
    const next = this.#queue[0];
    if (next !== undefined && !(next instanceof ByteArray)) this.#deliver();
  }

  /** All bytes up to the next error. */
  #take(): Uint8Array<ArrayBuffer> {
    const all = new ByteArray(this.#lengthToError());
    this.#fill(all);
    return all;
  }

  #lengthToError(): number {
    let length = 0;
    for (let at = 0; at < this.#queue.length; at += 1) {
      const entry = this.#queue[at];
      if (!(entry instanceof ByteArray)) break;
      length += entry.length;
    }
    return length;
  }

  /** @returns how many bytes there were for it */
  #fill(into: Uint8Array<ArrayBuffer>): number {
    let filled = 0;
    while (filled < into.length) {
      const entry = this.#queue[0];
      if (!(entry instanceof ByteArray)) break;
      const length = min(entry.length, into.length - filled);
      setBytes(into, subarray(entry, 0, length), filled);
      filled += length;
      if (length === entry.length) shift(this.#queue);
      else this.#queue[0] = subarray(entry, length, entry.length);
    }
    this.#buffered -= filled;
    return filled;
  }

  /** Asks for as much as the window has room, a quarter of it at least, so that not every read asks for more. */
  #grant(): void {
    if (!this.stream || this.#lost || this.#isFlushing) return;
    const room = min(this.#window - this.#buffered - this.#granted, MAX_GRANTED - this.#granted);
    if (room < min(this.#window, MAX_GRANTED) / 4) return;
    this.#granted += room;
    void this.#send(() => this.#call('serial.credit', { bytes: room }));
  }

  async #cancel(): Promise<void> {
    const stream = this.stream;
    this.#discard();
    if (!this.#isClosing() && !this.#lost) {
      this.#isFlushing = true;
      await this.#send(() => this.#call('serial.flush', { direction: 'in' }));
      this.#isFlushing = false;
    }
    if (this.stream === stream) this.stream = null;
  }

  /** A call that fails only if the port is lost, of which the event `closed` tells. */
  async #send(call: () => Promise<unknown>): Promise<void> {
    try {
      await call();
    } catch {
      // As above.
    }
  }

  #discard(): void {
    this.#queue = [];
    this.#buffered = 0;
  }
}

export const receiveError = (name: string): DOMException => domException(name, 'Receiving failed.');
