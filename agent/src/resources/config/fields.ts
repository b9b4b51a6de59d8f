/** Builders for the fields of a configuration group. Each leaf has a default and says when it takes effect. */
import type { TSchema } from 'typebox';
import * as Type from 'typebox';

/** When a patched field takes effect. */
export type Applied = 'live' | 'reboot_required';

/** Keyword of a leaf's schema that says when it takes effect. */
export const APPLIED = 'x-applied';

interface Options {
  description?: string;
  [rule: string]: unknown;
}

function leaves<const A extends Applied>(applied: A) {
  const mark = <S extends TSchema>(schema: S) => Object.assign(schema, { [APPLIED]: applied } as const);
  return {
    bool: (value: boolean, options?: Options) => mark(Type.Boolean({ ...options, default: value })),
    int: (value: number, minimum: number, maximum: number, options?: Options) =>
      mark(Type.Integer({ minimum, maximum, ...options, default: value })),
    text: (value: string, options?: Options) => mark(Type.String({ ...options, default: value })),
    choice: <const V extends (string | number)[]>(
      value: V[number],
      values: readonly [...V],
      options?: Options,
    ) => mark(Type.Enum([...values], { ...options, default: value })),
    /** A field that is null by default; the description says what null means. */
    maybe: <S extends TSchema>(schema: S, options?: Options) =>
      mark(Type.Union([schema, Type.Null()], { ...options, default: null })),
    list: <S extends TSchema>(items: S, maxItems: number, options?: Options) =>
      mark(Type.Array(items, { maxItems, ...options, default: [] })),
  };
}

/** Leaves that take effect immediately. */
export const live = leaves('live');
/** Leaves that are stored now and take effect at the next boot. */
export const atBoot = leaves('reboot_required');

/**
 * A nested object of the configuration.
 * @param $id its name in the OpenAPI document; the schema of a patch has the suffix `Patch`
 */
export const section = <P extends Record<string, TSchema>>($id: string, fields: P) =>
  Type.Object(fields, { $id, additionalProperties: false });
