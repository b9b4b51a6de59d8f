/** Checks the keyring that verifies update bundles: it holds certificates of a product or development certificates. */
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { errorMessage } from '../../../agent/src/base/system-error.ts';
import { Problem } from '../../lib/problem.ts';

/** Subject of the authorities that ci/image/make-key.sh creates. */
const DEVELOPMENT_NAME = 'CN=Vitrine development updates';
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Throws a {@link Problem} for a release without the product's own keyring; see docs/releasing.md. */
export function requireReleaseKeyring(keyring: string | undefined): void {
  if (keyring === undefined) {
    throw new Problem(
      'a release needs the keyring of the product: add --keyring FILE. Without it the image accepts updates that are signed by your development key.',
    );
  }
  if (certificatesOf(keyring).some(isDevelopment)) {
    throw new Problem(`${keyring} holds a development key; a release needs the keyring of the product.`);
  }
}

/** A warning if the keyring holds a development certificate, else undefined. */
export function keyringWarning(keyring: string): string | undefined {
  if (!certificatesOf(keyring).some(isDevelopment)) return undefined;
  return (
    `WARNING: this image accepts updates that are signed by a development key (${keyring}). ` +
    'Do not ship it: build images for products with --release --keyring FILE (docs/releasing.md).'
  );
}

function isDevelopment({ subject }: X509Certificate): boolean {
  return subject.split('\n').includes(DEVELOPMENT_NAME);
}

function certificatesOf(keyring: string): X509Certificate[] {
  if (!existsSync(keyring)) throw new Problem(`there is no keyring ${keyring}.`);
  const blocks = readFileSync(keyring, 'utf8').match(CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new Problem(`the keyring ${keyring} contains no certificate (PEM).`);
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    throw new Problem(`the keyring ${keyring} contains an invalid certificate: ${errorMessage(error)}.`);
  }
}
