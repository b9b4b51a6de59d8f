/** HTTP and WebSocket, for Node. */
import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingHttpHeaders, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';
import { withTimeout } from '../agent/src/base/timeout.ts';
import { EventChannel } from './channel.ts';
import { type Answer, partsOf, type RequestOptions, type Transport } from './client.ts';

const TIMEOUT_MS = 120_000;
const OPEN_TIMEOUT_MS = 60_000;
const CLOSE_TIMEOUT_MS = 2000;
const MAX_BODY = 64 * 2 ** 20;

export interface HttpAnswer extends Answer {
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/**
 * Sends one request to any server. It may have any header.
 * @param agent connections to use; by default the request has one of its own, and leaves no state behind
 */
export async function http(
  method: string,
  url: string,
  { json, raw, headers, timeoutMs = TIMEOUT_MS, signal, onProgress }: RequestOptions = {},
  agent?: Agent,
): Promise<HttpAnswer> {
  const payload = json === undefined ? raw : JSON.stringify(json);
  const isWhole = typeof payload === 'string' || payload instanceof Uint8Array;
  const stream = payload === undefined || isWhole ? undefined : partsOf(payload);
  const size = isWhole ? Buffer.byteLength(payload) : stream?.size;
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const deadline = AbortSignal.timeout(timeoutMs);
  const call = (isSecure(url) ? secureRequest : request)(url, {
    method,
    agent: agent ?? false,
    headers: {
      ...(size === undefined ? {} : { 'content-length': size }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
  });
  call.on('error', reject);
  call.on('response', (response) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY) response.destroy(new Error('the body is too large'));
      chunks.push(chunk);
    });
    response.on('error', reject);
    response.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const isJson = /^application\/json\b/.test(response.headers['content-type'] ?? '');
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        bytes,
        body: isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined,
      });
    });
  });
  // A device that refuses a body may close the connection before it has read all of it; then the answer counts.
  if (stream) {
    send(call, stream.parts, (sent) => onProgress?.(sent, size ?? sent)).catch((error: unknown) => {
      reject(error);
      // Otherwise the connection would wait for the rest, and with it the next request.
      call.destroy();
    });
  } else call.end(payload);
  return await promise;
}

/**
 * Sends a body. The next part is asked for when the system has taken the one before.
 * @param onSent called with the bytes that were sent
 */
async function send(
  call: ClientRequest,
  parts: AsyncIterable<Uint8Array>,
  onSent: (sent: number) => void,
): Promise<void> {
  const closed = once(call, 'close').then(() => {
    throw new Error('the connection was closed before the body was sent');
  });
  closed.catch(() => undefined);
  const write = promisify((part: Uint8Array, done: (error?: Error | null) => void) => call.write(part, done));
  let sent = 0;
  for await (const part of parts) {
    await Promise.race([write(part), closed]);
    sent += part.length;
    onSent(sent);
  }
  call.end();
}

function isSecure(url: string): boolean {
  return /^https:/i.test(url);
}

/**
 * Requests over HTTP, and events over a WebSocket.
 * @param base `http://HOST:PORT/api/v1`
 * @param keepAlive whether requests share connections, as those of a browser do
 */
export function httpTransport(base: string, { keepAlive = false } = {}): Transport<HttpAnswer> {
  const connections = { keepAlive, maxSockets: 1 };
  const shared = isSecure(base) ? new SecureAgent(connections) : new Agent(connections);
  const agent = keepAlive ? shared : undefined;
  return {
    request: (method, path, options) => http(method, base + path, options, agent),
    openChannel: () => openSocket(`${base.replace(/^http/, 'ws')}/events`),
    close: async () => agent?.destroy(),
  };
}

/** A WebSocket to `/events`. */
export class SocketChannel extends EventChannel {
  readonly socket: WebSocket;
  /** The close code, once the device or the network has closed it. */
  closed: number | undefined;

  /** @param socket not yet open */
  constructor(socket: WebSocket) {
    super();
    this.socket = socket;
    socket.on('message', (data) => this.take(JSON.parse(String(data))));
    socket.on('error', () => undefined);
    socket.on('close', (code) => {
      this.closed = code;
      this.end(new Error(`the WebSocket was closed with ${code}`));
    });
  }

  send(frame: object): void {
    this.socket.send(JSON.stringify(frame));
  }

  async close(): Promise<void> {
    if (this.closed !== undefined) return;
    const gone = once(this.socket, 'close');
    this.socket.close();
    await withTimeout(gone, CLOSE_TIMEOUT_MS).catch(() => this.socket.terminate());
  }
}

/**
 * Opens a WebSocket.
 * @throws Error with the status when the device refuses the upgrade
 */
export async function openSocket(url: string, headers: Record<string, string> = {}): Promise<SocketChannel> {
  const socket = new WebSocket(url, { headers, handshakeTimeout: OPEN_TIMEOUT_MS });
  const channel = new SocketChannel(socket);
  await once(socket, 'open');
  return channel;
}
