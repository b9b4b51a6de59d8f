/** The frames of the serial link: JSON, one a line. Uses nothing of Node; the line below it is a tty or a Web Serial port. */
import { BASE_PATH } from '../agent/src/contract/api.ts';
import { EventChannel } from './channel.ts';
import { type Answer, type Body, partsOf, type RequestOptions, type Transport } from './client.ts';

/** A screenshot of a large screen in base64 is shorter. */
const MAX_LINE_CHARACTERS = 32 * 2 ** 20;
const REQUEST_TIMEOUT_MS = 120_000;
const CLOSE_TIMEOUT_MS = 5000;
/** Maximum size of an upload chunk (docs/api.md: Limits). */
const CHUNK_BYTES = 16 * 1024;

/** What carries the characters. */
export interface SerialLine {
  /** Resolves when more can be written. */
  write(text: string): Promise<void>;
  /** Frees the line. {@link SerialFrames.lost} follows. */
  close(): void | Promise<void>;
}

/** A host on the serial link. Any number of requests may be pending. */
export class SerialFrames extends EventChannel implements Transport {
  readonly carriesEvents = true;
  readonly #line: SerialLine;
  readonly #decoder = new TextDecoder();
  /** Parts of a line whose end has not come. */
  #parts: string[] = [];
  #characters = 0;
  readonly #pending = new Map<string | number, PromiseWithResolvers<Answer>>();
  readonly #closed = Promise.withResolvers<void>();
  #isClosed = false;
  #lastId = 0;

  constructor(line: SerialLine, kept?: { events?: number; others?: number }) {
    super(kept);
    this.#line = line;
  }

  async request(
    method: string,
    path: string,
    { json, raw, timeoutMs = REQUEST_TIMEOUT_MS, signal, onProgress }: RequestOptions = {},
  ): Promise<Answer> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw closedError();
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<Answer>();
    const giveUp = (): void => answer.reject(signal?.reason);
    const late = (): void => {
      const message = `waited ${timeoutMs / 1000} s for the response ${id} on serial${this.context()}`;
      answer.reject(new DOMException(message, 'TimeoutError'));
    };
    const timer = setTimeout(late, timeoutMs);
    signal?.addEventListener('abort', giveUp);
    this.#pending.set(id, answer);
    try {
      const upload = raw === undefined ? {} : { body_b64: '' };
      this.send({ id, type: 'request', method, path: BASE_PATH + path, body: json, ...upload });
      // An answer that comes before the last chunk refuses the upload.
      if (raw !== undefined) await Promise.race([this.#sendChunks(id, raw, onProgress), answer.promise]);
      return await answer.promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      this.#pending.delete(id);
    }
  }

  /** The link itself carries the events. */
  async openChannel(): Promise<this> {
    return this;
  }

  send(frame: object): void {
    void this.write(`${JSON.stringify(frame)}\n`);
  }

  /** Sends raw text. Resolves when more can be written. */
  async write(text: string): Promise<void> {
    if (!this.#isClosed) await this.#line.write(text);
  }

  async close(): Promise<void> {
    if (!this.#isClosed) await this.#line.close();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
    await Promise.race([this.#closed.promise, promise]);
    clearTimeout(timer);
  }

  /** Called with what the line has received. */
  receive(bytes: Uint8Array): void {
    const [first = '', ...rest] = this.#decoder.decode(bytes, { stream: true }).split('\n');
    this.#keep(first);
    for (const part of rest) {
      const line = this.#parts.join('');
      this.#parts = [];
      this.#characters = 0;
      this.#take(line);
      this.#keep(part);
    }
  }

  /** Called when the line has ended. */
  lost(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.end(closedError());
    for (const { promise, reject } of this.#pending.values()) {
      promise.catch(() => undefined);
      reject(closedError());
    }
    this.#closed.resolve();
  }

  #keep(part: string): void {
    this.#parts.push(part);
    this.#characters += part.length;
    if (this.#characters <= MAX_LINE_CHARACTERS) return;
    // No device sends this. What follows could not be understood.
    this.#parts = [];
    void this.close();
  }

  #take(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return; // output of a shell
    }
    if (!isResponse(message)) {
      this.take(message);
      return;
    }
    const { id, status, body, body_b64 = '' } = message;
    this.#pending.get(id)?.resolve({ status, body, bytes: bytesOfBase64(body_b64) });
  }

  async #sendChunks(id: number, body: Body, onProgress: RequestOptions['onProgress']): Promise<void> {
    const { parts, size } = partsOf(body);
    let [seq, sent] = [0, 0];
    const send = async (chunk: Uint8Array, last: boolean): Promise<void> => {
      const frame = { id, type: 'request_chunk', seq: seq++, last, data_b64: base64Of(chunk) };
      await this.write(`${JSON.stringify(frame)}\n`);
      sent += chunk.length;
      onProgress?.(sent, size ?? sent);
    };
    let waiting: Uint8Array | undefined;
    for await (const chunk of inChunks(parts)) {
      if (!this.#pending.has(id)) return; // refused, or given up
      if (waiting) await send(waiting, false);
      waiting = chunk;
    }
    await send(waiting ?? new Uint8Array(), true);
  }
}

interface Response {
  id: string | number;
  status: number;
  body?: unknown;
  body_b64?: string;
}

function isResponse(message: unknown): message is Response {
  if (typeof message !== 'object' || message === null || !('type' in message)) return false;
  if (message.type !== 'response' || !('id' in message) || !('status' in message)) return false;
  const isText = !('body_b64' in message) || typeof message.body_b64 === 'string';
  const isId = typeof message.id === 'string' || typeof message.id === 'number';
  return isId && isText && typeof message.status === 'number';
}

/** The same bytes, in pieces that fit into a frame. All but the last one have the same size. */
async function* inChunks(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = new Uint8Array();
  for await (const part of parts) {
    let bytes = new Uint8Array(rest.length + part.length);
    bytes.set(rest);
    bytes.set(part, rest.length);
    while (bytes.length >= CHUNK_BYTES) {
      yield bytes.subarray(0, CHUNK_BYTES);
      bytes = bytes.subarray(CHUNK_BYTES);
    }
    rest = bytes;
  }
  if (rest.length > 0) yield rest;
}

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

function bytesOfBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function closedError(): Error {
  return new Error('the serial link was closed');
}
