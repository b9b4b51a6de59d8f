/** HTTP and WebSocket with what browsers have: fetch, XMLHttpRequest for uploads, WebSocket. */
import type { EventFrame } from '../agent/src/contract/topics.ts';
import { EventChannel, isEvent } from './channel.ts';
import type { Answer, RequestOptions, Transport } from './client.ts';

const TIMEOUT_MS = 30_000;
const OPEN_TIMEOUT_MS = 15_000;
/** An upload lasts as long as its bytes need; the device ends one that is too slow. */
const UPLOAD_TIMEOUT_MS = 6 * 60 * 60_000;
/** What a channel keeps for those who wait; a listener gets every frame. */
const KEPT = { events: 50, others: 50 };

/** Called for what arrives on a channel. */
export interface ChannelListener {
  event(event: EventFrame): void;
  /** Any frame has arrived: the connection works. */
  heard(): void;
  /** The connection has ended; nothing follows. */
  end(): void;
}

/** The transport of a page: paths of requests start behind `base`. */
export interface BrowserTransport extends Transport {
  /**
   * Opens the event socket.
   * @param listener gets every frame from the first one on
   * @throws Error when it cannot be opened, or not within 15 s
   */
  openChannel(listener?: ChannelListener): Promise<BrowserChannel>;
}

/**
 * Requests by fetch; uploads by XMLHttpRequest, since fetch does not tell how much was sent.
 * @param base `http://HOST:PORT/api/v1`, of the page's own origin
 */
export function browserTransport(base: string): BrowserTransport {
  return {
    request: (method, path, options = {}) =>
      options.onProgress ? upload(method, base + path, options) : request(method, base + path, options),
    openChannel: (listener) => BrowserChannel.open(`${base.replace(/^http/, 'ws')}/events`, listener),
    close: async () => undefined,
  };
}

/** The event socket. */
export class BrowserChannel extends EventChannel {
  readonly #socket: WebSocket;
  readonly #listener: ChannelListener | undefined;
  readonly #gone: Promise<void>;

  static async open(url: string, listener?: ChannelListener): Promise<BrowserChannel> {
    const channel = new BrowserChannel(new WebSocket(url), listener);
    await channel.#opened();
    return channel;
  }

  private constructor(socket: WebSocket, listener: ChannelListener | undefined) {
    super(KEPT);
    this.#socket = socket;
    this.#listener = listener;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gone = promise;
    socket.addEventListener('message', ({ data }) => this.#receive(data));
    socket.addEventListener('close', ({ code }) => {
      this.end(new Error(`the WebSocket was closed with ${code}`));
      resolve();
      listener?.end();
    });
  }

  send(frame: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  /** A connection whose other end is gone takes up to a minute to close, for which nobody has to wait. */
  async close(): Promise<void> {
    this.#socket.close();
    await this.#gone;
  }

  async #opened(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#socket.addEventListener('open', () => resolve());
    void this.#gone.then(() => reject(new Error('the event socket could not be opened')));
    const timer = setTimeout(() => {
      this.#socket.close();
      reject(new Error(`the event socket did not open within ${OPEN_TIMEOUT_MS / 1000} s`));
    }, OPEN_TIMEOUT_MS);
    await promise.finally(() => clearTimeout(timer));
  }

  #receive(data: unknown): void {
    if (typeof data !== 'string') return;
    const message: unknown = JSON.parse(data);
    this.take(message);
    this.#listener?.heard();
    if (isEvent(message)) this.#listener?.event(message);
  }
}

async function request(
  method: string,
  url: string,
  { json, raw, headers, timeoutMs = TIMEOUT_MS, signal }: RequestOptions,
): Promise<Answer> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const answer = await fetch(url, {
    method,
    cache: 'no-store',
    headers: { ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body: json === undefined ? bodyOf(raw) : JSON.stringify(json),
    signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
  });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  return answerOf(answer.status, answer.headers.get('content-type'), bytes);
}

function upload(
  method: string,
  url: string,
  { raw, headers, timeoutMs = UPLOAD_TIMEOUT_MS, signal, onProgress }: RequestOptions,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const call = new XMLHttpRequest();
  const abort = () => call.abort();
  call.open(method, url);
  call.responseType = 'arraybuffer';
  call.timeout = timeoutMs;
  for (const [name, value] of Object.entries(headers ?? {})) call.setRequestHeader(name, value);
  call.upload.addEventListener('progress', ({ loaded, total }) => onProgress?.(loaded, total));
  call.addEventListener('load', () => {
    const bytes = new Uint8Array(call.response instanceof ArrayBuffer ? call.response : []);
    resolve(answerOf(call.status, call.getResponseHeader('content-type'), bytes));
  });
  call.addEventListener('error', () => reject(new TypeError('the connection was lost during the upload')));
  call.addEventListener('timeout', () =>
    reject(new DOMException('the upload took too long', 'TimeoutError')),
  );
  call.addEventListener('abort', () => reject(new DOMException('the upload was cancelled', 'AbortError')));
  if (signal?.aborted) return Promise.reject(new DOMException('the upload was cancelled', 'AbortError'));
  signal?.addEventListener('abort', abort, { once: true });
  call.send(bodyOf(raw));
  return promise.finally(() => signal?.removeEventListener('abort', abort));
}

/** Browsers send whole bodies only. */
function bodyOf(raw: RequestOptions['raw']): string | Blob | null {
  if (raw === undefined) return null;
  if (typeof raw === 'string' || raw instanceof Blob) return raw;
  if (raw instanceof Uint8Array) return new Blob([new Uint8Array(raw)]);
  throw new TypeError('a browser cannot send a body in chunks');
}

function answerOf(status: number, type: string | null, bytes: Uint8Array): Answer {
  const isJson = /^application\/json\b/.test(type ?? '') && bytes.length > 0;
  return { status, bytes, body: isJson ? JSON.parse(new TextDecoder().decode(bytes)) : undefined };
}
