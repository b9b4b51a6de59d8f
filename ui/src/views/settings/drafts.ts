/** What the user has changed in the fields and not saved yet. Pure. */
import { isObject, same } from './json.ts';
import type { Field } from './schema.ts';

/** Why what was typed is no value: `line` is that of the error, if it is known. */
export interface Problem {
  readonly kind: 'number' | 'empty' | 'json' | 'list' | 'object';
  readonly line?: number | undefined;
}

export interface Draft {
  /** The value that the device had when the user began. */
  readonly base: unknown;
  /** What the user wants; undefined while there is a problem. */
  readonly value: unknown;
  /** As it was typed, for fields whose text has several forms. */
  readonly text?: string;
  readonly problem?: Problem;
  /** The device forgets its value and uses the default. */
  readonly isReset?: boolean;
}

export type Drafts = ReadonlyMap<string, Draft>;

/** A value that was chosen. */
export function chosen(base: unknown, value: unknown): Draft {
  return { base, value };
}

/** The default. */
export function reset(base: unknown, field: Field): Draft {
  return { base, value: field.default, isReset: true };
}

/** A number. @param typed null for nothing, undefined for something that is no number */
export function numberDraft(base: unknown, typed: number | null | undefined): Draft {
  if (typeof typed === 'number') return { base, value: typed };
  return { base, value: undefined, problem: { kind: typed === null ? 'empty' : 'number' } };
}

/** What was typed into a field for text. */
export function typedDraft(base: unknown, field: Field, text: string): Draft {
  if (field.kind === 'lines') {
    const lines = text.split('\n').map((line) => line.trim());
    return { base, text, value: lines.filter((line) => line !== '') };
  }
  if (field.kind === 'json') {
    const read = readJson(text.trim() === '' ? textOf(field, undefined) : text, field.isMap);
    return 'problem' in read
      ? { base, text, value: undefined, problem: read.problem }
      : { base, text, value: read.value };
  }
  const isMissing = text === '' && field.isNullable;
  return isMissing
    ? { base, text, value: undefined, problem: { kind: 'empty' } }
    : { base, text, value: text };
}

/** Begins with a value of a field that has none. */
export function begun(base: unknown, field: Field): Draft {
  if (base !== null) return { base, value: base };
  if (field.kind === 'choice') return { base, value: field.options[0] };
  if (field.kind === 'boolean') return { base, value: false };
  return field.kind === 'number' ? numberDraft(base, null) : typedDraft(base, field, '');
}

/** The text of a value in a field for text. */
export function textOf({ kind, isMap }: Pick<Field, 'kind' | 'isMap'>, value: unknown): string {
  if (kind === 'lines') return Array.isArray(value) ? value.map(String).join('\n') : '';
  if (kind === 'json') return JSON.stringify(value ?? (isMap ? {} : []), null, 2);
  return typeof value === 'string' ? value : '';
}

/** Reads JSON that is an object, or a list. */
export function readJson(text: string, isObjectWanted: boolean): { value: unknown } | { problem: Problem } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // Browsers say it in English words, in which only the position is the same.
    const line = /line (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    return { problem: { kind: 'json', line: line === undefined ? undefined : Number(line) } };
  }
  if (isObjectWanted) return isObject(value) ? { value } : { problem: { kind: 'object' } };
  return Array.isArray(value) ? { value } : { problem: { kind: 'list' } };
}

/** Whether a draft is something to save. One that says what the device has is kept while the user types. */
export function isChange({ base, value, problem }: Draft): boolean {
  return problem !== undefined || !same(base, value);
}

/** Whether somebody else has changed the field since the user began. @param current the value of the device */
export function hasConflict(draft: Draft, current: unknown): boolean {
  return isChange(draft) && !same(draft.base, current);
}

/** The user has seen the device's value and wants another one nevertheless. */
export function rebased(draft: Draft, current: unknown): Draft {
  return { ...draft, base: current };
}

/**
 * The drafts after the device's values have changed: without those that say the same, and those with which nothing was
 * changed.
 * @param deviceValue the value of the device
 * @returns the same map if nothing is different
 */
export function settled(drafts: Drafts, deviceValue: (name: string) => unknown): Drafts {
  const kept = [...drafts].filter(([name, draft]) => {
    const current = deviceValue(name);
    if (same(draft.base, current)) return true;
    return isChange(draft) && (draft.problem !== undefined || !same(draft.value, current));
  });
  return kept.length === drafts.size ? drafts : new Map(kept);
}

/** The drafts with another one for a field; undefined removes it. */
export function withDraft(drafts: Drafts, name: string, draft: Draft | undefined): Drafts {
  const next = new Map(drafts);
  if (draft) next.set(name, draft);
  else next.delete(name);
  return next;
}
