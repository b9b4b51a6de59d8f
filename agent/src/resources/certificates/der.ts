/** The parts of a certificate that Node does not give access to, read from its encoding. */
import type { X509Certificate } from 'node:crypto';

interface DerElement {
  tag: number;
  body: Buffer;
  /** The body with its tag and length. */
  whole: Buffer;
}

const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const VERSION_3 = Buffer.from([2, 1, 2]);
const KEY_USAGE = '551d0f';
/** The first bit of a key usage. */
const DIGITAL_SIGNATURE = 0x80;
/** Validity in hex: two times, each UTCTime YYMMDDHHMMSSZ or GeneralizedTime YYYYMMDDHHMMSSZ. */
const VALIDITY = /^(?:170d(?:3\d){12}5a|180f(?:3\d){14}5a){2}$/;
/** Signatures with SHA-2, by object identifier in hex: RSA, ECDSA, Ed25519, Ed448. */
const STRONG_SIGNATURES =
  /^(?:06092a864886f70d01010[bcd]|06082a8648ce3d04030[234]|06032b657[01]|06092a864886f70d01010a.*060960864801650304020[123])/;

/**
 * Finds what GnuTLS checks in a certificate (RFC 5280, 4.1) and OpenSSL does not. The browser's GnuTLS loads the list
 * of authorities as a whole: with one certificate that it refuses, it would trust none.
 * @returns the end of a sentence; undefined when there is no problem
 */
export function encodingProblem({ raw, validFrom, validTo }: X509Certificate): string | undefined {
  const { algorithm, fields } = partsOf(raw);
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

/** Whether the certificate is signed with SHA-256, SHA-384, SHA-512, or an Edwards curve. */
export function hasStrongSignature({ raw }: X509Certificate): boolean {
  const { algorithm } = partsOf(raw);
  return algorithm !== undefined && STRONG_SIGNATURES.test(algorithm.body.toString('hex'));
}

/** Whether the key may sign handshakes: there is no key usage, or it contains digitalSignature. */
export function maySign({ raw }: X509Certificate): boolean {
  const list = partsOf(raw).fields.find(({ tag }) => tag === EXTENSIONS);
  const extensions = list ? elementsOf(list.body).flatMap(({ body }) => elementsOf(body)) : [];
  for (const extension of extensions) {
    const parts = elementsOf(extension.body);
    if (parts[0]?.body.toString('hex') !== KEY_USAGE) continue;
    // An octet string around a bit string: the number of unused bits, then the bits.
    const [bits] = elementsOf(parts.at(-1)?.body ?? Buffer.alloc(0));
    return ((bits?.body[1] ?? 0) & DIGITAL_SIGNATURE) !== 0;
  }
  return true;
}

/** The outer signature algorithm, and the fields of the signed part. */
function partsOf(raw: Buffer): { algorithm: DerElement | undefined; fields: DerElement[] } {
  const [certificate] = elementsOf(raw);
  const [signed, algorithm] = certificate ? elementsOf(certificate.body) : [];
  return { algorithm, fields: signed ? elementsOf(signed.body) : [] };
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
