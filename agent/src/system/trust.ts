import type { Trust } from '../resources/certificates/certificates.ts';

/**
 * The CA certificates that Node's TLS clients trust, `fetch` included. Loads TLS with the first CA certificate only:
 * most devices never have one.
 */
export class NodeTrust implements Trust {
  #builtIn: readonly string[] | undefined;

  /** Takes effect for new connections. */
  apply(certificates: readonly string[]): void {
    if (certificates.length === 0 && !this.#builtIn) return;
    const tls = process.getBuiltinModule('node:tls');
    this.#builtIn ??= tls.getCACertificates('default');
    tls.setDefaultCACertificates([...this.#builtIn, ...certificates]);
  }
}
