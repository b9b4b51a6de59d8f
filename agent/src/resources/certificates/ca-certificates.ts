import { readPem, refusal } from './pem.ts';
import { formProblem } from './strict-form.ts';
import { isPrivateKey, readCertificates, requireNotExpired } from './x509.ts';

/**
 * Reads an upload of certificate authorities.
 * @param now ms since 1970 that no certificate may have expired before; undefined to take expired ones too
 * @returns PEM of each certificate, as this program writes it
 * @throws ApiError `bad_request` that says which certificate will not do and why
 */
export function readCaCertificates(file: Buffer, now?: number): string[] {
  const blocks = readPem(file);
  if (blocks.some(isPrivateKey)) {
    throw refusal('There is a private key in the file. Keep it to yourself and send the certificates only.');
  }
  const certificates = readCertificates(blocks);
  if (certificates.length === 0) throw refusal('There is no certificate in the file.');
  for (const certificate of certificates) {
    const { x509, name } = certificate;
    if (!x509.ca) {
      throw refusal(`${name} is no CA certificate: its basic constraints do not say CA:TRUE.`);
    }
    // The browser's GnuTLS takes the list as a whole: with one that it refuses it would trust nobody.
    const problem = formProblem(x509.raw);
    if (problem) throw refusal(`${name} is damaged: ${problem}.`);
    if (now !== undefined) requireNotExpired(certificate, now);
  }
  return certificates.map(({ x509 }) => x509.toString());
}
