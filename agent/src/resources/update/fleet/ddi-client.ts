import { errorMessage } from '../../../base/system-error.ts';
import { chooseLink, isUsable, revealsToken } from './artifact.ts';
import {
  type Artifact,
  type Deployment,
  InvalidAnswer,
  type Poll,
  readCancel,
  readDeployment,
  readPoll,
} from './ddi-messages.ts';
import type { DdiServer } from './ddi-server.ts';
import { feedbackOf } from './feedback.ts';
import type { DdiRequest, Failure, FailureKind, InstallFailure } from './fleet-state.ts';
import { exchange, type HttpAnswer } from './http-exchange.ts';
import type { BundleSource } from './ports.ts';

/** How often the request for a bundle may be redirected. */
const MAX_REDIRECTS = 3;
/** The server does not know the action, or it is closed there. */
const GONE = [404, 410];

export interface DdiClientOptions {
  server: DdiServer;
  /** What the server is told about the device. */
  attributes: () => Promise<Record<string, string>>;
  timeoutMs: number;
  signal: AbortSignal;
}

/** What the server answers to a request. */
export type DdiReply =
  | { kind: 'poll'; poll: Poll }
  | { kind: 'deployment'; deployment: Deployment }
  | { kind: 'cancel'; id: string }
  | { kind: 'taken' };

export class DdiFailure extends Error {
  readonly failure: Failure;

  constructor(kind: FailureKind, message: string, retryAfterMs?: number) {
    super(message);
    this.failure = retryAfterMs === undefined ? { kind, message } : { kind, message, retryAfterMs };
  }
}

/** Why no bundle is found now. */
export class BundleFailure extends Error {
  readonly kind: InstallFailure;
  readonly retryAfterMs: number | undefined;

  constructor(kind: InstallFailure, message: string, retryAfterMs?: number) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * The device's side of hawkBit's Direct Device Integration API, as hawkBit and gooseBit speak it. The token is sent to
 * the configured origin only; redirects are not followed with it.
 */
export class DdiClient {
  readonly #options: DdiClientOptions;
  readonly #server: URL;
  /** Address of this device's resources. */
  readonly #base: string;

  constructor(options: DdiClientOptions) {
    this.#options = options;
    const { url, tenant, controllerId } = options.server;
    this.#server = new URL(url);
    const path = [tenant, 'controller', 'v1', controllerId].map(encodeURIComponent).join('/');
    this.#base = `${url.replace(/\/+$/, '')}/${path}`;
  }

  /** @throws DdiFailure */
  async perform(request: DdiRequest): Promise<DdiReply> {
    switch (request.kind) {
      case 'poll':
        return { kind: 'poll', poll: this.#requireNoToken(readPoll(await this.#json(''))) };
      case 'read_deployment': {
        const { id } = request;
        return {
          kind: 'deployment',
          deployment: readDeployment(await this.#json(`/deploymentBase/${id}`), id),
        };
      }
      case 'read_cancel':
        return { kind: 'cancel', id: readCancel(await this.#json(`/cancelAction/${request.id}`)) };
      case 'send_attributes':
        await this.#send('PUT', '/configData', { mode: 'merge', data: await this.#options.attributes() });
        return { kind: 'taken' };
      default: {
        const { path, body } = feedbackOf(request, Date.now());
        await this.#send('POST', path, body);
        return { kind: 'taken' };
      }
    }
  }

  /** Ids are logged and shown. @throws InvalidAnswer */
  #requireNoToken(poll: Poll): Poll {
    const token = this.#options.server.token?.value;
    if ([poll.offer, poll.cancel].some((id) => revealsToken(id ?? '', token))) {
      throw new InvalidAnswer('an id contains the token');
    }
    return poll;
  }

  /**
   * Finds the bundle, and checks that it can be streamed: its size is the announced one, and its server knows ranges.
   * Redirects are resolved here: RAUC would send the token to wherever they lead.
   * @param tlsCa see {@link BundleSource}
   * @throws BundleFailure `final` when this bundle can never be installed; `again` for every answer that may come from
   *   somebody else, for example from the sign-in page of a network
   */
  async findBundle(artifact: Artifact, reference: string, tlsCa: string | undefined): Promise<BundleSource> {
    const link = chooseLink(artifact, this.#server, this.#options.server.token?.value);
    if (typeof link === 'string') throw new BundleFailure('final', link);
    const url = await this.#resolveBundle(link, artifact.size).catch((error: unknown) => {
      throw error instanceof BundleFailure ? error : bundleFailureOf(failureOf(error));
    });
    const { authorization } = this.#authorization(url);
    return {
      url: url.href,
      headers: authorization === undefined ? [] : [`Authorization: ${authorization}`],
      reference,
      ...(tlsCa === undefined ? {} : { tlsCa }),
    };
  }

  /** @returns where the redirects from an address end */
  async #resolveBundle(from: URL, size: number): Promise<URL> {
    let url = from;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const headers = { range: 'bytes=0-0', ...this.#authorization(url) };
      const answer = await this.#exchange({ method: 'GET', url, headers, headersOnly: true });
      const { location, 'content-range': range } = answer.headers;
      if (answer.status >= 300 && answer.status < 400 && location !== undefined) {
        url = this.#redirected(url, location);
        continue;
      }
      requireOk(answer, url);
      if (answer.status !== 206) {
        if (Number(answer.headers['content-length']) !== size) {
          throw new BundleFailure('again', `${url.host} answered something else than the bundle.`);
        }
        const message = `${url.host} does not send parts of the bundle (HTTP ranges).`;
        throw new BundleFailure('doubtful', message);
      }
      if (range !== `bytes 0-0/${size}`) {
        const message = `The bundle at ${url.host} does not have the announced size of ${size} bytes.`;
        throw new BundleFailure('doubtful', message);
      }
      return url;
    }
    throw new BundleFailure('again', `${from.host} redirects more than ${MAX_REDIRECTS} times.`);
  }

  /** Where a redirect leads. Never downgrades to HTTP. */
  #redirected(from: URL, location: string): URL {
    const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
    if (to && isUsable(to, from) && !revealsToken(to.href, this.#options.server.token?.value)) return to;
    throw new BundleFailure('again', `${from.host} redirects to an address that is not allowed.`);
  }

  /** The token, for the configured server only. */
  #authorization({ origin }: URL): { authorization?: string } {
    const { token } = this.#options.server;
    return token && origin === this.#server.origin ? { authorization: `${token.kind} ${token.value}` } : {};
  }

  async #json(path: string): Promise<unknown> {
    const url = new URL(this.#base + path);
    const headers = { accept: 'application/json, application/hal+json', ...this.#authorization(url) };
    const answer = await this.#exchange({ method: 'GET', url, headers });
    requireOk(answer, url);
    try {
      return JSON.parse(answer.body);
    } catch {
      throw new DdiFailure('invalid_answer', `${url.host} answered no JSON.`);
    }
  }

  async #send(method: 'POST' | 'PUT', path: string, body: unknown): Promise<void> {
    const url = new URL(this.#base + path);
    const headers = { accept: 'application/json', ...this.#authorization(url) };
    requireOk(await this.#exchange({ method, url, headers, body: JSON.stringify(body) }), url);
  }

  async #exchange(
    request: Pick<Parameters<typeof exchange>[0], 'method' | 'url' | 'headers' | 'body' | 'headersOnly'>,
  ): Promise<HttpAnswer> {
    const { timeoutMs, signal } = this.#options;
    try {
      return await exchange({ ...request, timeoutMs, signal });
    } catch (error) {
      throw new DdiFailure('network', `${request.url.host} cannot be reached: ${errorMessage(error)}`);
    }
  }
}

/** The failure in whatever was thrown. */
export function failureOf(error: unknown): Failure {
  if (error instanceof DdiFailure) return error.failure;
  if (error instanceof InvalidAnswer) {
    return { kind: 'invalid_answer', message: `The server's answer is not understood: ${error.message}` };
  }
  return { kind: 'network', message: errorMessage(error) };
}

function bundleFailureOf({ kind, message, retryAfterMs }: Failure): BundleFailure {
  const isPerBundle = kind === 'gone' || kind === 'refused' || kind === 'unauthorized';
  return new BundleFailure(isPerBundle ? 'doubtful' : 'again', message, retryAfterMs);
}

/** What the server says is not quoted: it may contain the token. */
function requireOk({ status, headers }: HttpAnswer, { host }: URL): void {
  if (status >= 200 && status < 300) return;
  const said = `${host} answered ${status}`;
  if (status === 401) {
    throw new DdiFailure('unauthorized', `${said}: the token or the name of this device is not accepted.`);
  }
  if (GONE.includes(status)) throw new DdiFailure('gone', `${said}.`);
  if (status === 429 || status >= 500) {
    throw new DdiFailure('server_error', `${said}.`, retryAfter(headers));
  }
  if (status >= 300 && status < 400) {
    throw new DdiFailure(
      'invalid_answer',
      `${said}: redirects are not followed; configure the final address.`,
    );
  }
  throw new DdiFailure('refused', `${said}.`);
}

/** Seconds, or a date; compared with the server's own, since clocks may differ. */
function retryAfter({ 'retry-after': after = '', date = '' }: HttpAnswer['headers']): number | undefined {
  const ms = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.parse(date);
  return ms >= 0 ? ms : undefined;
}
