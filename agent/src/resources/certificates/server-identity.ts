import { createPrivateKey, type KeyObject, sign, verify, type X509Certificate } from 'node:crypto';
import { type PemBlock, readPem, refusal } from './pem.ts';
import {
  isIssuedBy,
  isPrivateKey,
  type PlacedCertificate,
  readCertificates,
  requireNotExpired,
} from './x509.ts';

/** What HTTPS is served with. */
export interface ServerIdentity {
  /** PEM: the server's certificate, then those that lead from it to its root. */
  cert: string;
  /** PEM, PKCS#8, not encrypted. Never to be logged or given out. */
  key: string;
  /** The server's certificate, for what is to be asked of it. */
  leaf: X509Certificate;
  validFrom: Date;
  validTo: Date;
}

/** No chain in use is longer than half of it. */
const MAX_CERTIFICATES = 16;
const MIN_RSA_BITS = 2048;
/** A handshake with a longer one holds the agent up for tenths of a second on a board. */
const MAX_RSA_BITS = 8192;
const CURVES: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1'];
/** Extended key usages: TLS server, and any. */
const SERVER_USAGES = ['1.3.6.1.5.5.7.3.1', '2.5.29.37.0'];
const KEY_TYPES: Readonly<Record<string, 'pkcs1' | 'sec1' | 'pkcs8'>> = {
  'RSA PRIVATE KEY': 'pkcs1',
  'EC PRIVATE KEY': 'sec1',
  'PRIVATE KEY': 'pkcs8',
};

/**
 * Reads an upload of the server's certificate, its chain and its key, in whatever order they are.
 * @param now ms since 1970 that the certificate may not have expired before; undefined to take an expired one too
 * @throws ApiError `bad_request` with the reason, which quotes nothing of the key
 */
export function readServerIdentity(file: Buffer, now?: number): ServerIdentity {
  const blocks = readPem(file);
  const [keyBlock, ...moreKeys] = blocks.filter(isPrivateKey);
  if (!keyBlock) throw refusal('There is no private key in the file; send it together with the certificate.');
  if (moreKeys.length > 0) throw refusal('There is more than one private key in the file.');
  const key = readKey(keyBlock);
  if (blocks.length - 1 > MAX_CERTIFICATES) {
    throw refusal(
      `There are ${blocks.length - 1} certificates in the file; ${MAX_CERTIFICATES} are the most.`,
    );
  }
  const certificates = readCertificates(blocks);
  if (certificates.length === 0) throw refusal('There is no certificate in the file; send it with its key.');
  const leaf = leafOf(certificates, key);
  requireSoundKey(leaf.x509, key);
  requireServerUse(leaf);
  if (now !== undefined) requireNotExpired(leaf, now);
  const chain = chainOf(leaf, certificates);
  return {
    cert: chain.map(({ x509 }) => x509.toString()).join(''),
    key: String(key.export({ type: 'pkcs8', format: 'pem' })),
    leaf: leaf.x509,
    validFrom: leaf.x509.validFromDate,
    validTo: leaf.x509.validToDate,
  };
}

function readKey({ label, encrypted, der }: PemBlock): KeyObject {
  if (encrypted || label === 'ENCRYPTED PRIVATE KEY') {
    throw refusal('The private key is encrypted. Send it without a passphrase ("openssl pkey" removes it).');
  }
  const type = Object.hasOwn(KEY_TYPES, label) ? KEY_TYPES[label] : undefined;
  if (!type) throw refusal('The private key is in a form that TLS does not use; "openssl pkey" converts it.');
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: der, format: 'der', type });
  } catch {
    throw refusal('The private key is damaged.');
  }
  requireStrength(key);
  return key;
}

function requireStrength({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): void {
  if (asymmetricKeyType === 'ed25519') return;
  if (asymmetricKeyType === 'rsa') {
    const bits = asymmetricKeyDetails?.modulusLength ?? 0;
    if (bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS) return;
    throw refusal(`The RSA key has ${bits} bits; it must have ${MIN_RSA_BITS} to ${MAX_RSA_BITS}.`);
  }
  if (asymmetricKeyType === 'ec') {
    if (CURVES.includes(asymmetricKeyDetails?.namedCurve)) return;
    throw refusal('The key is on another curve than P-256, P-384 and P-521.');
  }
  throw refusal('The key is neither RSA, nor EC (P-256, P-384, P-521), nor Ed25519.');
}

function leafOf(certificates: readonly PlacedCertificate[], key: KeyObject): PlacedCertificate {
  const [leaf, ...more] = certificates.filter(({ x509 }) => fits(x509, key));
  if (!leaf) throw refusal('The private key belongs to none of the certificates in the file.');
  if (more.length > 0) throw refusal('The private key belongs to several certificates; send one of them.');
  return leaf;
}

function fits(x509: X509Certificate, key: KeyObject): boolean {
  try {
    return x509.checkPrivateKey(key);
  } catch {
    return false;
  }
}

/** Only the public parts tell which certificate a key belongs to; the private one, when damaged, fails every handshake. */
function requireSoundKey({ publicKey }: X509Certificate, key: KeyObject): void {
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const text = Buffer.from('vitrine');
  try {
    if (verify(digest, text, publicKey, sign(digest, text, key))) return;
  } catch {
    // As a signature that is not right.
  }
  throw refusal('The private key is damaged.');
}

function requireServerUse({ x509, name }: PlacedCertificate): void {
  // Undefined without the extension, which then limits nothing.
  const usages: readonly string[] | undefined = x509.keyUsage;
  if (!usages || usages.some((usage) => SERVER_USAGES.includes(usage))) return;
  throw refusal(`${name} is not for TLS servers: its extended key usage does not say so.`);
}

/** The leaf, then what signed it, and so on: all there is in the file. */
function chainOf(leaf: PlacedCertificate, certificates: readonly PlacedCertificate[]): PlacedCertificate[] {
  const chain = [leaf];
  const left = new Set(certificates);
  left.delete(leaf);
  for (const { x509 } of chain) {
    for (const candidate of left) {
      if (!isIssuedBy(x509, candidate.x509)) continue;
      chain.push(candidate);
      left.delete(candidate);
    }
  }
  const [stray] = left;
  if (stray) throw refusal(`${stray.name} signed none of the others: it does not belong to the chain.`);
  return chain;
}
