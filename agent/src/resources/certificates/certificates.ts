import { X509Certificate } from 'node:crypto';
import { truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  makeFolder,
  removeFile,
  sweepTemporaryFiles,
  syncFolder,
  writeFileAtomic,
} from '../../base/atomic-file.ts';
import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/mutex.ts';
import { NotRegularError, readRegularFile } from '../../base/regular-file.ts';
import { errorCode } from '../../base/system-error.ts';
import { ApiError } from '../../contract/errors.ts';
import { readCaCertificates } from './ca-certificates.ts';
import { hostOf, requireClientRules } from './client-rules.ts';
import { describeCertificate } from './describe.ts';
import type { PlacedCertificate } from './pem.ts';
import { MAX_PEM_BYTES, type StoredCertificates } from './schema.ts';
import { readServerIdentity, type ServerIdentity } from './server-identity.ts';

/** A server's identity, and a client that trusts its roots and asks for a host that it is valid for. */
export interface TrialClient {
  /** PEM of the certificates that the client trusts. */
  trusted: readonly string[];
  /** A name or an address. */
  host: string;
}

/** The HTTPS link. */
export interface Https {
  /**
   * Connects to a server with this certificate, in memory, as current clients do.
   * @throws ApiError `bad_request` when TLS refuses the certificate
   */
  check(identity: ServerIdentity, client: TrialClient): Promise<void>;
  /**
   * Serves HTTPS with this certificate from now on; undefined stops HTTPS.
   * @throws ApiError `bad_request` when TLS refuses the certificate, `unavailable` when no address can be used; the
   *   previous certificate is then still served
   */
  apply(identity: ServerIdentity | undefined): Promise<void>;
}

/** The authorities that the agent's own TLS clients trust. */
export interface Trust {
  /** @param certificates PEM of each authority to trust besides the built-in ones */
  apply(certificates: readonly string[]): void;
}

export interface CertificatesOptions {
  /** Holds `ca.pem`, which the browser's start script also reads, and `server.pem`. */
  folder: string;
  https: Https;
  trust: Trust;
  /** Called after `ca.pem` has changed: restarts the browser, which reads it at its start. */
  trustChanged: () => void;
  /** Called after uploaded certificates were replaced or removed. */
  changed: (kind: 'ca' | 'server') => void;
  log: Logger;
}

/** The server's key is in one of the files. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * The uploaded certificates: the CA certificates that are trusted, and the certificate and key of HTTPS. Changes are made
 * one at a time and are on the disk when they resolve.
 */
export class Certificates {
  readonly #options: CertificatesOptions;
  readonly #caFile: string;
  readonly #serverFile: string;
  readonly #mutex = new Mutex();
  /** PEM of each CA certificate in use. */
  #ca: readonly string[] = [];
  #server: ServerIdentity | undefined;
  /** Why clients refuse the served certificate, which an earlier version has stored: a sentence. */
  #refused: string | undefined;
  /** Why stored certificates are not used, as sentences. */
  readonly #problems = new Map<'ca' | 'server', string>();

  constructor(options: CertificatesOptions) {
    this.#options = options;
    this.#caFile = join(options.folder, 'ca.pem');
    this.#serverFile = join(options.folder, 'server.pem');
  }

  /** Applies the stored certificates. Never fails: `problems` names those that could not be used. */
  start(): Promise<void> {
    return this.#mutex.run(async () => {
      // An interrupted write may have left a key.
      await sweepTemporaryFiles(this.#options.folder);
      await this.#startCa();
      await this.#startServer();
    });
  }

  /** What an operator should know, as sentences. */
  problems(): string[] {
    const problems = [...this.#problems.values()];
    if (this.#refused) problems.push(this.#refused);
    for (const [index, { x509 }] of this.#server?.chain.entries() ?? []) {
      if (x509.validToDate.getTime() >= Date.now()) continue;
      const what = index === 0 ? 'The certificate of HTTPS' : 'A certificate in the chain of HTTPS';
      problems.push(`${what} expired at ${x509.validToDate.toISOString()}.`);
    }
    return problems;
  }

  /** The certificates in use, for people. */
  list(): StoredCertificates {
    return {
      server: this.#server?.chain.map(({ x509 }) => describeCertificate(x509)) ?? [],
      ca: this.#ca.map((pem) => describeCertificate(new X509Certificate(pem))),
      problems: this.problems(),
    };
  }

  /**
   * Whether the certificate of HTTPS is valid for this host, as TLS clients see it: by its subject alternative names,
   * wildcards included.
   * @param name without a port
   */
  isServerName(name: string): boolean {
    const rules = { subject: 'never', partialWildcards: false } as const;
    return this.#server?.leaf.checkHost(name, rules) !== undefined;
  }

  /**
   * Trusts these CA certificates besides the built-in ones, in place of those uploaded before.
   * @param file PEM
   * @throws ApiError `bad_request` with the reason; the system's error when they cannot be stored; then nothing has
   *   changed
   */
  async putCa(file: Buffer): Promise<void> {
    const certificates = readCaCertificates(file, Date.now());
    await this.#mutex.run(async () => {
      if (certificates.join('') === this.#ca.join('')) return;
      await this.#store(this.#caFile, certificates.join(''));
      this.#changeCa(certificates);
    });
  }

  /** Trusts the built-in CA certificates only. */
  deleteCa(): Promise<void> {
    return this.#mutex.run(async () => {
      await removeFile(this.#caFile);
      this.#problems.delete('ca');
      if (this.#ca.length > 0) this.#changeCa([]);
    });
  }

  /**
   * Serves HTTPS with this certificate; open connections continue.
   * @param file PEM of the certificate, its chain and its key
   * @throws ApiError `bad_request` with the reason, `unavailable` without a port; the system's error when it cannot be
   *   stored; then nothing has changed
   */
  async putServer(file: Buffer): Promise<void> {
    const identity = readServerIdentity(file, Date.now());
    await this.#mutex.run(async () => {
      await this.#options.https.check(identity, clientOf(identity));
      await this.#options.https.apply(identity);
      try {
        await this.#store(this.#serverFile, identity.cert + identity.key);
      } catch (error) {
        await this.#options.https.apply(this.#server).catch((failure: unknown) => {
          this.#options.log.error({ err: failure }, 'HTTPS could not go back to the previous certificate');
        });
        throw error;
      }
      this.#server = identity;
      this.#refused = undefined;
      this.#problems.delete('server');
      this.#options.changed('server');
    });
  }

  /** Stops HTTPS and removes its certificate. */
  deleteServer(): Promise<void> {
    return this.#mutex.run(async () => {
      await removeFile(this.#serverFile);
      this.#server = undefined;
      this.#refused = undefined;
      this.#problems.delete('server');
      await this.#options.https.apply(undefined);
      this.#options.changed('server');
    });
  }

  async #startCa(): Promise<void> {
    let file: Buffer | undefined;
    try {
      file = await readRegularFile(this.#caFile, MAX_PEM_BYTES);
      if (file) this.#applyCa(readCaCertificates(file));
    } catch (error) {
      this.#report('ca', 'The stored CA certificates are not used', error);
      if (!file?.length) return;
      // With a damaged list the browser trusts nobody. An empty one has no effect and keeps the problem known.
      await truncate(this.#caFile).then(
        () => this.#restartBrowser(),
        (failure: unknown) =>
          this.#options.log.error({ err: failure }, 'damaged CA certificates are still stored'),
      );
    }
  }

  async #startServer(): Promise<void> {
    try {
      const file = await readRegularFile(this.#serverFile, MAX_PEM_BYTES);
      if (!file) return;
      const identity = readServerIdentity(file);
      await this.#options.https.apply(identity);
      this.#server = identity;
      this.#refused = await this.#refusalOf(identity);
    } catch (error) {
      this.#report('server', 'There is no HTTPS', error);
    }
  }

  /** Why current clients refuse a certificate that has not expired. */
  async #refusalOf(identity: ServerIdentity): Promise<string | undefined> {
    const expiries = identity.chain.map(({ x509 }) => x509.validToDate.getTime());
    if (Math.min(...expiries) < Date.now()) return undefined;
    try {
      requireClientRules(identity.chain, Date.now());
      await this.#options.https.check(identity, clientOf(identity));
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return `Clients refuse the certificate of HTTPS: ${error.message}`;
    }
  }

  /** Reports stored certificates that cannot be used. Without a file there is nothing to report. */
  #report(what: 'ca' | 'server', effect: string, error: unknown): void {
    // Only our own messages and system codes: a parser's message could quote the file.
    const cause =
      error instanceof NotRegularError ? error.message : (errorCode(error) ?? 'unexpected failure');
    const reason = error instanceof ApiError ? error.message : `The file cannot be read (${cause}).`;
    this.#problems.set(what, `${effect}: ${reason}`);
    this.#options.log.error(`${effect}: ${reason}`);
  }

  #changeCa(certificates: readonly string[]): void {
    this.#problems.delete('ca');
    this.#applyCa(certificates);
    this.#options.changed('ca');
    this.#restartBrowser();
  }

  #applyCa(certificates: readonly string[]): void {
    this.#options.trust.apply(certificates);
    this.#ca = certificates;
  }

  /** A browser that cannot be restarted does not undo the change. */
  #restartBrowser(): void {
    try {
      this.#options.trustChanged();
    } catch (error) {
      this.#options.log.warn(
        { err: error },
        'the browser could not be restarted with the new CA certificates',
      );
    }
  }

  async #store(path: string, text: string): Promise<void> {
    const created = await makeFolder(this.#options.folder, FOLDER_MODE);
    if (created !== undefined) await syncFolder(dirname(created));
    await writeFileAtomic(path, text, FILE_MODE);
  }
}

/** A client that trusts what others have not issued in the chain: its root, or what the root outside of it has issued. */
function clientOf({ leaf, chain }: ServerIdentity): TrialClient {
  const hasIssuer = ({ x509 }: PlacedCertificate) =>
    chain.some((other) => other.x509 !== x509 && x509.checkIssued(other.x509));
  const trusted = chain.filter((each) => !hasIssuer(each)).map(({ x509 }) => x509.toString());
  return { trusted, host: hostOf(leaf) ?? '' };
}
