/** The fields of the frames that hosts send on any link. */
import { closest } from '../base/spelling.ts';
import { ApiError } from '../contract/errors.ts';
import { badRequest } from '../contract/issues.ts';
import { unknownField } from '../validation/schema-at.ts';

/** The fields of each type of frame, besides `type`. */
export type FrameFields = ReadonlyMap<string, readonly string[]>;

/** A `bad_request` if a frame of one of the types has a field that the type does not have; else undefined. */
export function unknownFields(
  frame: Readonly<Record<string, unknown>>,
  fields: FrameFields,
): ApiError | undefined {
  const known = typeof frame.type === 'string' ? fields.get(frame.type) : undefined;
  if (!known) return undefined;
  const others = Object.keys(frame).filter((name) => name !== 'type' && !known.includes(name));
  const issues = others.map((name) => ({
    path: `/${name}`,
    message: unknownField(name, ['type', ...known]),
  }));
  return issues.length === 0 ? undefined : badRequest('', issues);
}

/** The error for a frame of a type that there is not. */
export function unknownType(type: unknown, known: readonly string[]): ApiError {
  const types = known.join(', ');
  if (typeof type !== 'string')
    return new ApiError('bad_request', `The frame has no type. Types are ${types}.`);
  const meant = closest(type, known);
  const hint = meant === undefined ? `Types are ${types}.` : `Did you mean ${meant}?`;
  return new ApiError('bad_request', `There is no frame type ${type.slice(0, 40)}. ${hint}`);
}
