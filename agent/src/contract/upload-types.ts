/**
 * Media types of uploads: the registered one first, then what Windows, browsers and other tools send for such a file.
 * What a file is, is checked from its content. None of them can be sent by a form of another site.
 */
const ANY_FILE = ['application/octet-stream', 'binary/octet-stream'] as const;

export const ZIP_TYPES = [
  'application/zip',
  'application/x-zip-compressed',
  'application/x-zip',
  'application/zip-compressed',
  'application/x-compressed',
  ...ANY_FILE,
] as const;

export const PEM_TYPES = [
  'application/x-pem-file',
  'application/pem-certificate-chain',
  'application/x-x509-ca-cert',
  'application/x-x509-server-cert',
  'application/x-x509-user-cert',
  'application/pkix-cert',
  'application/pkcs8',
  'application/x-pem-key',
  ...ANY_FILE,
] as const;

export const PNG_TYPES = ['image/png', 'image/x-png', ...ANY_FILE] as const;

/** Bundles of RAUC are squashfs with a signature behind it. */
export const UPDATE_TYPES = [...ANY_FILE, 'application/vnd.squashfs'] as const;
