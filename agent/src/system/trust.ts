import type { Trust } from '../resources/certificates/certificates.ts';

/**
 * Whom Node's own TLS clients trust, `fetch` among them. TLS is loaded with the first authority that is added: an
 * agent without does without.
 */
export class NodeTrust implements Trust {
  #builtIn: readonly string[] | undefined;

  /** Holds for connections that are made from now on. */
  apply(certificates: readonly string[]): void {
    if (certificates.length === 0 && !this.#builtIn) return;
    const tls = process.getBuiltinModule('node:tls');
    this.#builtIn ??= tls.getCACertificates('default');
    tls.setDefaultCACertificates([...this.#builtIn, ...certificates]);
  }
}
