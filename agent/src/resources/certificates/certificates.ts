import { readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, sweepTemporaryFiles, syncFolder, writeFileAtomic } from '../../base/atomic-file.ts';
import type { Logger } from '../../base/logger.ts';
import { errorCode } from '../../base/system-error.ts';
import { ApiError, storageError } from '../../contract/errors.ts';
import { readCaCertificates } from './ca-certificates.ts';
import { readServerIdentity, type ServerIdentity } from './server-identity.ts';

/** The HTTPS link, as far as its certificate goes. */
export interface Https {
  /**
   * Serves HTTPS with this certificate from now on, or not at all.
   * @throws ApiError `bad_request` when TLS does not take it, `unavailable` when no address can be had; what was
   *   served before is served still
   */
  apply(identity: ServerIdentity | undefined): Promise<void>;
}

/** Whom the agent's own calls to the outside trust. */
export interface Trust {
  /** @param certificates PEM of each certificate authority that is trusted besides the built-in ones */
  apply(certificates: readonly string[]): void;
}

export interface CertificatesOptions {
  /** Where both files lie. */
  folder: string;
  https: Https;
  trust: Trust;
  /** The stored authorities are others now: has the browser read them. */
  trustChanged: () => void;
  log: Logger;
  /** ms since 1970. */
  now?: () => number;
}

/** Only root reads them: the key is in one of them. */
const FILE_MODE = 0o600;

/**
 * The uploaded certificates (interface: Files): the authorities that pages may be signed by, and what the API's HTTPS
 * is served with. Changes take effect one after the other, and are on the disk when they are acknowledged.
 */
export class Certificates {
  readonly #o: CertificatesOptions;
  readonly #caFile: string;
  readonly #damagedCaFile: string;
  readonly #serverFile: string;
  #ca = '';
  #server: ServerIdentity | undefined;
  #caProblem: string | undefined;
  #serverProblem: string | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: CertificatesOptions) {
    this.#o = options;
    this.#caFile = join(options.folder, 'ca.pem');
    this.#damagedCaFile = join(options.folder, 'ca.damaged.pem');
    this.#serverFile = join(options.folder, 'server.pem');
  }

  /** Takes up what is stored. Whatever that is like, the device comes up; `problems` tells what is not used. */
  start(): Promise<void> {
    return this.#inTurn(async () => {
      try {
        // What a cut left may hold a key.
        await sweepTemporaryFiles(this.#o.folder);
        await this.#startCa();
      } catch (error) {
        this.#caProblem = 'The stored CA certificates cannot be used; the log says why.';
        this.#o.log.error({ err: error }, this.#caProblem);
      }
      await this.#startServer();
    });
  }

  /** What an operator should know, as sentences. */
  problems(): string[] {
    const problems = [this.#caProblem, this.#serverProblem].filter((problem) => problem !== undefined);
    if (this.#server && this.#server.validTo.getTime() < this.#now()) {
      problems.push(`The certificate of HTTPS expired at ${this.#server.validTo.toISOString()}.`);
    }
    return problems;
  }

  /**
   * Whether the certificate of HTTPS names this host, as TLS clients read it: in its subject alternative names, in full
   * or by a wildcard.
   * @param name without a port
   */
  isServerName(name: string): boolean {
    const rules = { subject: 'never', partialWildcards: false } as const;
    return this.#server?.leaf.checkHost(name, rules) !== undefined;
  }

  /**
   * Trusts these certificate authorities besides the built-in ones, in place of those set before.
   * @param file PEM
   * @throws ApiError `bad_request` with the reason, `insufficient_storage`; then nothing has changed
   */
  putCa(file: Buffer): Promise<void> {
    const certificates = readCaCertificates(file, this.#now());
    return this.#inTurn(async () => {
      const text = certificates.join('');
      if (text === this.#ca) return;
      await this.#store(this.#caFile, text);
      await this.#forgetDamagedCa();
      this.#takeCa(certificates);
      this.#tellBrowser();
    });
  }

  /** Trusts the built-in certificate authorities only. */
  deleteCa(): Promise<void> {
    return this.#inTurn(async () => {
      const had = this.#ca !== '';
      await this.#remove(this.#caFile);
      await this.#forgetDamagedCa();
      if (!had) return;
      this.#takeCa([]);
      this.#tellBrowser();
    });
  }

  /**
   * Serves HTTPS with this certificate; the connections that there are go on.
   * @param file PEM of the certificate, its chain and its key
   * @throws ApiError `bad_request` with the reason, `unavailable` without a port, `insufficient_storage`; then nothing
   *   has changed
   */
  putServer(file: Buffer): Promise<void> {
    const identity = readServerIdentity(file, this.#now());
    return this.#inTurn(async () => {
      await this.#o.https.apply(identity);
      try {
        await this.#store(this.#serverFile, identity.cert + identity.key);
      } catch (error) {
        await this.#o.https.apply(this.#server).catch((failure) => {
          this.#o.log.error({ err: failure }, 'HTTPS does not go back to the certificate before');
        });
        throw error;
      }
      this.#server = identity;
      this.#serverProblem = undefined;
    });
  }

  /** Takes HTTPS away. */
  deleteServer(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#remove(this.#serverFile);
      this.#server = undefined;
      this.#serverProblem = undefined;
      await this.#o.https.apply(undefined);
    });
  }

  async #startCa(): Promise<void> {
    const file = await this.#read(this.#caFile);
    if (file !== undefined) {
      try {
        this.#takeCa(readCaCertificates(file));
      } catch (error) {
        this.#o.log.error(`the stored CA certificates cannot be used: ${messageOf(error)}`);
        // The browser would read them, too, and then trust nobody.
        await rename(this.#caFile, this.#damagedCaFile);
        await syncFolder(this.#o.folder);
        this.#tellBrowser();
      }
    }
    if ((await this.#read(this.#damagedCaFile)) !== undefined) {
      this.#caProblem = 'The stored CA certificates were damaged and are not used; send them again.';
    }
  }

  async #forgetDamagedCa(): Promise<void> {
    await this.#remove(this.#damagedCaFile);
    this.#caProblem = undefined;
  }

  async #startServer(): Promise<void> {
    try {
      const file = await this.#read(this.#serverFile);
      if (file === undefined) return;
      const identity = readServerIdentity(file);
      await this.#o.https.apply(identity);
      this.#server = identity;
    } catch (error) {
      this.#serverProblem = `There is no HTTPS: ${messageOf(error)}`;
      this.#o.log.error(this.#serverProblem);
    }
  }

  #takeCa(certificates: readonly string[]): void {
    this.#ca = certificates.join('');
    this.#o.trust.apply(certificates);
  }

  /** What is stored holds, whether there is a browser to start anew or not. */
  #tellBrowser(): void {
    try {
      this.#o.trustChanged();
    } catch (error) {
      this.#o.log.warn({ err: error }, 'the browser is not started anew with the CA certificates');
    }
  }

  #now(): number {
    return (this.#o.now ?? Date.now)();
  }

  async #read(path: string): Promise<Buffer | undefined> {
    try {
      return await readFile(path);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async #store(path: string, text: string): Promise<void> {
    try {
      const made = await makeFolder(this.#o.folder, 0o700);
      if (made !== undefined) await syncFolder(dirname(made));
      await writeFileAtomic(path, text, FILE_MODE);
    } catch (error) {
      throw storageError(error);
    }
  }

  async #remove(path: string): Promise<void> {
    try {
      await rm(path);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return;
      throw error;
    }
    await syncFolder(this.#o.folder);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

/** Our own words and the system's codes only: a parser's words could quote what it was given. */
function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  return `The stored certificate cannot be read (${errorCode(error) ?? 'unexpected failure'}).`;
}
