import type { IncomingMessage } from 'node:http';

/** Largest answer, in bytes: those of the interface have a few kilobytes. */
const MAX_ANSWER = 1024 * 1024;

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT';
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** For the whole exchange, in ms. */
  timeoutMs: number;
  signal: AbortSignal;
  /** Whether the body of the answer is of no interest and is not read. */
  headersOnly?: boolean;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

/**
 * One HTTP exchange over a connection of its own. Redirects are answers like any other. TLS trusts the agent's
 * authorities (system/trust.ts).
 * @throws Error of the system, of TLS, for a timeout, and for an answer of more than 1 MiB
 */
export async function exchange(request: HttpRequest): Promise<HttpAnswer> {
  const { method, url, headers, body, timeoutMs, headersOnly } = request;
  // Loaded with the first use: most devices have no such server.
  const { request: open } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([timeout, request.signal]);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = open(url, {
    method,
    agent: false,
    signal,
    headers: {
      ...headers,
      'accept-encoding': 'identity',
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    },
  });
  sent.on('error', reject);
  sent.on('response', resolve);
  sent.end(body);
  try {
    const answer = await promise;
    const text = headersOnly ? '' : await readBody(answer);
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: text };
  } catch (error) {
    if (timeout.aborted) throw new Error(`no complete answer in ${timeoutMs / 1000} s`);
    throw error;
  } finally {
    sent.destroy();
  }
}

async function readBody(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer) {
    size += part.length;
    if (size > MAX_ANSWER) throw new Error(`the answer has more than ${MAX_ANSWER} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
