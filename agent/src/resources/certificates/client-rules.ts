/** What current TLS clients demand of a server's certificate, besides what OpenSSL checks in a handshake. */
import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { encodingProblem, hasStrongSignature, maySign } from './der.ts';
import { type PlacedCertificate, refusal, requireNotExpired } from './pem.ts';
import { isStrongKey } from './strong-key.ts';

/**
 * @param chain the server's certificate first
 * @param now ms since 1970
 * @throws ApiError `bad_request` that names the certificate and the rule
 */
export function requireClientRules(chain: readonly PlacedCertificate[], now: number): void {
  for (const [index, certificate] of chain.entries()) {
    const { x509, name } = certificate;
    requireNotExpired(certificate, now);
    const problem = encodingProblem(x509);
    if (problem) throw refusal(`${name} is damaged: ${problem}.`);
    // Clients trust a root by itself, not by its signature.
    const isRoot = index > 0 && x509.checkIssued(x509);
    if (!isRoot && !hasStrongSignature(x509)) {
      throw refusal(
        `${name} is signed with an algorithm that clients refuse, for example SHA-1; use SHA-256.`,
      );
    }
    if (!isStrongKey(x509.publicKey)) throw refusal(`The key of ${name} is too weak for clients.`);
  }
  const [leaf] = chain;
  if (!leaf) return;
  if (!maySign(leaf.x509)) {
    throw refusal(`${leaf.name} is not for TLS servers: its key usage lacks digitalSignature.`);
  }
  if (hostOf(leaf.x509) === undefined) {
    const names = 'a subject alternative name, DNS for a name or IP for an address';
    throw refusal(`${leaf.name} lacks ${names}: clients ignore its common name.`);
  }
}

/** A host for which the certificate is valid, as clients check it; undefined when there is none. */
export function hostOf(x509: X509Certificate): string | undefined {
  for (const [, type, text = ''] of (x509.subjectAltName ?? '').matchAll(/(DNS|IP Address):([^\s,"]+)/g)) {
    // Any name that the wildcard covers.
    const host = text.replace(/^\*\./, 'any.');
    const isAddress = isIP(host) !== 0;
    if (type === 'DNS' && !isAddress && x509.checkHost(host, { subject: 'never', partialWildcards: false })) {
      return host;
    }
    if (type === 'IP Address' && isAddress && x509.checkIP(host)) return host;
  }
  return undefined;
}
