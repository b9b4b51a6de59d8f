/** Removes secrets from what leaves the device. Pure. */

/** Names of fields whose value is a secret: passphrases of networks, tokens of servers. */
const SECRET_NAME = /(?:psk|passphrase|password|token|secret|pin)$/i;
/** Between the scheme and the host of an address: user name and password. */
const CREDENTIALS = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]+@/gi;
const REMOVED = '(removed)';

/** A copy of a JSON value in which secrets are replaced. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(CREDENTIALS, `$1${REMOVED}@`);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]): [string, unknown] => {
    const isSecret = SECRET_NAME.test(name) && typeof field === 'string' && field !== '';
    return [name, isSecret ? REMOVED : withoutSecrets(field)];
  });
  return Object.fromEntries(fields);
}
