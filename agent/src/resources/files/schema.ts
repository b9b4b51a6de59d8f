import { Type } from 'typebox';
import { type BinaryBody, endpoint } from '../../contract/endpoint.ts';
import { topic } from '../../contract/topics.ts';

/** Largest splash image in bytes (interface: Limits). */
export const MAX_SPLASH_BYTES = 4 * 1024 * 1024;
/** Largest PEM file in bytes: the whole Mozilla root list fits four times. */
export const MAX_PEM_BYTES = 1024 * 1024;

const tag = 'Files';
const png = { contentType: 'image/png', description: 'The image' };
const image: BinaryBody = {
  contentTypes: ['image/png'],
  wrongType: 'bad_request',
  maxBytes: MAX_SPLASH_BYTES,
  description: 'PNG of at most 4 MiB; told by its content, not its name',
};
// The first type is the one of the document: generated clients take one type of bytes for a body.
const pem: BinaryBody = {
  contentTypes: ['application/x-pem-file', 'application/pem-certificate-chain'],
  maxBytes: MAX_PEM_BYTES,
  description: 'PEM',
};

export const splashChanged = topic(
  'splash_changed',
  Type.Object({ kind: Type.Enum(['boot', 'shutdown']) }),
  'A splash image was uploaded or reset',
);

export const getSplash = endpoint({
  method: 'GET',
  path: '/files/splash',
  tag,
  summary: 'Image of the boot and the waiting page',
  description: 'The built-in default when none has been uploaded.',
  status: 200,
  download: png,
  errors: [],
});

export const uploadSplash = endpoint({
  method: 'PUT',
  path: '/files/splash',
  tag,
  summary: 'Set the image of the boot and the waiting page',
  description:
    'Decoded to its last pixel before it is stored; an image that is damaged is 400 with the reason, and the one before stays.',
  upload: image,
  status: 204,
  errors: ['insufficient_storage', 'unavailable'],
});

export const resetSplash = endpoint({
  method: 'DELETE',
  path: '/files/splash',
  tag,
  summary: 'Go back to the built-in image',
  description: '204 also when there was nothing to remove.',
  status: 204,
  errors: ['unavailable'],
});

export const getShutdownSplash = endpoint({
  method: 'GET',
  path: '/files/splash/shutdown',
  tag,
  summary: 'Image of the shutdown',
  description: 'When none has been uploaded: the boot image, else the built-in default.',
  status: 200,
  download: png,
  errors: [],
});

export const uploadShutdownSplash = endpoint({
  method: 'PUT',
  path: '/files/splash/shutdown',
  tag,
  summary: 'Set the image of the shutdown',
  description:
    'Decoded to its last pixel before it is stored; an image that is damaged is 400 with the reason, and the one before stays.',
  upload: image,
  status: 204,
  errors: ['insufficient_storage', 'unavailable'],
});

export const resetShutdownSplash = endpoint({
  method: 'DELETE',
  path: '/files/splash/shutdown',
  tag,
  summary: 'Go back to the boot image at shutdown',
  description: '204 also when there was nothing to remove.',
  status: 204,
  errors: ['unavailable'],
});

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
