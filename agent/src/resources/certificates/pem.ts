import { X509Certificate } from 'node:crypto';
import { ApiError } from '../../contract/errors.ts';

/** One `-----BEGIN …-----` block of a PEM file. */
export interface PemBlock {
  /** `CERTIFICATE`, `PRIVATE KEY`… */
  label: string;
  /** Position in the file, from 1. */
  place: number;
  /** The text between the first and the last line. */
  body: string;
}

/** A certificate with its position in the file. */
export interface PlacedCertificate {
  x509: X509Certificate;
  /** `Certificate 2 (CN=Example Root)`, for messages. */
  name: string;
}

/** Longest part of a subject in a message, in characters. */
const MAX_NAME = 100;

/**
 * Reads a PEM file (RFC 7468): with text around the blocks, any line ends, a byte order mark, indentation. Messages never
 * quote the file, here and wherever blocks are read: it may hold a key.
 * @param maxCertificates bound of the work; duplicates count, too
 * @returns private keys as they are, and the certificates, both in the order of the file. Duplicate certificates are left
 *   out, and so are the parameters that key generators write before a key, which contains them itself
 * @throws ApiError `bad_request` when there is no block, or one that is incomplete or neither a key nor a certificate
 */
export function readPem(
  file: Buffer,
  maxCertificates = Number.POSITIVE_INFINITY,
): { keys: PemBlock[]; certificates: PlacedCertificate[] } {
  const [, ...sections] = file.toString('latin1').split('-----BEGIN ');
  if (sections.length === 0) throw refusal('This is not a PEM file: it has no "-----BEGIN" line.');
  const blocks = sections.map((section, index) => {
    const [label = '', body = '', end] = section.split('-----', 3);
    if (end !== `END ${label}`) throw refusal(`Block ${index + 1} does not end with its "-----END" line.`);
    return { label, place: index + 1, body };
  });
  const isKey = ({ label }: PemBlock) => label.endsWith('PRIVATE KEY');
  const others = blocks.filter((block) => !isKey(block) && !block.label.endsWith(' PARAMETERS'));
  if (others.length > maxCertificates) {
    throw refusal(`There are more than ${maxCertificates} certificates in the file.`);
  }
  const certificates = others.map((block, index) => readCertificate(block, index + 1));
  const distinct = new Map(certificates.map((each) => [each.x509.fingerprint256, each]));
  return { keys: blocks.filter(isKey), certificates: [...distinct.values()] };
}

function readCertificate(block: PemBlock, number: number): PlacedCertificate {
  if (!/^(X509 )?CERTIFICATE$/.test(block.label)) {
    throw refusal(`Block ${block.place} is not a certificate. Send certificates only.`);
  }
  const der = decode(block);
  const x509 = attempt(() => new X509Certificate(der));
  // OpenSSL ignores data after the certificate, and accepts encodings that others refuse.
  if (!x509?.raw.equals(der))
    throw refusal(`Certificate ${number} is damaged: it is not an X.509 certificate.`);
  return { x509, name: `Certificate ${number} (${commonName(x509)})` };
}

/**
 * The content of a block.
 * @throws ApiError `bad_request` when it is not base64
 */
export function decode({ body, place }: PemBlock): Buffer {
  const base64 = body.replaceAll(/\s/g, '');
  const der = Buffer.from(base64, 'base64');
  if (der.toString('base64') !== base64) throw refusal(`Block ${place} is damaged: it is not base64.`);
  return der;
}

/** The result of a call into OpenSSL; undefined when it throws. Its messages could quote the file, so they are dropped. */
export function attempt<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}

export function refusal(message: string): ApiError {
  return new ApiError('bad_request', message);
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
