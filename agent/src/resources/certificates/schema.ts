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
