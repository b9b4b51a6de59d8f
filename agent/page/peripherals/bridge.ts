/**
 * The page's end of the channel for peripherals (browser/PROTOCOL.md). It is opened by the first call, and shares the
 * window's events with the other end, no objects.
 */
import type { Answer, CallName, Calls, PageEvent } from '../../src/resources/peripherals/page-protocol.ts';
import {
  dispatch,
  domException,
  listen,
  NativeCustomEvent,
  NativePromise,
  type NumberMap,
  numberMap,
  numbersOf,
  parse,
  shift,
  startTimer,
  stopTimer,
  stringify,
  typeError,
  unlisten,
} from './builtins.ts';

/** Calls that have no answer yet. A page may have several transfers for each endpoint of a device. */
const MAX_CALLS = 512;
/** Of messages that wait for the browser, 8 Mi characters. The largest one has 700 000. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** So long the browser may refuse messages. It has none to send for so long if the agent is away, or the channel closed. */
const REFUSED_MS = 30_000;

type EventKind = PageEvent['event'];
type EventOf<K extends EventKind, E = PageEvent> = E extends { event: infer N }
  ? K extends N
    ? E
    : never
  : never;

interface CallOptions {
  /** Gives the call up: the promise rejects with its reason; the agent is not told. */
  signal?: AbortSignal;
}

type Fields<C extends CallName> = Omit<Calls[C][0], 'device'>;
type DeviceCall = {
  [C in CallName]: Calls[C][0] extends { device: number } ? C : never;
}[CallName];

/** Calls of one peripheral, without its number. @throws as {@link Bridge.call} */
export type PeripheralCall = <C extends DeviceCall>(
  call: C,
  ...rest: keyof Fields<C> extends never ? [] : [fields: Fields<C>, options?: CallOptions]
) => Promise<Calls[C][1]>;

export interface Bridge {
  /**
   * Sends a call to the agent.
   * @throws a DOMException or a TypeError as the agent says; NetworkError if there is no device, it takes no messages for
   *   30 s, or closed the peripheral; OperationError if 512 calls or 8 Mi characters wait
   */
  call<C extends Exclude<CallName, DeviceCall>>(call: C, fields: Calls[C][0]): Promise<Calls[C][1]>;
  /** Calls of the peripheral with this number. */
  callOf(device: number): PeripheralCall;
  /** Calls `listener` with every event of a kind. */
  on<K extends EventKind>(kind: K, listener: (event: EventOf<K>) => void): void;
  /**
   * Calls `listener` when the device has closed the channel: pending calls have been rejected, and the numbers of
   * peripherals mean nothing any more. The next call opens a new channel.
   */
  whenClosed(listener: () => void): void;
}

interface Pending {
  call: CallName;
  device: number | undefined;
  /** Until the browser has taken it. */
  text: string | undefined;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

/** What a call of a peripheral that was closed rejects with, as in Chromium. */
function closedError(call: CallName, reason: string): DOMException {
  const kind = call[0];
  return domException(
    kind === 'u' ? 'NotFoundError' : kind === 'h' ? 'NotAllowedError' : 'NetworkError',
    reason,
  );
}

export function createBridge(): Bridge {
  const target = window;
  const closeListeners: (() => void)[] = [];
  const listeners: { kind: EventKind; listener: (event: never) => void }[] = [];
  const pending: NumberMap<Pending> = numberMap();
  /** Ids of calls that the browser has not taken, in order. */
  const unsent: number[] = [];
  let count = 0;
  let characters = 0;
  let lastId = 0;
  let isOpen = false;
  let isReady = false;
  let hasChannel = false;
  let timer: ReturnType<typeof startTimer> | undefined;

  /** @returns whether the other end handled it */
  const tell = (type: string, detail?: string): boolean =>
    !dispatch(target, new NativeCustomEvent(type, { cancelable: true, detail }));

  const remove = (id: number): Pending | undefined => {
    const entry = pending[id];
    if (!entry) return undefined;
    delete pending[id];
    count -= 1;
    characters -= entry.text?.length ?? 0;
    return entry;
  };

  const failUnsent = (reason: string): void => {
    for (let id = shift(unsent); id !== undefined; id = shift(unsent)) {
      remove(id)?.reject(domException('NetworkError', reason));
    }
  };

  const failAll = (): void => {
    const ids = numbersOf(pending);
    for (let at = 0; at < ids.length; at += 1) {
      const entry = remove(ids[at] ?? 0);
      entry?.reject(closedError(entry.call, 'The device has closed the channel.'));
    }
  };

  /** Sends until the browser takes no more. Those that wait then fail if it takes none for a time. */
  const flush = (): void => {
    let isTaken = false;
    while (isReady && unsent.length > 0) {
      const entry = pending[unsent[0] ?? 0];
      // One that was given up meanwhile is not sent.
      if (entry?.text !== undefined) {
        isReady = tell('vitrine-devices-send', entry.text);
        if (!isReady) break;
        isTaken = true;
        characters -= entry.text.length;
        entry.text = undefined;
      }
      shift(unsent);
    }
    if (isTaken || unsent.length === 0) {
      stopTimer(timer);
      timer = undefined;
    }
    if (unsent.length === 0) return;
    timer ??= startTimer(() => {
      timer = undefined;
      failUnsent('The device takes no messages.');
    }, REFUSED_MS);
  };

  const onClosed = (device: number, reason: string): void => {
    const ids = numbersOf(pending);
    for (let at = 0; at < ids.length; at += 1) {
      const id = ids[at] ?? 0;
      const entry = pending[id];
      if (entry?.device === device) remove(id)?.reject(closedError(entry.call, reason));
    }
  };

  const receive = (message: Answer | PageEvent): void => {
    if ('event' in message) {
      if (message.event === 'closed') onClosed(message.device, message.reason);
      for (let at = 0; at < listeners.length; at += 1) {
        const entry = listeners[at];
        if (entry?.kind === message.event) entry.listener(message as never);
      }
      return;
    }
    const entry = remove(message.id);
    if (!entry) return;
    if ('result' in message) entry.resolve(message.result as never);
    else {
      const { name, message: text } = message.error;
      entry.reject(name === 'TypeError' ? typeError(text) : domException(name, text));
    }
  };

  listen(target, 'vitrine-devices-ready', () => {
    isReady = isOpen;
    hasChannel = isOpen;
    flush();
  });
  listen(target, 'vitrine-devices-closed', () => {
    const wasThere = hasChannel;
    isOpen = false;
    isReady = false;
    hasChannel = false;
    failAll();
    flush();
    // One that was refused would be opened again and again.
    if (!wasThere) return;
    for (let at = 0; at < closeListeners.length; at += 1) closeListeners[at]?.();
  });
  listen(target, 'vitrine-devices-message', (event) => {
    if (event instanceof NativeCustomEvent) receive(parse(event.detail));
  });

  const send = <C extends CallName>(
    call: C,
    fields: object,
    device?: number,
    options?: CallOptions,
  ): Promise<Calls[C][1]> =>
    new NativePromise((resolve, reject) => {
      const signal = options?.signal;
      if (signal?.aborted) return reject(signal.reason);
      lastId += 1;
      const id = lastId;
      const text = stringify({ ...fields, device, id, call });
      if (count >= MAX_CALLS || characters + text.length > MAX_CHARACTERS) {
        return reject(domException('OperationError', 'Too many calls wait for the device.'));
      }
      // Changes nothing while a channel is open; the browser may have refused the one before.
      if (!isReady) isOpen = tell('vitrine-devices-open');
      if (!isOpen) return reject(domException('NetworkError', 'There is no device.'));
      const abort = (): void => remove(id)?.reject(signal?.reason);
      const done = (): void => {
        if (signal) unlisten(signal, 'abort', abort);
      };
      if (signal) listen(signal, 'abort', abort);
      pending[id] = {
        call,
        device,
        text,
        resolve: (result) => {
          done();
          resolve(result);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      };
      count += 1;
      characters += text.length;
      unsent[unsent.length] = id;
      flush();
    });

  return {
    call: (call, fields) => send(call, fields),
    callOf:
      (device) =>
      (call, ...rest) =>
        send(call, rest[0] ?? {}, device, rest[1]),
    on(kind, listener) {
      listeners[listeners.length] = { kind, listener };
    },
    whenClosed(listener) {
      closeListeners[closeListeners.length] = listener;
    },
  };
}
