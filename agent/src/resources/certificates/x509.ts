import { X509Certificate } from 'node:crypto';
import { type PemBlock, refusal } from './pem.ts';

/** A certificate with its place in the file it came from. */
export interface PlacedCertificate {
  x509: X509Certificate;
  /** `Certificate 2 (CN=Example Root)`, for messages. */
  name: string;
}

const CERTIFICATE_LABELS = new Set(['CERTIFICATE', 'X509 CERTIFICATE']);
/** What else people put into PEM files, by label. Others are not named: the text may be anything. */
const OTHERS: Readonly<Record<string, string>> = {
  'CERTIFICATE REQUEST': 'a certificate request',
  'NEW CERTIFICATE REQUEST': 'a certificate request',
  'TRUSTED CERTIFICATE': "a certificate in OpenSSL's own TRUSTED form",
  'X509 CRL': 'a revocation list',
  'PUBLIC KEY': 'a public key',
  PKCS7: 'a PKCS#7 container',
  CMS: 'a CMS container',
};
const MAX_NAME = 100;

export function isPrivateKey({ label }: PemBlock): boolean {
  return label.endsWith('PRIVATE KEY');
}

/**
 * The certificates among the blocks that are no private keys, in the file's order, each once.
 * @throws ApiError `bad_request` for a block that is no certificate
 */
export function readCertificates(blocks: readonly PemBlock[]): PlacedCertificate[] {
  const found = new Map<string, PlacedCertificate>();
  for (const [index, block] of blocks.filter((one) => !isPrivateKey(one)).entries()) {
    const x509 = readCertificate(block, index + 1);
    if (!found.has(x509.fingerprint256)) {
      found.set(x509.fingerprint256, { x509, name: `Certificate ${index + 1} (${subjectOf(x509)})` });
    }
  }
  return [...found.values()];
}

function readCertificate({ label, der }: PemBlock, place: number): X509Certificate {
  if (!CERTIFICATE_LABELS.has(label)) {
    const what = Object.hasOwn(OTHERS, label) ? OTHERS[label] : 'something';
    throw refusal(`Block ${place} holds ${what} that has no place here; send certificates.`);
  }
  try {
    const x509 = new X509Certificate(der);
    // The parser is content with a certificate that something follows.
    if (x509.raw.length === der.length) return x509;
  } catch {
    // Told below, without the parser's words.
  }
  throw refusal(`Certificate ${place} is damaged: it is no X.509 certificate.`);
}

/** @throws ApiError `bad_request` when the certificate's time is over */
export function requireNotExpired({ x509, name }: PlacedCertificate, now: number): void {
  // What is not valid yet passes: a device without a clock of its own may be behind, and never is before its build.
  if (x509.validToDate.getTime() < now) {
    const [then, today] = [x509.validToDate, new Date(now)].map((date) => date.toISOString());
    throw refusal(`${name} expired at ${then}; the device's clock says ${today}.`);
  }
}

/** Whether `issuer` signed `x509`: by its name and by its key. */
export function isIssuedBy(x509: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return x509.checkIssued(issuer) && x509.verify(issuer.publicKey);
  } catch {
    return false; // a key of a kind that OpenSSL does not know
  }
}

function subjectOf(x509: X509Certificate): string {
  const parts = (x509.subject ?? '').split('\n');
  const name = parts.findLast((part) => part.startsWith('CN=')) ?? parts.at(-1) ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a name may hold anything
  return name.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ').slice(0, MAX_NAME) || 'without a name';
}
