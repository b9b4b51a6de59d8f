import type { X509Certificate } from 'node:crypto';
import type { StoredCertificate } from './schema.ts';

/** What people want to know of a certificate. */
export function describeCertificate(x509: X509Certificate): StoredCertificate {
  const names = (x509.subjectAltName ?? '').matchAll(/(?:DNS|IP Address):([^\s,"]+)/g);
  return {
    // Undefined if it has no part at all.
    subject: x509.subject ?? '',
    issuer: x509.issuer ?? '',
    names: [...names].map(([, name = '']) => name),
    valid_from: timeOf(x509.validFromDate),
    valid_to: timeOf(x509.validToDate),
    fingerprint_sha256: x509.fingerprint256,
    pem: x509.toString(),
  };
}

/** Null for a date that does not exist. */
function timeOf(date: Date): string | null {
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
