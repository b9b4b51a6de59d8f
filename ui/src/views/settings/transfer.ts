/** The configuration as a file. Pure. */
import { type JsonObject, valueAt, withoutValue } from './json.ts';
import type { Field } from './schema.ts';

/** Largest file that is read, in bytes: more than every field with its longest value. */
export const MOST_BYTES = 4 * 2 ** 20;

/** The fields in which a passphrase or token is set. */
export function secretsIn(config: JsonObject, fields: readonly Field[]): Field[] {
  return fields.filter(({ hasSecret, path }) => hasSecret && !isEmpty(valueAt(config, path)));
}

/** The configuration without the fields that have secrets in them. Imported, such a file leaves those as they are. */
export function withoutSecretFields(config: JsonObject, fields: readonly Field[]): JsonObject {
  return secretsIn(config, fields).reduce((rest, { path }) => withoutValue(rest, path), config);
}

export function fileText(config: JsonObject): string {
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** The name of an exported file: that of the device, as far as file systems take it. */
export function fileName(device: string, hasSecrets: boolean): string {
  const name = device
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
  return `${name || 'device'}-configuration${hasSecrets ? '-with-secrets' : ''}.json`;
}

function isEmpty(value: unknown): boolean {
  return (
    value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  );
}
