import { type TSchema, Type } from 'typebox';

/** When a patched field takes effect (interface: States, Configuration field). */
export type Applied = 'live' | 'reboot_required';

/** Key of the annotation that says a leaf's {@link Applied}. */
export const APPLIED = 'x-applied';

interface Options {
  description?: string;
  [rule: string]: unknown;
}

/** What one group of the tree is built with: each leaf carries its default and when it takes effect. */
function leaves(applied: Applied) {
  const mark = (value: unknown, options: Options = {}) => ({
    ...options,
    default: value,
    [APPLIED]: applied,
  });
  return {
    bool: (value: boolean, options?: Options) => Type.Boolean(mark(value, options)),
    int: (value: number, minimum: number, maximum: number, options?: Options) =>
      Type.Integer(mark(value, { minimum, maximum, ...options })),
    text: (value: string, options?: Options) => Type.String(mark(value, options)),
    choice: <const V extends (string | number)[]>(
      value: V[number],
      values: readonly [...V],
      options?: Options,
    ) => Type.Enum([...values], mark(value, options)),
    /** A field without a value of its own by default; the description says what null stands for. */
    maybe: <S extends TSchema>(schema: S, options?: Options) =>
      Type.Union([schema, Type.Null()], mark(null, options)),
    list: <S extends TSchema>(items: S, maxItems: number, options?: Options) =>
      Type.Array(items, mark([], { maxItems, ...options })),
  };
}

/** Leaves that take effect at once. */
export const live = leaves('live');
/** Leaves that are kept now and take effect at the next boot or restart of what they concern. */
export const atBoot = leaves('reboot_required');

/**
 * An object of the tree: nothing but its fields.
 * @param $id its name in the document; in patches it has `Patch` behind it
 */
export const group = <P extends Record<string, TSchema>>(
  $id: string,
  fields: P,
  options: { description?: string } = {},
) => Type.Object(fields, { $id, additionalProperties: false, ...options });
