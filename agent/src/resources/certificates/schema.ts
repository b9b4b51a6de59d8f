import { endpoint } from '../../contract/endpoint.ts';
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

export const uploadCaCertificates = endpoint({
  ...put,
  path: '/files/certificates/ca',
  summary: 'Set the CA certificates that are trusted in addition to the built-in ones',
  description:
    'Replaces the previously uploaded certificates. Applies to pages and to requests that the device itself makes. The browser restarts and loads its current content again. A file with anything other than CA certificates, or with an expired one, gives 400 with the reason, and the previous certificates stay in use.',
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
    'Enables HTTPS at once; plain HTTP stays available. New connections use a renewed certificate; open ones continue. Gives 400 with the reason when the PEM cannot be parsed, when the key is encrypted, weak or does not match, when a certificate has expired or does not belong to the chain, or when current clients would refuse the certificate, for example without a subject alternative name or with a SHA-1 signature; 503 when no port is available. The previous certificate then stays in use.',
  upload: {
    ...pem,
    description: 'PEM of the certificate, its chain and its key, as any type that is usual for it',
  },
});

export const deleteServerCertificate = endpoint({
  ...remove,
  path: '/files/certificates/server',
  summary: 'Remove the HTTPS certificate and disable HTTPS',
  description: 'Open HTTPS connections are closed. 204 also when there was nothing to remove.',
});
