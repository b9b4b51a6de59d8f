import type { KeyObject } from 'node:crypto';

export const MIN_RSA_BITS = 2048;
const CURVES: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1'];

/** Whether clients accept a key of this kind and length. */
export function isStrongKey({
  asymmetricKeyType: type,
  asymmetricKeyDetails: details = {},
}: KeyObject): boolean {
  if (type === 'rsa' || type === 'rsa-pss') return (details.modulusLength ?? 0) >= MIN_RSA_BITS;
  return type === 'ed25519' || (type === 'ec' && CURVES.includes(details.namedCurve));
}
