import { endpoint } from '../../contract/endpoint.ts';

/** Largest PEM file in bytes: the whole Mozilla root list fits four times. */
export const MAX_PEM_BYTES = 1024 * 1024;

const tag = 'Files';
const pem = {
  // The first type is the one of the document: generated clients take one type of bytes for a body.
  contentTypes: ['application/x-pem-file', 'application/pem-certificate-chain'],
  maxBytes: MAX_PEM_BYTES,
  description: 'PEM',
} as const;

export const uploadCaCertificates = endpoint({
  method: 'PUT',
  path: '/files/certificates/ca',
  tag,
  summary: 'Set the certificate authorities that pages may be signed by, besides the built-in ones',
  description:
    'They take the place of those set before, and hold for pages and for what the device itself fetches. The browser starts anew with them, and shows again what it showed. A file that holds anything else than CA certificates, or one that has expired, is 400 with the reason, and the ones set before stay.',
  upload: {
    ...pem,
    description: 'PEM of one or more CA certificates; taken as `application/pem-certificate-chain`, too',
  },
  status: 204,
  errors: ['insufficient_storage', 'unavailable'],
});

export const deleteCaCertificates = endpoint({
  method: 'DELETE',
  path: '/files/certificates/ca',
  tag,
  summary: 'Trust the built-in certificate authorities only',
  description: '204 also when there was nothing to remove.',
  status: 204,
  errors: ['unavailable'],
});

export const uploadServerCertificate = endpoint({
  method: 'PUT',
  path: '/files/certificates/server',
  tag,
  summary: "Set the API's HTTPS certificate and key",
  description:
    'Makes HTTPS available at once; plain HTTP stays. A renewed certificate is for new connections; those that there are go on. A PEM that does not parse, a key that is encrypted, weak or does not match, a certificate that has expired or does not belong to the chain is 400 with the reason; no port to listen on is 503. Then the old one stays.',
  upload: {
    ...pem,
    description:
      'PEM of the certificate, its chain and its key; taken as `application/pem-certificate-chain`, too',
  },
  status: 204,
  errors: ['insufficient_storage', 'unavailable'],
});

export const deleteServerCertificate = endpoint({
  method: 'DELETE',
  path: '/files/certificates/server',
  tag,
  summary: 'Take HTTPS away',
  description: 'Its connections are closed. 204 also when there was nothing to remove.',
  status: 204,
  errors: ['unavailable'],
});
