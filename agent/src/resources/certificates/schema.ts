import type { Static } from 'typebox';
import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { Nullable, Timestamp } from '../../contract/shared.ts';
import { topic } from '../../contract/topics.ts';
import { PEM_TYPES } from '../../contract/upload-types.ts';

/** Largest PEM file in bytes: the whole Mozilla root list fits four times. */
export const MAX_PEM_BYTES = 1024 * 1024;

const remove = { method: 'DELETE', tag: 'Files', status: 204, errors: ['unavailable'] } as const;
const put = {
  method: 'PUT',
  tag: 'Files',
  status: 204,
  errors: ['insufficient_storage', 'unavailable'],
} as const;
const pem = {
  // The OpenAPI document names the first type only: generated clients take one type for a binary body.
  contentTypes: PEM_TYPES,
  maxBytes: MAX_PEM_BYTES,
} as const;

/** What people want to know of a certificate. */
export const StoredCertificate = Type.Object(
  {
    subject: Type.String({
      description: 'Parts such as `CN=lobby`, one a line, with the escapes of RFC 4514',
    }),
    issuer: Type.String({ description: 'As `subject`' }),
    names: Type.Array(Type.String(), {
      description: 'Names and addresses for which it is valid (subject alternative names)',
    }),
    valid_from: Nullable(Timestamp),
    valid_to: Nullable(Timestamp),
    fingerprint_sha256: Type.String({ pattern: '^[0-9A-F]{2}(?::[0-9A-F]{2}){31}$' }),
    pem: Type.String(),
  },
  { $id: 'StoredCertificate', description: 'A time is null if the certificate has none that exists' },
);
export type StoredCertificate = Static<typeof StoredCertificate>;

/** The uploaded certificates that are in use (`GET /files/certificates`). */
export const StoredCertificates = Type.Object(
  {
    server: Type.Array(StoredCertificate, {
      description: "HTTPS's own certificate, then its chain; empty while there is no HTTPS",
    }),
    ca: Type.Array(StoredCertificate, { description: 'Trusted in addition to the built-in ones' }),
    problems: Type.Array(Type.String(), {
      description: 'Why stored ones are not used, or clients refuse them; also in `problems` of health',
    }),
  },
  { $id: 'StoredCertificates' },
);
export type StoredCertificates = Static<typeof StoredCertificates>;

export const certificatesChanged = topic(
  'certificates_changed',
  Type.Object({ kind: Type.Enum(['ca', 'server']) }),
  'Certificates were uploaded or removed',
);

export const getCertificates = endpoint({
  method: 'GET',
  path: '/files/certificates',
  tag: 'Files',
  summary: 'The uploaded certificates that are in use',
  description: 'Without the key of HTTPS, which cannot be read. `certificates_changed` reports changes.',
  status: 200,
  response: StoredCertificates,
  errors: [],
});

export const uploadCaCertificates = endpoint({
  ...put,
  path: '/files/certificates/ca',
  summary: 'Set the CA certificates that are trusted in addition to the built-in ones',
  description:
    'Replaces the previously uploaded certificates. New connections of the device use them at once; the browser restarts ' +
    'for them and shows the same page again. The same certificates again restart nothing. Only CA certificates ' +
    '(CA:TRUE; of elliptic curves P-256, P-384 and P-521) that have not expired; duplicates count once. Anything else is ' +
    '400 with the reason, and the previous certificates stay in use.',
  upload: {
    ...pem,
    description: 'PEM of one or more CA certificates, as any type that is usual for it',
  },
});

export const deleteCaCertificates = endpoint({
  ...remove,
  path: '/files/certificates/ca',
  summary: 'Remove the uploaded CA certificates',
  description: 'Only the built-in ones are trusted then. 204 also when there was nothing to remove.',
});

export const uploadServerCertificate = endpoint({
  ...put,
  path: '/files/certificates/server',
  summary: "Set the API's HTTPS certificate and key",
  description:
    'Enables HTTPS at once, on port 443 of the cable, with TLS 1.2 and 1.3 and the same API, events (`wss`) and checks; ' +
    'plain HTTP stays available. New connections use a renewed certificate; open ones continue. The file has one private ' +
    'key without a passphrase (PKCS#8, PKCS#1 or SEC1; RSA of 2048 to 8192 bits, EC on P-256, P-384 or P-521, Ed25519), ' +
    'its certificate and, in any order, the chain up to its root, and no other certificate.\n\n' +
    'It is stored only if current clients accept it. So it needs a subject alternative name (DNS for a name, IP for an ' +
    'address), signatures below the root with SHA-2 or an Edwards curve, such keys of at least 2048 bits in the whole ' +
    'chain, intermediates that have not expired and may issue it, and usages, if present, that allow servers and signing. ' +
    'Anything else is 400 with the reason and the certificate; 503 `unavailable` when no port is available. The previous ' +
    'certificate then stays in use. `problems` of health reports a stored one that clients refuse.',
  upload: {
    ...pem,
    description: 'PEM of the certificate, its chain and its key, as any type that is usual for it',
  },
});

export const deleteServerCertificate = endpoint({
  ...remove,
  path: '/files/certificates/server',
  summary: 'Remove the HTTPS certificate and disable HTTPS',
  description:
    'No more connections are accepted; requests in progress have 1.5 s to finish, then every connection is closed, ' +
    'WebSockets too. 204 also when there was nothing to remove.',
});
