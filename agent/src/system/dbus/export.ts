import { withTimeout } from '../../base/timeout.ts';
import type { IncomingMessage } from './connection.ts';
import { BusError, type BusValue } from './values.ts';

/** Longest time for a method of ours, in ms: a user may have to confirm something on the screen. */
const METHOD_TIMEOUT_MS = 60_000;
/** Calls of one object's methods that may run at a time. */
export const MAX_OPEN_CALLS = 16;
const ERROR = 'org.freedesktop.DBus.Error';

type Reply = Promise<readonly BusValue[]> | readonly BusValue[];
/** Runs for each call. Gives the reply's arguments; a BusError that it throws is the error reply. */
export type ExportedMethod = (args: readonly unknown[]) => Reply;

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
  run: (...args: NoInfer<A>) => Reply,
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
  readonly #objects = new Set<ExportedObject & { running: number }>();

  add(object: ExportedObject): () => void {
    const added = { ...object, running: 0 };
    this.#objects.add(added);
    return () => this.#objects.delete(added);
  }

  /**
   * Runs the method that a call names.
   * @param isOwner whether the unique name `sender` owns a well-known name
   * @throws BusError to answer with
   */
  async run(
    { path, interface: iface, member, sender, args }: IncomingMessage,
    isOwner: (sender: string, service: string) => boolean,
  ): Promise<readonly BusValue[]> {
    const object = [...this.#objects].find((each) => each.path === path && each.interface === iface);
    const run = object && Object.hasOwn(object.methods, member) ? object.methods[member] : undefined;
    if (!object || !run) {
      throw new BusError(`${ERROR}.UnknownMethod`, `There is no method ${iface}.${member} at ${path}.`);
    }
    if (!isOwner(sender, object.caller)) {
      throw new BusError(`${ERROR}.AccessDenied`, `Only ${object.caller} may call this object.`);
    }
    if (object.running >= MAX_OPEN_CALLS) {
      throw new BusError(`${ERROR}.LimitsExceeded`, 'Too many calls are running.');
    }
    object.running += 1;
    const { timeoutMs = METHOD_TIMEOUT_MS } = object;
    const work = (async () => run(args))().finally(() => {
      object.running -= 1;
    });
    const late = () => new BusError(`${ERROR}.NoReply`, `The method took longer than ${timeoutMs} ms.`);
    return withTimeout(work, timeoutMs, late);
  }
}
