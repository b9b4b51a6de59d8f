import type { Readable } from 'node:stream';
import { ApiError } from './errors.ts';

/**
 * Collects a small binary body.
 * @param maxBytes limit of the endpoint's `upload`
 * @throws ApiError `payload_too_large` as soon as more bytes arrive; `bad_request` when the body ends early
 */
export async function collectBody(body: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    // Destroying the request would close its connection before the answer; the link reads and drops the rest.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError('the body is not a stream of bytes');
      bytes += chunk.length;
      if (bytes > maxBytes) {
        const message = `The body may have ${maxBytes} bytes at most.`;
        throw new ApiError('payload_too_large', message, { max_bytes: maxBytes });
      }
      chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    }
  } catch (error) {
    if (error instanceof ApiError || error instanceof TypeError) throw error;
    throw new ApiError('bad_request', 'The body broke off before its end.');
  }
  return Buffer.concat(chunks);
}
