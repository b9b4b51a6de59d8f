import type { Duplex } from 'node:stream';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { LineSplitter } from '../../agent/src/base/line-splitter.ts';
import { waitFor } from '../../testing/wait.ts';
import { connectUnix } from '../lib/unix-socket.ts';
import { asEvent, EventLog, field } from './events.ts';

const MAX_LINE_BYTES = 32 * 2 ** 20;
const TEXT_KEPT = 256 * 1024;
const REQUEST_TIMEOUT_MS = 120_000;
const FRAME_TIMEOUT_MS = 90_000;
/** Maximum size of an upload chunk (interface: Limits). */
const CHUNK_BYTES = 16 * 1024;

const Response = Type.Object({
  id: Type.Union([Type.String(), Type.Number()]),
  type: Type.Literal('response'),
  status: Type.Integer(),
  body: Type.Optional(Type.Unknown()),
  body_b64: Type.Optional(Type.String()),
});

/** A response frame's content (interface: Serial transport). */
export interface SerialResponse {
  status: number;
  body?: unknown;
  body_b64?: string;
}

/**
 * A host on the serial link: sends lines and stores received ones. Frames are sorted into responses by id, events and
 * others. Lines that are not JSON (the output of a root shell) are only in `text`.
 */
export class SerialClient {
  readonly events = new EventLog();
  /** Frames that are neither responses nor events: hello, errors, acknowledgements. */
  readonly others: unknown[] = [];
  /** The last 256 KiB of the received bytes. */
  text = '';
  closed = false;
  readonly #socket: Duplex;
  readonly #lines = new LineSplitter(MAX_LINE_BYTES);
  readonly #responses = new Map<string | number, SerialResponse>();
  #lastId = 0;

  /** Connects to the machine's unix socket of the link. */
  static async connect(path: string): Promise<SerialClient> {
    return new SerialClient(await connectUnix(path));
  }

  /** @param socket the open link: a unix socket or a serial port */
  constructor(socket: Duplex) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed = true;
    });
  }

  /** Sends a request and returns its id. Any number of requests may be pending. */
  send(method: string, path: string, body?: unknown): number {
    const id = ++this.#lastId;
    this.write(`${JSON.stringify({ id, type: 'request', method, path, body })}\n`);
    return id;
  }

  /** Sends raw text. */
  write(text: string): void {
    this.#socket.write(text);
  }

  async response(id: string | number, timeoutMs = REQUEST_TIMEOUT_MS): Promise<SerialResponse> {
    const found = await waitFor(() => this.#responses.get(id) ?? (this.closed && 'closed'), {
      timeoutMs,
      what: `the response ${id} on serial; the last received is ${JSON.stringify(this.text.slice(-300))}`,
      intervalMs: 5,
    });
    if (found === 'closed') throw new Error(`the serial link was closed before the response ${id}`);
    this.#responses.delete(id);
    return found;
  }

  async request(method: string, path: string, body?: unknown): Promise<SerialResponse> {
    return await this.response(this.send(method, path, body));
  }

  /** Sends a body in chunks (interface: Serial transport, binary uploads) and returns the response. */
  async upload(method: string, path: string, body: Buffer): Promise<SerialResponse> {
    const id = ++this.#lastId;
    this.write(`${JSON.stringify({ id, type: 'request', method, path, body_b64: '' })}\n`);
    for (let seq = 0, at = 0; seq === 0 || at < body.length; seq++, at += CHUNK_BYTES) {
      const data_b64 = body.toString('base64', at, at + CHUNK_BYTES);
      const last = at + CHUNK_BYTES >= body.length;
      this.write(`${JSON.stringify({ id, type: 'request_chunk', seq, last, data_b64 })}\n`);
    }
    return await this.response(id);
  }

  /** The position after the last frame of `others` so far. */
  get mark(): number {
    return this.others.length;
  }

  /** The first frame of a type that is neither response nor event, since `mark`; waits for it. */
  async frame(type: string, mark = 0, timeoutMs = FRAME_TIMEOUT_MS): Promise<unknown> {
    return await waitFor(() => this.others.slice(mark).find((frame) => field(frame, 'type') === type), {
      timeoutMs,
      what: `a ${type} frame on serial; the last received is ${JSON.stringify(this.text.slice(-300))}`,
      intervalMs: 20,
    });
  }

  async subscribe(...topics: string[]): Promise<void> {
    const mark = this.mark;
    this.write(`${JSON.stringify({ type: 'subscribe', topics })}\n`);
    await this.frame('subscribed', mark);
  }

  /** Waits until what was received since it was last cleared matches. */
  async expectText(pattern: RegExp, timeoutMs = FRAME_TIMEOUT_MS): Promise<void> {
    await waitFor(() => pattern.test(this.text), {
      timeoutMs,
      what: `${pattern} on serial; the last received is ${JSON.stringify(this.text.slice(-300))}`,
      intervalMs: 20,
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
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
    const event = asEvent(message);
    if (event) this.events.push(event);
    else if (Value.Check(Response, message)) {
      const { id, type, ...response } = message;
      this.#responses.set(id, response);
    } else if (typeof message === 'object' && message !== null) this.others.push(message);
  }
}
