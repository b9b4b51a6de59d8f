/** Whose updates an image takes: the certificates in its keyring, of a product or for development. */
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { messageOf, Problem } from '../../lib/problem.ts';

/** What ci/image/make-key.sh calls the authorities that it makes. */
const DEVELOPMENT_NAME = 'CN=Vitrine development updates';
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Refuses to build a release without a keyring of the product's own; see docs/releasing.md. */
export function requireReleaseKeyring(keyring: string | undefined): void {
  if (keyring === undefined) {
    throw new Problem(
      'a release needs the keyring of the product: add --keyring FILE. Without one the image takes updates that your development key signed.',
    );
  }
  if (certificatesOf(keyring).some(isDevelopment)) {
    throw new Problem(`${keyring} holds a key for development; a release needs the keyring of the product.`);
  }
}

/** A warning about an image with this keyring; undefined for one of a product. */
export function keyringWarning(keyring: string): string | undefined {
  if (!certificatesOf(keyring).some(isDevelopment)) return undefined;
  return (
    `WARNING: this image takes updates that a development key signed (${keyring}). ` +
    'It is not for devices that leave you: build those with --release --keyring FILE (docs/releasing.md).'
  );
}

function isDevelopment({ subject }: X509Certificate): boolean {
  return subject.split('\n').includes(DEVELOPMENT_NAME);
}

function certificatesOf(keyring: string): X509Certificate[] {
  if (!existsSync(keyring)) throw new Problem(`there is no keyring ${keyring}.`);
  const blocks = readFileSync(keyring, 'utf8').match(CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new Problem(`the keyring ${keyring} holds no certificate (PEM).`);
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    throw new Problem(`the keyring ${keyring} holds a certificate that cannot be read: ${messageOf(error)}.`);
  }
}
