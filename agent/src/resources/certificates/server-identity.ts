import { createPrivateKey, type KeyObject, sign, verify, type X509Certificate } from 'node:crypto';
import { requireClientRules } from './client-rules.ts';
import { attempt, decode, type PemBlock, type PlacedCertificate, readPem, refusal } from './pem.ts';
import { isStrongKey, MIN_RSA_BITS } from './strong-key.ts';

/** The certificate and the key of HTTPS. */
export interface ServerIdentity {
  /** PEM: the server's certificate, then its chain up to the root as far as the upload had it. */
  cert: string;
  /** PEM, PKCS#8, not encrypted. Never logged, never in an answer. */
  key: string;
  /** The server's certificate. */
  leaf: X509Certificate;
  /** The same certificates as in `cert`. */
  chain: readonly PlacedCertificate[];
}

/** No chain in use has half as many; each is compared with each. */
const MAX_CERTIFICATES = 16;
/** A handshake with a longer key blocks the agent for tenths of a second on a board. */
const MAX_RSA_BITS = 8192;
/** Extended key usages: TLS server, any. */
const SERVER_USAGES = ['1.3.6.1.5.5.7.3.1', '2.5.29.37.0'];

/**
 * Reads an upload of the server's certificate, its chain and its key, in any order.
 * @param now ms since 1970; what clients refuse now is refused. Undefined: accept it
 * @throws ApiError `bad_request` with the reason, which quotes nothing of the key
 */
export function readServerIdentity(file: Buffer, now?: number): ServerIdentity {
  const { keys, certificates } = readPem(file, MAX_CERTIFICATES);
  const [keyBlock, ...moreKeys] = keys;
  if (!keyBlock) throw refusal('There is no private key in the file; send it together with the certificate.');
  if (moreKeys.length > 0) throw refusal('There is more than one private key in the file.');
  const key = readKey(keyBlock);
  const leaf = findLeaf(certificates, key);
  requireServerUse(leaf);
  const chain = sortChain(leaf, certificates);
  if (now !== undefined) requireClientRules(chain, now);
  return {
    chain,
    cert: chain.map(({ x509 }) => x509.toString()).join(''),
    key: String(key.export({ type: 'pkcs8', format: 'pem' })),
    leaf: leaf.x509,
  };
}

function readKey(block: PemBlock): KeyObject {
  const { label, body } = block;
  // The older encryption of OpenSSL has a header in the block.
  if (label.startsWith('ENCRYPTED') || body.includes('Proc-Type:')) {
    throw refusal('The private key is encrypted. Send it without a passphrase ("openssl pkey" removes it).');
  }
  const pem = `-----BEGIN ${label}-----\n${decode(block).toString('base64')}\n-----END ${label}-----\n`;
  const key = attempt(() => createPrivateKey(pem));
  if (!key) throw refusal('The private key is damaged or has an unknown format; "openssl pkey" converts it.');
  const isShort = (key.asymmetricKeyDetails?.modulusLength ?? 0) <= MAX_RSA_BITS;
  if (isStrongKey(key) && key.asymmetricKeyType !== 'rsa-pss' && isShort) return key;
  const allowed = `RSA with ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits, EC on P-256, P-384 or P-521, or Ed25519`;
  throw refusal(`The private key must be ${allowed}.`);
}

/** The certificate whose public key verifies what the private key signs, which also proves that the key is intact. */
function findLeaf(certificates: readonly PlacedCertificate[], key: KeyObject): PlacedCertificate {
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const text = Buffer.from('vitrine');
  const signature = attempt(() => sign(digest, text, key)) ?? Buffer.alloc(0);
  const [leaf, ...more] = certificates.filter(({ x509 }) =>
    attempt(() => verify(digest, text, x509.publicKey, signature)),
  );
  if (!leaf) throw refusal('The private key is damaged or belongs to none of the certificates in the file.');
  if (more.length > 0) throw refusal('The private key belongs to several certificates; send one of them.');
  return leaf;
}

function requireServerUse({ x509, name }: PlacedCertificate): void {
  // Undefined without the extension, which then limits nothing.
  const usages: readonly string[] | undefined = x509.keyUsage;
  if (!usages || usages.some((usage) => SERVER_USAGES.includes(usage))) return;
  throw refusal(`${name} is not for TLS servers: its extended key usage does not allow it.`);
}

/** The leaf, its issuer, the issuer's issuer and so on. */
function sortChain(
  leaf: PlacedCertificate,
  certificates: readonly PlacedCertificate[],
): readonly PlacedCertificate[] {
  const chain = new Set([leaf]);
  // A set also iterates over what is added meanwhile.
  for (const { x509 } of chain) {
    for (const issuer of certificates) {
      if (attempt(() => x509.checkIssued(issuer.x509) && x509.verify(issuer.x509.publicKey)))
        chain.add(issuer);
    }
  }
  const stray = certificates.find((each) => !chain.has(each));
  if (stray) throw refusal(`${stray.name} did not sign any of the others: it is not part of the chain.`);
  return [...chain];
}
