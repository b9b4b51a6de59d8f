import { createRequire } from 'node:module';

// Loaded when the bus is first needed: loading the package takes longer than starting the agent.
const require = createRequire(import.meta.url);
let loaded: typeof import('dbus-next') | undefined;
export function library(): typeof import('dbus-next') {
  loaded ??= require('dbus-next') as typeof import('dbus-next');
  return loaded;
}

/** A value to send, with its D-Bus type. Byte arrays (`ay`) are binary, 64-bit integers (`x`, `t`) are bigint. */
export type BusValue =
  | readonly [type: 's' | 'o', value: string]
  | readonly [type: 'b', value: boolean]
  | readonly [type: 'y' | 'n' | 'q' | 'i' | 'u' | 'd', value: number]
  | readonly [type: 'x' | 't', value: bigint]
  | readonly [type: 'ay', value: Buffer]
  | readonly [type: 'as' | 'ao', value: readonly string[]]
  | readonly [type: 'aay', value: readonly Buffer[]]
  | readonly [type: 'v', value: BusValue]
  | readonly [type: 'a{sv}', value: Readonly<Record<string, BusValue>>]
  | readonly [type: 'aa{say}', value: readonly Readonly<Record<string, Buffer>>[]];

/** A failed method call, or the error with which an exported method answers. */
export class BusError extends Error {
  override name = 'BusError';
  /**
   * Name of the D-Bus error. `vitrine.Disconnected`, `vitrine.Timeout`, `vitrine.BadReply` and `vitrine.Busy` are set
   * by the agent itself.
   */
  readonly errorName: string;

  constructor(errorName: string, message: string) {
    super(message);
    this.errorName = errorName;
  }
}

const OBJECT_PATH = /^\/(?:\w+(?:\/\w+)*)?$/;

/**
 * Converts a value to what dbus-next encodes.
 * @throws TypeError for an invalid object path: the bus daemon would close the connection
 */
export function encode([type, value]: BusValue): unknown {
  if (type === 'o' || type === 'ao') {
    const invalid = [value].flat().find((path) => !OBJECT_PATH.test(path));
    if (invalid !== undefined) throw new TypeError(`not a D-Bus object path: ${invalid}`);
  }
  if (type === 'v') return variant(value);
  if (type !== 'a{sv}') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, variant(inner)]));
}

function variant(typed: BusValue): unknown {
  return new (library().Variant)(typed[0], encode(typed));
}

/** Removes the variants around and inside a value that dbus-next decoded. */
export function plain(value: unknown): unknown {
  if (value instanceof library().Variant) return plain(value.value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

/** Tells whether a decoded value has a type. */
export type Guard<T> = (value: unknown) => value is T;

export const anything: Guard<unknown> = (value): value is unknown => true;
export const text: Guard<string> = (value) => typeof value === 'string';
export const isBytes: Guard<Uint8Array> = (value): value is Uint8Array => value instanceof Uint8Array;
export const integer: Guard<number> = (value): value is number => Number.isInteger(value);
export const listOf =
  <T>(item: Guard<T>): Guard<T[]> =>
  (value): value is T[] =>
    Array.isArray(value) && value.every(item);
export const recordOf =
  <T>(item: Guard<T>): Guard<Record<string, T>> =>
  (value): value is Record<string, T> =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(item);

type Guarded<G extends readonly Guard<unknown>[]> = {
  -readonly [I in keyof G]: G[I] extends Guard<infer T> ? T : never;
};

function fitAll<G extends readonly Guard<unknown>[]>(
  guards: G,
  args: readonly unknown[],
): args is Guarded<G> & readonly unknown[] {
  return guards.length === args.length && guards.every((guard, index) => guard(args[index]));
}

/**
 * Returns a function that checks the arguments of a reply, signal or incoming call.
 * @param guards one for each argument; variants are already removed
 * @returns throws BusError `vitrine.BadReply` when an argument does not fit or the number differs
 */
export function shaped<const G extends readonly Guard<unknown>[]>(
  ...guards: G
): (args: readonly unknown[]) => Guarded<G> {
  return (args) => {
    if (!fitAll(guards, args)) throw new BusError('vitrine.BadReply', 'the arguments have unexpected types');
    return args;
  };
}
