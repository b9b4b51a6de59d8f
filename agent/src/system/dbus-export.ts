import { withTimeout } from '../base/timeout.ts';
import type { IncomingMessage } from './dbus-connection.ts';
import { BusError, type BusValue } from './dbus-values.ts';

/** Longest time for a method of ours, in ms: a user may have to confirm something on the screen. */
const METHOD_TIMEOUT_MS = 60_000;
/** Calls of one object's methods that may run at a time. */
export const MAX_OPEN_CALLS = 16;
const ERROR = 'org.freedesktop.DBus.Error';

/** Runs for each call. Gives the reply's arguments; a BusError that it throws is the error reply. */
export type ExportedMethod = (args: readonly unknown[]) => Promise<readonly BusValue[]> | readonly BusValue[];

/** An object of the agent that one service may call, for example `org.bluez.Agent1`. */
export interface ExportedObject {
  path: string;
  interface: string;
  /** Well-known name of the only service that may call it. */
  caller: string;
  /** By member name; `method` checks their arguments. */
  methods: Readonly<Record<string, ExportedMethod>>;
  /** In ms, 60 s by default; a method that takes longer is answered with NoReply. */
  timeoutMs?: number;
}

/** A method whose arguments are checked before it runs. @param parse from `shaped` */
export function method<A extends readonly unknown[]>(
  parse: (args: readonly unknown[]) => A,
  run: (...args: NoInfer<A>) => Promise<readonly BusValue[]> | readonly BusValue[],
): ExportedMethod {
  return (args) => {
    let parsed: A;
    try {
      parsed = parse(args);
    } catch {
      throw new BusError(`${ERROR}.InvalidArgs`, 'The arguments have unexpected types.');
    }
    return run(...parsed);
  };
}

/** The objects that the agent exports, and the calls to them. */
export class ExportedObjects {
  /** With the number of running calls of each object. */
  readonly #objects = new Map<ExportedObject, number>();

  add(object: ExportedObject): () => void {
    this.#objects.set(object, 0);
    return () => this.#objects.delete(object);
  }

  /**
   * Runs the method that a call names.
   * @param isOwner whether the unique name `sender` owns a well-known name
   * @throws BusError to answer with
   */
  async run(
    call: IncomingMessage,
    isOwner: (sender: string, service: string) => boolean,
  ): Promise<readonly BusValue[]> {
    const { path, interface: iface, member } = call;
    const object = [...this.#objects.keys()].find((each) => each.path === path && each.interface === iface);
    if (!object || !Object.hasOwn(object.methods, member)) {
      throw new BusError(`${ERROR}.UnknownMethod`, `There is no method ${iface}.${member} at ${path}.`);
    }
    if (!isOwner(call.sender, object.caller)) {
      throw new BusError(`${ERROR}.AccessDenied`, `Only ${object.caller} may call this object.`);
    }
    const open = this.#objects.get(object) ?? 0;
    if (open >= MAX_OPEN_CALLS) throw new BusError(`${ERROR}.LimitsExceeded`, 'Too many calls are running.');
    this.#objects.set(object, open + 1);
    const { timeoutMs = METHOD_TIMEOUT_MS } = object;
    return withTimeout(
      this.#work(object, call),
      timeoutMs,
      () => new BusError(`${ERROR}.NoReply`, `The method took longer than ${timeoutMs} ms.`),
    );
  }

  async #work(object: ExportedObject, { member, args }: IncomingMessage): Promise<readonly BusValue[]> {
    try {
      return (await object.methods[member]?.(args)) ?? [];
    } finally {
      // The object may have been removed meanwhile.
      const open = this.#objects.get(object);
      if (open !== undefined) this.#objects.set(object, open - 1);
    }
  }
}
