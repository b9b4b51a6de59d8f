/** A TLS connection in memory, to find out whether clients accept a certificate before it is used. */
import { duplexPair } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import { errorCode, errorMessage } from '../base/system-error.ts';
import { withTimeout } from '../base/timeout.ts';
import { ApiError } from '../contract/errors.ts';

/** A handshake with a key of 8192 bits takes a second on a slow board. */
const HANDSHAKE_MS = 10_000;
/** What OpenSSL 3 and Debian use by default: no SHA-1, RSA from 2048 bits on. */
const SECURITY_LEVEL = '@SECLEVEL=2';

export interface TrialClient {
  /** PEM of the certificates that the client trusts. */
  trusted: readonly string[];
  /** The name or address that it asks for. */
  host: string;
}

/**
 * Connects a client to a server in memory, with TLS 1.3 and with TLS 1.2. Certificates that are not valid yet pass: the
 * device's clock may be behind.
 * @throws ApiError `bad_request` with the client's reason
 */
export async function tryHandshake(server: SecureContextOptions, client: TrialClient): Promise<void> {
  for (const version of ['TLSv1.3', 'TLSv1.2'] as const) {
    try {
      await connect(server, client, version);
    } catch (error) {
      if (errorCode(error) === 'CERT_NOT_YET_VALID') continue;
      throw new ApiError('bad_request', `Clients refuse the certificate: ${errorMessage(error)}.`);
    }
  }
}

async function connect(
  { ciphers, ...server }: SecureContextOptions,
  { trusted, host }: TrialClient,
  version: 'TLSv1.2' | 'TLSv1.3',
): Promise<void> {
  const { connect: connectTls, createSecureContext, TLSSocket } = process.getBuiltinModule('node:tls');
  const [near, far] = duplexPair();
  const level = `${ciphers}:${SECURITY_LEVEL}`;
  const secureContext = createSecureContext({ ...server, ciphers: level });
  const accepted = new TLSSocket(far, { isServer: true, secureContext });
  const isAddress = process.getBuiltinModule('node:net').isIP(host) !== 0;
  const socket = connectTls({
    socket: near,
    host,
    servername: isAddress ? '' : host,
    ca: [...trusted],
    // The root may be outside of the chain, on the clients.
    allowPartialTrustChain: true,
    ciphers: level,
    minVersion: version,
    maxVersion: version,
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // The client's reason counts; the server only sees an alert.
  accepted.on('error', () => undefined);
  socket
    .once('secureConnect', resolve)
    .on('error', reject)
    .once('close', () => reject(new Error('it is closed')));
  try {
    await withTimeout(promise, HANDSHAKE_MS);
  } finally {
    socket.destroy();
    accepted.destroy();
    near.destroy();
    far.destroy();
  }
}
