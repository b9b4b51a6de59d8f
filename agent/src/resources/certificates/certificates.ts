import { readFile, truncate } from 'node:fs/promises';
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
import { errorCode } from '../../base/system-error.ts';
import { ApiError } from '../../contract/errors.ts';
import { readCaCertificates } from './ca-certificates.ts';
import { readServerIdentity, type ServerIdentity } from './server-identity.ts';

/** The HTTPS link. */
export interface Https {
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
  log: Logger;
  /** ms since 1970. */
  now?: () => number;
}

/** The server's key is in one of the files. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * The uploaded certificates (interface: Files): the CA certificates that are trusted, and the certificate and key of
 * HTTPS. Changes are made one at a time and are on the disk when they resolve.
 */
export class Certificates {
  readonly #o: CertificatesOptions;
  readonly #caFile: string;
  readonly #serverFile: string;
  readonly #mutex = new Mutex();
  /** PEM of the CA certificates in use. */
  #ca = '';
  #server: ServerIdentity | undefined;
  #caProblem: string | undefined;
  #serverProblem: string | undefined;

  constructor(options: CertificatesOptions) {
    this.#o = options;
    this.#caFile = join(options.folder, 'ca.pem');
    this.#serverFile = join(options.folder, 'server.pem');
  }

  /** Applies the stored certificates. Never fails: `problems` tells which could not be used. */
  start(): Promise<void> {
    return this.#mutex.run(async () => {
      // An interrupted write may have left a key.
      await sweepTemporaryFiles(this.#o.folder);
      await this.#startCa();
      await this.#startServer();
    });
  }

  /** What an operator should know, as sentences. */
  problems(): string[] {
    const problems = [this.#caProblem, this.#serverProblem].filter((problem) => problem !== undefined);
    const expiry = this.#server?.leaf.validToDate;
    if (expiry && expiry.getTime() < this.#now()) {
      problems.push(`The certificate of HTTPS expired at ${expiry.toISOString()}.`);
    }
    return problems;
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
    const certificates = readCaCertificates(file, this.#now());
    await this.#mutex.run(async () => {
      if (certificates.join('') === this.#ca) return;
      await this.#store(this.#caFile, certificates.join(''));
      this.#caProblem = undefined;
      this.#applyCa(certificates);
      this.#restartBrowser();
    });
  }

  /** Trusts the built-in CA certificates only. */
  deleteCa(): Promise<void> {
    return this.#mutex.run(async () => {
      await removeFile(this.#caFile);
      this.#caProblem = undefined;
      if (this.#ca === '') return;
      this.#applyCa([]);
      this.#restartBrowser();
    });
  }

  /**
   * Serves HTTPS with this certificate; open connections continue.
   * @param file PEM of the certificate, its chain and its key
   * @throws ApiError `bad_request` with the reason, `unavailable` without a port; the system's error when it cannot be
   *   stored; then nothing has changed
   */
  async putServer(file: Buffer): Promise<void> {
    const identity = readServerIdentity(file, this.#now());
    await this.#mutex.run(async () => {
      await this.#o.https.apply(identity);
      try {
        await this.#store(this.#serverFile, identity.cert + identity.key);
      } catch (error) {
        await this.#o.https.apply(this.#server).catch((failure: unknown) => {
          this.#o.log.error({ err: failure }, 'HTTPS could not go back to the previous certificate');
        });
        throw error;
      }
      this.#server = identity;
      this.#serverProblem = undefined;
    });
  }

  /** Stops HTTPS and removes its certificate. */
  deleteServer(): Promise<void> {
    return this.#mutex.run(async () => {
      await removeFile(this.#serverFile);
      this.#server = undefined;
      this.#serverProblem = undefined;
      await this.#o.https.apply(undefined);
    });
  }

  async #startCa(): Promise<void> {
    try {
      const file = await readIfExists(this.#caFile);
      if (!file) return;
      try {
        this.#applyCa(readCaCertificates(file));
      } catch (error) {
        this.#caProblem = 'The stored CA certificates are damaged and not used; upload them again.';
        this.#o.log.error(`${this.#caProblem} ${reason(error)}`);
        if (file.length === 0) return;
        // With a damaged list the browser trusts nobody. An empty one has no effect and keeps the problem known.
        await truncate(this.#caFile);
        this.#restartBrowser();
      }
    } catch (error) {
      this.#caProblem = 'The stored CA certificates cannot be used; the log has the reason.';
      this.#o.log.error({ err: error }, this.#caProblem);
    }
  }

  async #startServer(): Promise<void> {
    try {
      const file = await readIfExists(this.#serverFile);
      if (!file) return;
      const identity = readServerIdentity(file);
      await this.#o.https.apply(identity);
      this.#server = identity;
    } catch (error) {
      this.#serverProblem = `There is no HTTPS: ${reason(error)}`;
      this.#o.log.error(this.#serverProblem);
    }
  }

  #applyCa(certificates: readonly string[]): void {
    this.#o.trust.apply(certificates);
    this.#ca = certificates.join('');
  }

  /** A browser that cannot be restarted does not undo the change. */
  #restartBrowser(): void {
    try {
      this.#o.trustChanged();
    } catch (error) {
      this.#o.log.warn({ err: error }, 'the browser could not be restarted with the new CA certificates');
    }
  }

  #now(): number {
    return (this.#o.now ?? Date.now)();
  }

  async #store(path: string, text: string): Promise<void> {
    const created = await makeFolder(this.#o.folder, FOLDER_MODE);
    if (created !== undefined) await syncFolder(dirname(created));
    await writeFileAtomic(path, text, FILE_MODE);
  }
}

async function readIfExists(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Messages of our own and system codes only: a parser's message could quote the file. */
function reason(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  return `The stored certificate cannot be read (${errorCode(error) ?? 'unexpected failure'}).`;
}
