/**
 * What the shims use of the browser, taken before the page's scripts run: a page that replaces globals or prototypes
 * afterwards does not break them. Arrays are read by index, and not destructured, for the same reason: that would call
 * `Array.prototype[Symbol.iterator]`. The codec of Web NFC (ndef-….ts) uses methods of strings and
 * arrays nevertheless: a page that replaces these gets wrong messages or none.
 */
export const { apply, defineProperty, get, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect;
export const { freeze } = Object;
export const { isFinite: isFiniteNumber } = Number;
export const { min, max, trunc } = Math;
export const { parse, stringify } = JSON;
export const { isView } = ArrayBuffer;
export const { fromBase64 } = Uint8Array;
export const NativePromise = Promise;
export const ByteArray = Uint8Array;
export const View = DataView;
export const NativeEvent = Event;
export const { iterator, toStringTag } = Symbol;
export const NativeCustomEvent = CustomEvent;
export const NativeAbortSignal = AbortSignal;
export const toNumber = Number;
/** A value as a string (`DOMString`). @throws TypeError for a symbol */
export const toText = (value: unknown): string => `${value}`;
export const startTimer = setTimeout.bind(globalThis);
export const stopTimer = clearTimeout.bind(globalThis);

const NativeTypeError = TypeError;
const NativeRangeError = RangeError;
const NativeDomException = DOMException;

export const typeError = (message: string): TypeError => new NativeTypeError(message);
export const rangeError = (message: string): RangeError => new NativeRangeError(message);
export const domException = (name: string, message: string): DOMException =>
  new NativeDomException(message, name);

/** A method as a function whose first argument is the object. */
export function uncurry<T, A extends unknown[], R>(
  method: (this: T, ...args: A) => R,
): (self: T, ...args: A) => R {
  return (self, ...args) => apply(method, self, args);
}

/** The getter of an attribute as a function of the object. It throws a TypeError for an object of another class. */
export function getterOf(prototype: object, name: string): (self: unknown) => unknown {
  const getter = getOwnPropertyDescriptor(prototype, name)?.get;
  if (!getter) throw typeError(`There is no attribute ${name}.`);
  return (self) => apply(getter, self, []);
}

const domExceptionName = getterOf(NativeDomException.prototype, 'name');
/** Whether an error is a DOMException of this name. */
export const isNamed = (error: unknown, name: string): boolean =>
  error instanceof NativeDomException && domExceptionName(error) === name;

export const dispatch = uncurry<EventTarget, [Event], boolean>(EventTarget.prototype.dispatchEvent);
export const listen = uncurry<EventTarget, [string, (event: Event) => void], void>(
  EventTarget.prototype.addEventListener,
);
export const unlisten = uncurry<EventTarget, [string, (event: Event) => void], void>(
  EventTarget.prototype.removeEventListener,
);
export const throwIfAborted = uncurry<AbortSignal, [], void>(AbortSignal.prototype.throwIfAborted);
/** As `USVString`: what is not Unicode becomes U+FFFD. */
export const toWellFormed = uncurry<string, [], string>(String.prototype.toWellFormed);
const arrayShift = Array.prototype.shift;
export const shift = <T>(list: T[]): T | undefined => apply(arrayShift, list, []);
export const toBase64 = uncurry<Uint8Array, [], string>(Uint8Array.prototype.toBase64);
export const setBytes = uncurry<Uint8Array, [Uint8Array, number], void>(Uint8Array.prototype.set);
/** Bytes of `bytes` from the index `from` to before `to`, not copied. */
export const subarray = (bytes: Uint8Array<ArrayBuffer>, from: number, to: number): Uint8Array<ArrayBuffer> =>
  new ByteArray(bytes.buffer, bytes.byteOffset + from, to - from);

/** An object as a map with numbers as keys, which does not use `Map.prototype`. */
export type NumberMap<T> = Record<number, T>;
const createObject = Object.create;
/** An object without a prototype. */
export const bareObject = <T>(): Record<string, T> => createObject(null);
export const numberMap = <T>(): NumberMap<T> => createObject(null);
/** Its keys, in rising order. */
export const numbersOf = (map: NumberMap<unknown>): number[] => {
  const keys: number[] = [];
  const names = ownKeys(map);
  for (let at = 0; at < names.length; at += 1) keys[at] = toNumber(names[at]);
  return keys;
};

/** `Array.prototype.map` that does not use it. */
export function mapped<T, R>(list: readonly T[], convert: (element: T) => R): R[] {
  const results: R[] = [];
  for (let at = 0; at < list.length; at += 1) {
    const element = list[at];
    if (element !== undefined) results[results.length] = convert(element);
  }
  return results;
}

/** `Array.prototype.filter` that does not use it. */
export function filtered<T>(list: readonly T[], test: (element: T) => boolean): T[] {
  const kept: T[] = [];
  for (let at = 0; at < list.length; at += 1) {
    const element = list[at];
    if (element !== undefined && test(element)) kept[kept.length] = element;
  }
  return kept;
}

/** `Array.prototype.find` that does not use it. */
export function found<T>(list: readonly T[], test: (element: T) => boolean): T | undefined {
  for (let at = 0; at < list.length; at += 1) {
    const element = list[at];
    if (element !== undefined && test(element)) return element;
  }
  return undefined;
}
