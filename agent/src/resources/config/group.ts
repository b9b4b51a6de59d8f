/** A resource's part of the configuration: a group of fields, its rules, and how changes take effect. */
import type { Static, TObject, TRecord, TSchema } from 'typebox';
import * as Type from 'typebox';
import type { ErrorDefinition } from '../../contract/errors.ts';
import type { Issue } from '../../contract/issues.ts';
import type { APPLIED } from './fields.ts';
import { hasLiveLeaf } from './tree.ts';

/** A broken rule: one over several fields, or one that a pattern cannot express. */
export interface BrokenRule extends Issue {
  /** JSON pointer of the field that is removed from a stored document that breaks the rule; `path` by default. */
  reset?: string;
}

/** The properties of the board and its system that rules depend on. */
export interface BoardLimits {
  /** Whether a radio can carry a 5 GHz access point. */
  dualBandRadio: boolean;
  /** Whether the system has the data of a time zone, under exactly this name. */
  hasTimeZone: (name: string) => boolean;
  /** Whether the system has a keyboard layout, with its variant in parentheses. */
  hasKeyboardLayout: (name: string) => boolean;
}

/** One top-level group of the configuration, `display` for example; a resource declares and owns it. */
export interface ConfigGroup<S extends TObject = TObject> {
  readonly name: string;
  readonly schema: S;
  /** The rules that a value which fits the schema breaks; JSON pointers start at the group. */
  readonly brokenRules: (value: unknown, board: BoardLimits) => BrokenRule[];
  /** Errors with which its `check` refuses a patch (see {@link BindingHooks}). */
  readonly errors: readonly ErrorDefinition[];
}

/**
 * @param name key in the configuration
 * @param $id name of the schema in the OpenAPI document
 */
export function configGroup<P extends Record<string, TSchema>>(
  name: string,
  $id: string,
  fields: P,
  options: {
    description?: string;
    rules?: (value: Static<TObject<P>>, board: BoardLimits) => BrokenRule[];
    errors?: readonly ErrorDefinition[];
  } = {},
): ConfigGroup<TObject<P>> {
  const { rules, errors = [], ...rest } = options;
  const schema = Type.Object(fields, { $id, additionalProperties: false, ...rest });
  return {
    name,
    schema,
    // The store calls it with values that fit `schema` only.
    brokenRules: (value, board) => rules?.(value as Static<TObject<P>>, board) ?? [],
    errors,
  };
}

/** Value of a group. */
export type GroupValue<G extends ConfigGroup> = Static<G['schema']>;

type HasLiveLeaf<S> = S extends { [K in typeof APPLIED]: infer A }
  ? A extends 'live'
    ? true
    : false
  : S extends TObject<infer P>
    ? true extends { [K in keyof P]: HasLiveLeaf<P[K]> }[keyof P]
      ? true
      : false
    : S extends TRecord<string, infer V>
      ? HasLiveLeaf<V>
      : false;

/** The field is read every time it is needed, so a change takes effect by itself. */
export const READ_WHEN_NEEDED = 'read when needed';
/** The field is stored but never applied on this system: it is answered `reboot_required`. */
export const NOT_APPLIED_HERE = 'not applied here';

/** Makes a change take effect. Throws when it could not. */
export type Apply<V> = (now: V, before: V) => void | Promise<void>;
/** The function that applies a field, or why there is nothing to do. */
export type ApplyOr<V> = Apply<V> | typeof READ_WHEN_NEEDED | typeof NOT_APPLIED_HERE;

/** The fields of a group that have a live leaf. */
export type LiveFields<P extends Record<string, TSchema>> = {
  [K in keyof P as HasLiveLeaf<P[K]> extends true ? K : never]: ApplyOr<Static<TObject<P>>>;
};

export interface BindingHooks {
  /**
   * Refuses a patch for reasons that are neither in the schema nor in the rules.
   * @param patch the group's part of it; null resets the group
   * @throws ApiError
   */
  check?: (patch: unknown) => Promise<void>;
  /** Called after a patch has changed any field of the group, before its live fields are applied. */
  changed?: () => void;
  /** Whether a live leaf, by its path in the group, takes effect now on this device; by default it does. */
  isLive?: (path: string) => boolean;
}

/** A group together with how its changes take effect. Created by {@link bindGroup} or {@link bindNothing}. */
export interface ConfigBinding extends BindingHooks {
  readonly group: ConfigGroup;
  /** By field, of those with a live leaf. */
  readonly live: Readonly<Record<string, ApplyOr<unknown>>>;
}

/**
 * Binds a group to the functions that apply it. Fields that share a function are applied together, by one call.
 * @param apply for every field with a live leaf that is no exception
 */
export function bindGroup<P extends Record<string, TSchema>>(
  group: ConfigGroup<TObject<P>>,
  apply: ApplyOr<Static<TObject<P>>>,
  exceptions: Partial<LiveFields<P>> = {},
  hooks: BindingHooks = {},
): ConfigBinding {
  const fields = Object.entries(group.schema.properties).filter(([, schema]) => hasLiveLeaf(schema));
  const live = { ...Object.fromEntries(fields.map(([field]) => [field, apply])), ...exceptions };
  // The store calls each function with values of this group, which fit its schema.
  return { group, live: live as ConfigBinding['live'], ...hooks };
}

/** Binds a group of hardware that this device does not drive: there is nothing to apply. */
export function bindNothing(group: ConfigGroup): ConfigBinding {
  return { group, live: {} };
}
