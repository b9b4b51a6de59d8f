/** The serial link: frames of JSON, one a line, over a tty of this computer or the unix socket of a virtual device. */
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { SerialPort } from 'serialport';
import * as Type from 'typebox';
import { Value } from 'typebox/value';
import { LineSplitter } from '../agent/src/base/line-splitter.ts';
import { errorMessage } from '../agent/src/base/system-error.ts';
import { withTimeout } from '../agent/src/base/timeout.ts';
import { BASE_PATH } from '../agent/src/contract/api.ts';
import { EventChannel } from './channel.ts';
import type { Answer, Body, RequestOptions, Transport } from './client.ts';

const MAX_LINE_BYTES = 32 * 2 ** 20;
const TEXT_KEPT = 256 * 1024;
const REQUEST_TIMEOUT_MS = 120_000;
const OPEN_TIMEOUT_MS = 5000;
const CLOSE_TIMEOUT_MS = 5000;
/** Maximum size of an upload chunk (interface: Limits). */
const CHUNK_BYTES = 16 * 1024;

const Response = Type.Object({
  id: Type.Union([Type.String(), Type.Number()]),
  type: Type.Literal('response'),
  status: Type.Integer(),
  body: Type.Optional(Type.Unknown()),
  body_b64: Type.Optional(Type.String()),
});

export interface SerialAnswer extends Answer {
  bytes: Buffer;
}

/** A host on the serial link. Any number of requests may be pending. */
export class SerialChannel extends EventChannel implements Transport<SerialAnswer> {
  /** The last 256 KiB of the received bytes: also what is not JSON, the output of a root shell. */
  text = '';
  readonly #stream: Duplex;
  readonly #disconnect: () => void;
  readonly #lines = new LineSplitter(MAX_LINE_BYTES);
  readonly #pending = new Map<string | number, PromiseWithResolvers<SerialAnswer>>();
  readonly #closed = Promise.withResolvers<void>();
  #isClosed = false;
  #lastId = 0;

  /** @param stream the open link @param disconnect closes it */
  constructor(stream: Duplex, disconnect: () => void = () => void stream.destroy()) {
    super();
    this.#stream = stream;
    this.#disconnect = disconnect;
    stream.on('data', (chunk: Buffer) => this.#receive(chunk));
    stream.on('error', () => undefined);
    stream.on('close', () => this.#ended());
  }

  async request(
    method: string,
    path: string,
    { json, raw, timeoutMs = REQUEST_TIMEOUT_MS, signal }: RequestOptions = {},
  ): Promise<SerialAnswer> {
    const body = raw === undefined ? undefined : await bytesOf(raw);
    signal?.throwIfAborted();
    if (this.#isClosed) throw closedError();
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<SerialAnswer>();
    const giveUp = (): void => answer.reject(signal?.reason);
    const late = (): Error =>
      new Error(`waited ${timeoutMs / 1000} s for the response ${id} on serial${this.context()}`);
    signal?.addEventListener('abort', giveUp);
    this.#pending.set(id, answer);
    try {
      const upload = body && { body_b64: '' };
      this.send({ id, type: 'request', method, path: BASE_PATH + path, body: json, ...upload });
      if (body) this.#sendChunks(id, body);
      return await withTimeout(answer.promise, timeoutMs, late);
    } finally {
      signal?.removeEventListener('abort', giveUp);
      this.#pending.delete(id);
    }
  }

  /** Sends a body (interface: Serial transport, binary uploads). */
  #sendChunks(id: number, body: Buffer): void {
    for (let seq = 0, at = 0; seq === 0 || at < body.length; seq++, at += CHUNK_BYTES) {
      const data_b64 = body.toString('base64', at, at + CHUNK_BYTES);
      this.send({ id, type: 'request_chunk', seq, last: at + CHUNK_BYTES >= body.length, data_b64 });
    }
  }

  /** The link itself carries the events. */
  async openChannel(): Promise<this> {
    return this;
  }

  send(frame: object): void {
    this.write(`${JSON.stringify(frame)}\n`);
  }

  /** Sends raw text. */
  write(text: string): void {
    this.#stream.write(text);
  }

  async close(): Promise<void> {
    if (!this.#isClosed) this.#disconnect();
    await withTimeout(this.#closed.promise, CLOSE_TIMEOUT_MS).catch(() => undefined);
  }

  protected override context(): string {
    return `; the last received is ${JSON.stringify(this.text.slice(-300))}`;
  }

  #ended(): void {
    this.#isClosed = true;
    this.end(closedError());
    for (const { reject } of this.#pending.values()) reject(closedError());
    this.#closed.resolve();
  }

  #receive(chunk: Buffer): void {
    this.text = (this.text + chunk.toString('latin1')).slice(-TEXT_KEPT);
    this.#lines.forEach(chunk, (line) => this.#line(line.toString()));
    if (this.#lines.overlong > 0) throw new Error(`the device sent a line over ${MAX_LINE_BYTES} bytes`);
  }

  #line(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return; // output of a shell, available in `text`
    }
    if (Value.Check(Response, message)) {
      const { id, status, body, body_b64 = '' } = message;
      this.#pending.get(id)?.resolve({ status, body, bytes: Buffer.from(body_b64, 'base64') });
    } else this.take(message);
  }
}

async function bytesOf(body: Body): Promise<Buffer> {
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body);
  return body instanceof Blob ? Buffer.from(await body.bytes()) : await buffer(body);
}

function closedError(): Error {
  return new Error('the serial link was closed');
}

/**
 * Opens a serial link. @param path a tty, or a unix socket
 * @throws Error when it does not exist, or another program uses the tty
 */
export async function openSerial(path: string): Promise<SerialChannel> {
  if (!(await stat(path)).isSocket()) {
    const port = await openTty(path);
    return new SerialChannel(port, () => port.close());
  }
  const socket = connect(path);
  await withTimeout(once(socket, 'connect'), OPEN_TIMEOUT_MS).catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
  return new SerialChannel(socket);
}

/** Opens a tty in raw mode, for this process only. */
export async function openTty(path: string): Promise<SerialPort> {
  // The line's speed has no effect on USB.
  const port = new SerialPort({ path, baudRate: 115_200, autoOpen: false });
  const opened = Promise.withResolvers<void>();
  port.open((error) => (error ? opened.reject(error) : opened.resolve()));
  const late = (): Error => new Error(`waited ${OPEN_TIMEOUT_MS / 1000} s for ${path} to open`);
  await withTimeout(opened.promise, OPEN_TIMEOUT_MS, late).catch((error: unknown) => {
    throw new Error(`${path} cannot be opened: ${errorMessage(error)}`);
  });
  return port;
}
