import { endpoint } from '../../contract/endpoint.ts';

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
  contentTypes: ['application/x-pem-file', 'application/pem-certificate-chain'],
  maxBytes: MAX_PEM_BYTES,
} as const;

export const uploadCaCertificates = endpoint({
  ...put,
  path: '/files/certificates/ca',
  summary: 'Set the certificate authorities that pages may be signed by, besides the built-in ones',
  description:
    'They take the place of those set before, and hold for pages and for what the device itself fetches. The browser starts anew with them, and shows again what it showed. A file that holds anything else than CA certificates, or one that has expired, is 400 with the reason, and the ones set before stay.',
  upload: {
    ...pem,
    description: 'PEM of one or more CA certificates; taken as `application/pem-certificate-chain`, too',
  },
});

export const deleteCaCertificates = endpoint({
  ...remove,
  path: '/files/certificates/ca',
  summary: 'Trust the built-in certificate authorities only',
  description: '204 also when there was nothing to remove.',
});

export const uploadServerCertificate = endpoint({
  ...put,
  path: '/files/certificates/server',
  summary: "Set the API's HTTPS certificate and key",
  description:
    'Makes HTTPS available at once; plain HTTP stays. A renewed certificate is for new connections; those that there are go on. A PEM that does not parse, a key that is encrypted, weak or does not match, a certificate that has expired or does not belong to the chain is 400 with the reason; no port to listen on is 503. Then the old one stays.',
  upload: {
    ...pem,
    description:
      'PEM of the certificate, its chain and its key; taken as `application/pem-certificate-chain`, too',
  },
});

export const deleteServerCertificate = endpoint({
  ...remove,
  path: '/files/certificates/server',
  summary: 'Take HTTPS away',
  description: 'Its connections are closed. 204 also when there was nothing to remove.',
});
