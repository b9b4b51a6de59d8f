import type { TProperties, TSchema } from 'typebox';
import * as Type from 'typebox';

/** ISO 8601 UTC with milliseconds and `Z` (docs/api.md: Responses). */
export const Timestamp = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  format: 'date-time',
  description: 'ISO 8601 UTC with milliseconds',
});

/** Control characters for a character class in a pattern; spelt out, since not every OpenAPI tool supports `\p`. */
export const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';

/** Annotation of a text with a pattern: what an error says of a text that does not match, after its path. */
export const RULE = 'x-rule';

/** Options of a text that must match `pattern`. @param rule what an error says of another text: "must be …", with an example */
export const matching = (pattern: string, rule: string) => ({ pattern, [RULE]: rule });

/** An object without fields. */
export const Nothing = Type.Object(
  {},
  { $id: 'Nothing', additionalProperties: false, description: 'An object without fields' },
);

/** An object without other fields than these: a JSON body or a query. */
export const Exactly = <P extends TProperties>(fields: P) =>
  Type.Object(fields, { additionalProperties: false });

/** `schema` or null: a value that the board cannot read is null. */
export const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

export const ErrorEnvelopeSchema = Type.Object(
  {
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
  },
  { $id: 'Error', description: 'The body of every answer that is not 2xx' },
);

const TIME = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Reads an ISO 8601 time with its offset.
 * @returns milliseconds since 1970; undefined for other text and for dates that do not exist (30 February)
 */
export function parseTime(text: string): number | undefined {
  const [, year, month, day] = (TIME.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const ms = Date.parse(text);
  // Date.parse accepts 31 days in every month, and 24:00.
  const lastDay = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  return Number.isNaN(ms) || day > lastDay || text.includes('T24') ? undefined : ms;
}

/** The current time as a Timestamp. */
export function now(): string {
  return new Date().toISOString();
}
