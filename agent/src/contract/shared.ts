import { type TSchema, Type } from 'typebox';

/** ISO 8601 UTC with milliseconds and `Z` (contract-decisions: General rules). */
export const Timestamp = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  description: 'ISO 8601 UTC with milliseconds',
});

/** A bundle's name is a DNS label, since each bundle is the web origin `http://<name>.localhost`. */
export const BUNDLE_NAME = '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$';

/** How a screen may be turned, in degrees clockwise. */
export const ROTATIONS = [0, 90, 180, 270] as const;

export const Nothing = Type.Object({}, { additionalProperties: false });

/** `schema` or null: a value that the board cannot read is null, never invented. */
export const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

export const ErrorEnvelopeSchema = Type.Object({
  error: Type.Object({
    code: Type.String({ description: 'Stable, machine-readable' }),
    message: Type.String({ description: 'Human-readable English; the wording may change' }),
    details: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'Of a bad_request: `issues`, up to 100 of `{path, message}`, and `more`, the number of those left out',
      }),
    ),
  }),
});

/** Now, as the contract spells times. */
export function now(): string {
  return new Date().toISOString();
}
