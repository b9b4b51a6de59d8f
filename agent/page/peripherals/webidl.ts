/** Conversions and interface objects as Web IDL has them (https://webidl.spec.whatwg.org/). */
import {
  apply,
  ByteArray,
  defineProperty,
  get,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  getterOf,
  isFiniteNumber,
  isView,
  iterator,
  listen,
  ownKeys,
  toNumber,
  toStringTag,
  toText,
  trunc,
  typeError,
} from './builtins.ts';

/** The browser's EventTarget, typed with the events that an interface declares. */
export const eventTarget = <T extends EventTarget>(): (new () => Pick<T, keyof EventTarget>) => EventTarget;

/** First argument of constructors that a page may not call. */
export const KEY = Symbol();

/** @throws TypeError unless the constructor was called by the shims */
export function checkKey(key: unknown): void {
  if (key !== KEY) throw typeError('Illegal constructor');
}

/** A value as an unsigned integer, modulo 2 to the power of `bits`. @throws TypeError for a symbol */
export function integer(value: unknown, bits: number): number {
  const number = trunc(toNumber(value));
  const modulus = 2 ** bits;
  return isFiniteNumber(number) ? ((number % modulus) + modulus) % modulus : 0;
}

/** A value as an unsigned integer with the extended attribute `EnforceRange`. @throws TypeError */
export function enforcedInteger(value: unknown, bits: number, name: string): number {
  const number = trunc(toNumber(value));
  if (!(number >= 0 && number < 2 ** bits)) throw typeError(`${name} is not an integer of ${bits} bits.`);
  // Not -0.
  return number + 0;
}

/** @throws TypeError for a value that the enumeration does not have */
export function enumeration<T extends string>(value: unknown, values: readonly T[], name: string): T {
  const text = toText(value);
  for (let at = 0; at < values.length; at += 1) {
    const known = values[at];
    if (known === text) return known;
  }
  throw typeError(`${name}: '${text}' is not a valid value.`);
}

/** A dictionary; undefined and null are empty ones. @throws TypeError for anything else that is not an object */
export function dictionary(value: unknown, name: string): (member: string) => unknown {
  if (value === undefined || value === null) return () => undefined;
  if (!isObject(value)) throw typeError(`${name} is not an object.`);
  return (member) => get(value, member);
}

export const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

/** A member, converted if it is present. */
export function optional<T>(value: unknown, convert: (value: unknown) => T): T | undefined {
  return value === undefined ? undefined : convert(value);
}

/** A member that has to be there. @throws TypeError */
export function required(value: unknown, name: string): unknown {
  if (value === undefined) throw typeError(`Required member ${name} is undefined.`);
  return value;
}

/** @throws TypeError for a device filter that has `member` without `needed` */
export function checkNeeds<T>(filter: T, member: keyof T & string, needed: keyof T & string): void {
  if (filter[member] !== undefined && filter[needed] === undefined)
    throw typeError(`A filter containing a ${member} must also contain a ${needed}.`);
}

/** Elements of an iterable object, converted. @throws TypeError for other values */
export function sequence<T>(value: unknown, convert: (element: unknown) => T, name: string): T[] {
  if (!isIterable(value)) throw typeError(`${name} cannot be converted to a sequence.`);
  const elements: T[] = [];
  for (const element of value) elements[elements.length] = convert(element);
  return elements;
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return isObject(value) && typeof get(value, iterator) === 'function';
}

/** Throws a TypeError for what is not an ArrayBuffer, for example a shared one. */
const lengthOf = getterOf(ArrayBuffer.prototype, 'byteLength');

/**
 * A copy of the bytes of an ArrayBuffer or a view of one; undefined for anything else. A detached one is empty.
 * @throws TypeError for a view of shared memory
 */
export function bytesIfAny(value: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (isView(value)) {
    lengthOf(value.buffer);
    return new ByteArray(new ByteArray(value.buffer, value.byteOffset, value.byteLength));
  }
  if (!isBuffer(value)) return undefined;
  return lengthOf(value) === 0 ? new ByteArray() : new ByteArray(new ByteArray(value));
}

/** The same for a value that has to be one of these. @throws TypeError */
export function bytesOf(value: unknown): Uint8Array<ArrayBuffer> {
  const bytes = bytesIfAny(value);
  if (!bytes) throw typeError('The data is neither an ArrayBuffer nor a view of one.');
  return bytes;
}

function isBuffer(value: unknown): value is ArrayBuffer {
  try {
    lengthOf(value);
    return true;
  } catch {
    return false;
  }
}

/** An event handler attribute: a listener that is replaced in its place. */
export class Handler<T, E extends Event> {
  #handler: ((this: T, event: E) => unknown) | null = null;
  #isListening = false;
  readonly #target: EventTarget;
  readonly #type: string;

  constructor(target: EventTarget, type: string) {
    this.#target = target;
    this.#type = type;
  }

  get value(): ((this: T, event: E) => unknown) | null {
    return this.#handler;
  }

  /** What is not an object is null. */
  set value(handler: ((this: T, event: E) => unknown) | null) {
    this.#handler = typeof handler === 'function' || typeof handler === 'object' ? handler : null;
    if (this.#isListening || !this.#handler) return;
    this.#isListening = true;
    listen(this.#target, this.#type, (event) => {
      if (typeof this.#handler === 'function') apply(this.#handler, this.#target, [event]);
    });
  }
}

/** Calls `start` when somebody listens to `connect` or `disconnect`, which only come after a call. */
export function startOnListen(target: EventTarget, start: () => void): void {
  defineProperty(target, 'addEventListener', {
    configurable: true,
    writable: true,
    value(...args: unknown[]) {
      if (args[0] === 'connect' || args[0] === 'disconnect') start();
      // The page's, if it has replaced the browser's.
      apply(get(getPrototypeOf(target) ?? target, 'addEventListener'), target, args);
    },
  });
}

/** An operation that rejects if it gets too few arguments. Those with arguments all return promises. */
function counted(name: string, operation: (...args: unknown[]) => unknown): unknown {
  const { length } = operation;
  const { [name]: checked } = {
    async [name](...args: unknown[]) {
      if (args.length < length)
        throw typeError(`${length} arguments required, but only ${args.length} present.`);
      return await apply(operation, this, args);
    },
  };
  return checked && defineProperty(checked, 'length', { configurable: true, value: length }) && checked;
}

/** Makes a class an interface of the window. @param length of its constructor's arguments */
export function expose(type: { prototype: object }, name: string, length = 0): void {
  const { prototype } = type;
  for (const key of ownKeys(prototype)) {
    const property = getOwnPropertyDescriptor(prototype, key);
    if (!property || typeof key !== 'string' || key === 'constructor') continue;
    if (property.value?.length > 0) property.value = counted(key, property.value);
    defineProperty(prototype, key, { ...property, enumerable: true });
  }
  defineProperty(prototype, toStringTag, { configurable: true, value: name });
  defineProperty(type, 'name', { configurable: true, value: name });
  defineProperty(type, 'length', { configurable: true, value: length });
  defineProperty(window, name, { configurable: true, writable: true, value: type });
}

const userAgentOf = getterOf(Navigator.prototype, 'userAgent');

/** Defines a read-only attribute of `navigator`. */
export function exposeOnNavigator(name: string, value: object): void {
  // The getter gets its name from the literal.
  const accessor = {
    get [name]() {
      // Throws if it is called for something else, as the browser's own getters do.
      userAgentOf(this);
      return value;
    },
  };
  const property = getOwnPropertyDescriptor(accessor, name);
  defineProperty(Navigator.prototype, name, { ...property, enumerable: true, configurable: true });
}
