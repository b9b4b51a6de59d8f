import { type IncomingHttpHeaders, request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const TIMEOUT_MS = 120_000;
const MAX_BODY = 64 * 2 ** 20;

export interface HttpResponse {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  /** The parsed body of a JSON response, else undefined. */
  body: unknown;
}

/** Options of a request. `json` sets the content type; `headers` can override any header. */
export interface HttpOptions {
  json?: unknown;
  /** A stream needs the header content-length. */
  raw?: string | Buffer | Readable;
  headers?: Record<string, string>;
  timeoutMs?: number;
}

/** Sends one request on its own connection, so that a test can send any header and leaves no state behind. */
export async function http(method: string, url: string, options: HttpOptions = {}): Promise<HttpResponse> {
  const payload = options.json === undefined ? options.raw : JSON.stringify(options.json);
  const headers: Record<string, string> = {
    ...(payload === undefined || payload instanceof Readable ? {} : lengthOf(payload)),
  };
  if (options.json !== undefined) headers['content-type'] = 'application/json';
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const call = request(url, {
    method,
    agent: false,
    headers: { ...headers, ...options.headers },
    signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS),
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
  if (payload instanceof Readable) {
    // A device that refuses a body may close the connection before it has read all of it; then the answer counts.
    pipeline(payload, call).catch(reject);
  } else {
    call.end(payload);
  }
  return await promise;
}

function lengthOf(payload: string | Buffer): Record<string, string> {
  return { 'content-length': String(Buffer.byteLength(payload)) };
}
