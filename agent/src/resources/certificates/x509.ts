import { X509Certificate } from 'node:crypto';
import { attempt, decode, isPrivateKey, type PemBlock, refusal } from './pem.ts';

/** A certificate with its position in the file. */
export interface PlacedCertificate {
  x509: X509Certificate;
  /** `Certificate 2 (CN=Example Root)`, for messages. */
  name: string;
}

/** Longest part of a subject in a message, in characters. */
const MAX_NAME = 100;

/**
 * Reads all blocks except private keys, in the order of the file. Duplicates are left out.
 * @throws ApiError `bad_request` for a block that is not a certificate
 */
export function readCertificates(blocks: readonly PemBlock[]): PlacedCertificate[] {
  const found = new Map<string, PlacedCertificate>();
  for (const [index, block] of blocks.filter((each) => !isPrivateKey(each)).entries()) {
    if (!/^(X509 )?CERTIFICATE$/.test(block.label)) {
      throw refusal(`Block ${block.place} is not a certificate. Send certificates only.`);
    }
    const der = decode(block);
    const x509 = attempt(() => new X509Certificate(der));
    // OpenSSL ignores data after the certificate, and accepts encodings that others refuse.
    if (!x509?.raw.equals(der))
      throw refusal(`Certificate ${index + 1} is damaged: it is not an X.509 certificate.`);
    const name = `Certificate ${index + 1} (${commonName(x509)})`;
    found.set(x509.fingerprint256, { x509, name });
  }
  return [...found.values()];
}

/** @throws ApiError `bad_request` when the certificate has expired */
export function requireNotExpired({ x509, name }: PlacedCertificate, now: number): void {
  // The start of its validity is not checked: without a hardware clock the device's time may be behind.
  if (x509.validToDate.getTime() < now) {
    const [expiry, today] = [x509.validToDate, new Date(now)].map((date) => date.toISOString());
    throw refusal(`${name} expired at ${expiry}; the device's clock says ${today}.`);
  }
}

/** OpenSSL has escaped control characters in it. */
function commonName({ subject }: X509Certificate): string {
  const parts = (subject ?? '').split('\n');
  const name = parts.findLast((part) => part.startsWith('CN=')) ?? parts.at(-1) ?? '';
  return name.slice(0, MAX_NAME) || 'without a name';
}
