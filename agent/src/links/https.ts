/** The HTTPS link: the same app, while the device has a certificate. */

import type { RequestListener } from 'node:http';
import type { Server, ServerOptions } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../base/logger.ts';
import { errorMessage } from '../base/system-error.ts';
import { ApiError } from '../contract/errors.ts';
import { type HttpAddress, type HttpLink, listenAll, type Upgrade, WebServer } from './http.ts';
import { refusePlainHttp } from './plain-http.ts';
import { type TrialClient, tryHandshake } from './tls-trial.ts';

/** TLS 1.2 with forward secrecy and authenticated encryption only, which TLS 1.3 always has. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');
/** How long the TLS handshake may take, in ms. */
const HANDSHAKE_MS = 10_000;

/** PEM of the certificate with its chain, and of its key. */
export interface HttpsIdentity {
  cert: string;
  key: string;
}

export interface HttpsLinkOptions {
  addresses: readonly HttpAddress[];
  log: Logger;
}

/** The app over HTTPS on every address. Node's TLS is loaded with the first certificate, to save memory without one. */
export class HttpsLink {
  readonly #options: HttpsLinkOptions;
  #served: { app: FastifyInstance; upgrade: Upgrade | undefined } | undefined;
  #link: HttpLink<Server> | undefined;
  /** Settles when every link that was shut is closed. */
  #closing: Promise<unknown> = Promise.resolve();

  constructor(options: HttpsLinkOptions) {
    this.#options = options;
  }

  /** Addresses that it listens on, as `https://host:port`; empty without a certificate. */
  get addresses(): readonly string[] {
    return this.#link?.addresses ?? [];
  }

  /** Says what is served; call before {@link apply}. */
  serve(app: FastifyInstance, upgrade?: Upgrade): void {
    this.#served = { app, upgrade };
  }

  /**
   * Whether clients accept the certificate; the port and the served certificate stay as they are.
   * @throws ApiError `bad_request` with the reason
   */
  async check(identity: HttpsIdentity, client: TrialClient): Promise<void> {
    await tryHandshake(contextOf(identity), client);
  }

  /**
   * Uses this certificate for new connections; existing ones keep theirs. Without a certificate, stops listening and
   * lets requests in progress end within 1.5 s. Calls must not overlap.
   * @throws ApiError `bad_request` when TLS rejects the certificate, `unavailable` when an address is not available;
   *   the previous certificate stays in use then
   */
  async apply(identity: HttpsIdentity | undefined): Promise<void> {
    if (!identity) {
      this.#shut();
    } else if (this.#link) {
      const context = contextOf(identity);
      for (const server of this.#link.servers) server.setSecureContext(context);
      this.#options.log.info('HTTPS has a new certificate');
    } else {
      await this.#open(contextOf(identity));
    }
  }

  /** Resolves within 2 s. */
  async close(): Promise<void> {
    this.#shut();
    await this.#closing;
  }

  async #open(context: SecureContextOptions): Promise<void> {
    const { addresses, log } = this.#options;
    if (!this.#served) throw new Error('HTTPS has nothing to serve');
    const { app, upgrade } = this.#served;
    const { createServer } = process.getBuiltinModule('node:https');
    const tls: ServerOptions = { ...context, handshakeTimeout: HANDSHAKE_MS, ALPNProtocols: ['http/1.1'] };
    await app.ready();
    const create = (options: ServerOptions, answer: RequestListener) => {
      const server = createServer({ ...options, ...tls }, answer);
      refusePlainHttp(server, HANDSHAKE_MS);
      return server;
    };
    try {
      this.#link = await listenAll(addresses, () => new WebServer('https', create, app.routing, upgrade));
    } catch (error) {
      const why = errorMessage(error);
      throw new ApiError('unavailable', `HTTPS has no port to listen on: ${why}.`);
    }
    log.info({ addresses: this.#link.addresses }, 'HTTPS is up');
  }

  #shut(): void {
    if (!this.#link) return;
    this.#closing = Promise.all([this.#closing, this.#link.close()]);
    this.#link = undefined;
    this.#options.log.info('HTTPS is off');
  }
}

function contextOf({ cert, key }: HttpsIdentity): SecureContextOptions {
  const context: SecureContextOptions = { cert, key, ciphers: CIPHERS, minVersion: 'TLSv1.2' };
  try {
    process.getBuiltinModule('node:tls').createSecureContext(context);
  } catch (error) {
    // OpenSSL's reason (`ee key too small`), which contains nothing of the certificate or key.
    const reason = error instanceof Error && 'reason' in error ? error.reason : undefined;
    const why = typeof reason === 'string' ? `: ${reason}` : '';
    throw new ApiError('bad_request', `TLS rejects the certificate${why}.`);
  }
  return context;
}
