import type { X509Certificate } from 'node:crypto';
import { readPem, refusal, requireNotExpired } from './pem.ts';

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
    const problem = gnutlsProblem(x509);
    if (problem) throw refusal(`${name} is damaged: ${problem}.`);
    if (now !== undefined) requireNotExpired(certificate, now);
  }
  return certificates.map(({ x509 }) => x509.toString());
}

interface DerElement {
  tag: number;
  body: Buffer;
  /** The body with its tag and length. */
  whole: Buffer;
}

const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const VERSION_3 = Buffer.from([2, 1, 2]);
/** Validity in hex: two times, each UTCTime YYMMDDHHMMSSZ or GeneralizedTime YYYYMMDDHHMMSSZ. */
const VALIDITY = /^(?:170d(?:3\d){12}5a|180f(?:3\d){14}5a){2}$/;

/**
 * Finds what GnuTLS checks in a certificate (RFC 5280, 4.1) and OpenSSL does not. The browser's GnuTLS loads the list
 * of authorities as a whole: with one certificate that it refuses, it would trust none.
 * @returns the end of a sentence; undefined when there is no problem
 */
function gnutlsProblem({ raw, validFrom, validTo }: X509Certificate): string | undefined {
  const [certificate] = elementsOf(raw);
  const [signed, algorithm] = certificate ? elementsOf(certificate.body) : [];
  const fields = signed ? elementsOf(signed.body) : [];
  const version = fields[0]?.tag === VERSION ? fields.shift() : undefined;
  const [, signedAlgorithm, , validity] = fields;
  if (!algorithm || !signedAlgorithm || !validity) return 'its encoding is not DER';
  if (!signedAlgorithm.whole.equals(algorithm.whole)) return 'it names two signature algorithms';
  if (fields.some(({ tag }) => tag === EXTENSIONS) && !version?.body.equals(VERSION_3)) {
    return 'it has extensions but is not version 3';
  }
  // OpenSSL writes "Bad time value" for a date that does not exist; Node's Date of it may be any.
  const areDates = !Number.isNaN(Date.parse(validFrom) + Date.parse(validTo));
  if (!areDates || !VALIDITY.test(validity.body.toString('hex'))) return 'its validity is not a valid time';
  return undefined;
}

/** The elements in a part of what OpenSSL has parsed; none when a length is indefinite or longer than any buffer. */
function elementsOf(der: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < der.length; ) {
    const first = der.readUInt8(at + 1);
    const digits = first & 0x80 ? first & 0x7f : 0;
    if (first === 0x80 || digits > 4) return [];
    const start = at + 2 + digits;
    const end = start + (digits === 0 ? first : der.readUIntBE(at + 2, digits));
    elements.push({ tag: der.readUInt8(at), body: der.subarray(start, end), whole: der.subarray(at, end) });
    at = end;
  }
  return elements;
}
