import type { ClientRequest, IncomingMessage } from 'node:http';

/** Largest answer, in bytes: those of the server's API have a few kilobytes. */
const MAX_ANSWER = 1024 * 1024;
/** Most interim answers (status 1xx) before the final one. */
const MAX_INTERIM = 16;

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
 * authorities (system/trust.ts). Always settles within its time limit, which does not depend on events of the request:
 * Node emits none of them after some answers.
 * @throws Error of the system, of TLS, for a timeout, for a connection that ends early or changes its protocol, and for
 *   an answer of more than 1 MiB; the reason of `signal`
 */
export async function exchange(request: HttpRequest): Promise<HttpAnswer> {
  const { method, url, headers, body, timeoutMs, signal } = request;
  signal.throwIfAborted();
  // Loaded with the first use: most devices have no such server.
  const { request: open } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const sent = open(url, {
    method,
    agent: false,
    headers: {
      ...headers,
      'accept-encoding': 'identity',
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    },
  });
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no complete answer in ${timeoutMs / 1000} s`)), timeoutMs);
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([answerOf(sent, body, request.headersOnly ?? false), ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    sent.destroy();
  }
}

/** Sends the request. Rejects if the connection ends without an answer. */
async function answerOf(
  sent: ClientRequest,
  body: string | undefined,
  headersOnly: boolean,
): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  let interim = 0;
  sent.on('error', reject);
  sent.on('response', resolve);
  sent.on('close', () => reject(new Error('the connection was closed without an answer')));
  sent.on('upgrade', (_answer, socket) => {
    socket.destroy();
    reject(new Error('the server switched to another protocol (status 101)'));
  });
  sent.on('information', () => {
    interim += 1;
    if (interim > MAX_INTERIM) reject(new Error(`the server sent more than ${MAX_INTERIM} interim answers`));
  });
  sent.end(body);
  const answer = await promise;
  const text = headersOnly ? '' : await readBody(answer);
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: text };
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
