import { encodingProblem } from './der.ts';
import { readPem, refusal, requireNotExpired } from './pem.ts';
import { isStrongKey } from './strong-key.ts';

/**
 * Reads an upload of CA certificates.
 * @param now ms since 1970; certificates that expired before are refused. Undefined: accept expired ones
 * @returns each certificate as PEM, as Node writes it
 * @throws ApiError `bad_request` that names the certificate and the reason
 */
export function readCaCertificates(file: Buffer, now?: number): string[] {
  const { keys, certificates } = readPem(file);
  if (keys.length > 0) {
    throw refusal('There is a private key in the file. Keep it secret and send the certificates only.');
  }
  if (certificates.length === 0) throw refusal('There is no certificate in the file.');
  for (const certificate of certificates) {
    const { x509, name } = certificate;
    if (!x509.ca) throw refusal(`${name} is not a CA certificate: its basic constraints lack CA:TRUE.`);
    const problem = encodingProblem(x509);
    if (problem) throw refusal(`${name} is damaged: ${problem}.`);
    // Node 24 ends with a segmentation fault when it verifies a chain with such a trusted key.
    const { asymmetricKeyType: type } = x509.publicKey;
    if (type === 'ec' && !isStrongKey(x509.publicKey)) {
      throw refusal(`${name} has a key on another curve than P-256, P-384 and P-521.`);
    }
    if (now !== undefined) requireNotExpired(certificate, now);
  }
  return certificates.map(({ x509 }) => x509.toString());
}
