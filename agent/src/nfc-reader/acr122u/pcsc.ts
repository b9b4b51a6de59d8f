/**
 * The PC/SC client library (libpcsclite, with the types of its winscard.h), called through koffi. Its calls block, so they
 * run on threads.
 */
import { EventEmitter } from 'node:events';
import type { KoffiFunc } from 'koffi';
import { loadKoffi } from '../native.ts';

const LIBRARY = 'libpcsclite.so.1';
/** Longest answer: MAX_BUFFER_SIZE_EXTENDED. */
const MAX_ANSWER = 4 + 3 + 65_536 + 3 + 2;
/** Room for the names of all readers, in bytes. */
const MAX_NAMES = 8192;
const MAX_ATTRIBUTE = 256;
/** How long one call waits for a change, in ms: a reader that came between two calls is seen after it. */
const WAIT_MS = 1000;
/** Pcscd hangs if a call of the client takes longer, in ms. */
const HANG_MS = 10_000;

const SCOPE_SYSTEM = 2;
const PROTOCOLS = 1 | 2;
/** How a connection shares the reader: with a tag, and without. */
export const SHARED = 2;
export const DIRECT = 3;
const LEAVE_CARD = 0;

/** States of a reader. The upper half counts how often a tag came or left. */
const UNAWARE = 0;
const EMPTY = 0x0010;
const PRESENT = 0x0020;
const MUTE = 0x0200;
/** A pseudo reader, which changes when readers come or go. */
const ANY_READER = '\\\\?PnP?\\Notification';

const SUCCESS = 0;
const CANCELLED = 0x8010_0002;
const UNKNOWN_READER = 0x8010_0009;
const TIMEOUT = 0x8010_000a;
const UNSUPPORTED_FEATURE = 0x8010_001f;
const NO_READERS = 0x8010_002e;
const EXPECTED = [CANCELLED, TIMEOUT];
/**
 * pcsc-lite 2.5 takes a change of a reader that is reported just when a wait begins for the number or the list of readers
 * (getReaderStatesAndRegisterForEvents in its winscard_clnt.c). After that its context reads every answer too late. A reader
 * that leaves before the wait is unknown, too; then another context does no harm.
 */
const OUT_OF_STEP = [UNKNOWN_READER, UNSUPPORTED_FEATURE];

/** SCARD_CTL_CODE(1): libccid's IOCTL_SMARTCARD_VENDOR_IFD_EXCHANGE. */
const ESCAPE = 0x4200_0001;

/** A call of the library failed. */
export class PcscError extends Error {
  override name = 'PcscError';
  /** The result, for example 0x8010001D. */
  readonly code: number;

  constructor(call: string, code: number, text: string) {
    super(`${call}: ${text}`);
    this.code = code;
  }
}

interface ReaderState {
  szReader: string;
  pvUserData: null;
  dwCurrentState: number;
  dwEventState: number;
  cbAtr: number;
  rgbAtr: number[];
}

type Handle = number | bigint;
/** A function of the library; it rejects with PcscError. Arrays and buffers are filled. */
type Call<A extends unknown[]> = (...args: A) => Promise<void>;

export interface Library {
  establishContext: Call<[scope: number, null, null, Handle[]]>;
  releaseContext: Call<[Handle]>;
  listReaders: Call<[Handle, null, Buffer, number[]]>;
  getStatusChange: Call<[Handle, timeoutMs: number, ReaderState[], number]>;
  cancel: Call<[Handle]>;
  connect: Call<[Handle, string, mode: number, protocols: number, Handle[], number[]]>;
  disconnect: Call<[Handle, number]>;
  transmit: Call<
    [Handle, { dwProtocol: number; cbPciLength: number }, Buffer, number, null, Buffer, number[]]
  >;
  control: Call<[Handle, code: number, Buffer, number, Buffer, number, number[]]>;
  getAttrib: Call<[Handle, id: number, Buffer, number[]]>;
  /** Size of SCARD_IO_REQUEST, in bytes. */
  ioRequestBytes: number;
}

let loaded: Library | undefined;

/** @throws ReaderError without koffi, Error without the library */
function library(): Library {
  loaded ??= openLibrary();
  return loaded;
}

function openLibrary(): Library {
  const koffi = loadKoffi();
  const lib = koffi.load(LIBRARY);
  const { out, inout, pointer } = koffi;
  // DWORD and LONG are C's long on Linux (wintypes.h), and handles are LONG.
  const handle = 'long';
  const dword = 'unsigned long';
  const bytes = 'uint8_t *';
  const ioRequest = koffi.struct({ dwProtocol: dword, cbPciLength: dword });
  const readerState = koffi.struct({
    szReader: 'const char *',
    pvUserData: 'void *',
    dwCurrentState: dword,
    dwEventState: dword,
    cbAtr: dword,
    rgbAtr: koffi.array('uint8_t', 33, 'Array'),
  });
  const textOf: KoffiFunc<(code: number) => string> = lib.func('pcsc_stringify_error', 'const char *', [
    handle,
  ]);
  const call = <A extends unknown[]>(name: string, args: Parameters<typeof lib.func>[3]): Call<A> => {
    const native: KoffiFunc<(...args: A) => number | bigint> = lib.func(name, handle, args);
    // koffi does not keep the buffers: as long as the call runs, its callback does, which has `given` in its scope.
    return (...given) =>
      new Promise<void>((resolve, reject) => {
        native.async(...given, (error: unknown, result) => {
          const code = error ? undefined : codeOf(result);
          if (code === undefined) reject(error);
          else if (code === SUCCESS) resolve();
          else reject(new PcscError(name, code, textOf(code)));
        });
      });
  };
  return {
    establishContext: call('SCardEstablishContext', [dword, 'void *', 'void *', out(pointer(handle))]),
    releaseContext: call('SCardReleaseContext', [handle]),
    listReaders: call('SCardListReaders', [handle, 'const char *', bytes, inout(pointer(dword))]),
    getStatusChange: call('SCardGetStatusChange', [handle, dword, inout(pointer(readerState)), dword]),
    cancel: call('SCardCancel', [handle]),
    connect: call('SCardConnect', [
      ...[handle, 'const char *', dword, dword],
      ...[out(pointer(handle)), out(pointer(dword))],
    ]),
    disconnect: call('SCardDisconnect', [handle, dword]),
    transmit: call('SCardTransmit', [
      ...[handle, pointer(ioRequest), bytes, dword],
      ...['void *', bytes, inout(pointer(dword))],
    ]),
    control: call('SCardControl', [handle, dword, bytes, dword, bytes, dword, out(pointer(dword))]),
    getAttrib: call('SCardGetAttrib', [handle, dword, bytes, inout(pointer(dword))]),
    ioRequestBytes: koffi.sizeof(ioRequest),
  };
}

/** 32 bits of a result count. */
function codeOf(result: number | bigint): number {
  return Number(BigInt.asUintN(32, BigInt(result)));
}

/** A reader that pcscd drives. Emits `change` when a tag came or left, and `disconnect` at its end. */
export class Reader extends EventEmitter<{ change: [hasTag: boolean]; disconnect: [] }> {
  readonly name: string;
  readonly #context: Handle;

  constructor(name: string, context: Handle) {
    super();
    this.name = name;
    this.#context = context;
  }

  /** @param mode SHARED with a tag, DIRECT without one @throws PcscError */
  async connect(mode: typeof SHARED | typeof DIRECT): Promise<Card> {
    const handles: Handle[] = [0];
    const protocols = [0];
    const wanted = mode === DIRECT ? 0 : PROTOCOLS;
    await library().connect(this.#context, this.name, mode, wanted, handles, protocols);
    return new Card(handles[0] ?? 0, protocols[0] ?? 0);
  }
}

/** A connection to a reader. Its methods throw PcscError. */
export class Card {
  readonly #handle: Handle;
  readonly #protocol: number;

  constructor(handle: Handle, protocol: number) {
    this.#handle = handle;
    this.#protocol = protocol;
  }

  /** Sends an APDU to the tag, or a command of the reader that has the form of one. */
  async transmit(command: Buffer): Promise<Buffer> {
    const { transmit, ioRequestBytes } = library();
    const answer = Buffer.alloc(MAX_ANSWER);
    const length = [answer.length];
    const request = { dwProtocol: this.#protocol, cbPciLength: ioRequestBytes };
    await transmit(this.#handle, request, command, command.length, null, answer, length);
    return answer.subarray(0, length[0]);
  }

  /** Sends a command to the reader, also without a tag. */
  async escape(command: Buffer): Promise<Buffer> {
    const answer = Buffer.alloc(MAX_ANSWER);
    const length = [0];
    await library().control(this.#handle, ESCAPE, command, command.length, answer, answer.length, length);
    return answer.subarray(0, length[0]);
  }

  /** An attribute of the reader (SCARD_ATTR). */
  async attribute(id: number): Promise<Buffer> {
    const value = Buffer.alloc(MAX_ATTRIBUTE);
    const length = [value.length];
    await library().getAttrib(this.#handle, id, value, length);
    return value.subarray(0, length[0]);
  }

  /** Leaves the tag as it is. */
  async disconnect(): Promise<void> {
    await library().disconnect(this.#handle, LEAVE_CARD);
  }
}

interface Known {
  readonly reader: Reader;
  /** As pcscd has reported it. */
  state: number;
}

/**
 * A client of pcscd. Emits `reader` for each reader; `hangs` with true when pcscd does not answer, which takes all readers
 * away, and with false when it answers again; and `error` once, at its end with pcscd.
 */
export class Client extends EventEmitter<{ reader: [Reader]; hangs: [boolean]; error: [Error] }> {
  readonly #readers = new Map<string, Known>();
  readonly #open: () => Library;
  #isStopped = false;
  #waiting: Handle | undefined;

  /** @param open returns the library */
  constructor(open: () => Library = library) {
    super();
    this.#open = open;
  }

  /** @throws ReaderError, Error when the library cannot be loaded */
  start(): void {
    this.#open();
    void this.#run();
  }

  stop(): void {
    this.#isStopped = true;
    // Otherwise the call that waits would end after a second.
    if (this.#waiting !== undefined)
      this.#open()
        .cancel(this.#waiting)
        .catch(() => undefined);
  }

  async #run(): Promise<void> {
    const contexts: Handle[] = [];
    let failure: Error | undefined;
    try {
      // A call that waits locks its context.
      const working = await this.#watch(this.#establish(contexts));
      let hasWorked = true;
      while (!this.#isStopped) {
        this.#waiting ??= await this.#watch(this.#establish(contexts));
        const waiting = this.#waiting;
        try {
          this.#list(await this.#watch(readerNames(this.#open(), waiting)), working);
          await this.#watch(this.#waitForChange(waiting));
          hasWorked = true;
        } catch (error) {
          if (!hasWorked || !(error instanceof PcscError && OUT_OF_STEP.includes(error.code))) throw error;
          hasWorked = false;
          this.#waiting = undefined;
          contexts.splice(contexts.indexOf(waiting), 1);
          await this.#release(waiting);
        }
      }
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    }
    this.#waiting = undefined;
    this.#list([], 0);
    for (const context of contexts) await this.#release(context);
    if (failure && !this.#isStopped) this.emit('error', failure);
  }

  async #release(context: Handle): Promise<void> {
    await this.#open()
      .releaseContext(context)
      .catch(() => undefined);
  }

  /** A call cannot be ended: it is waited for, without readers. */
  async #watch<T>(call: Promise<T>): Promise<T> {
    let hangs = false;
    const timer = setTimeout(() => {
      hangs = true;
      this.#list([], 0);
      this.emit('hangs', true);
    }, HANG_MS);
    try {
      return await call;
    } finally {
      clearTimeout(timer);
      if (hangs) this.emit('hangs', false);
    }
  }

  async #establish(contexts: Handle[]): Promise<Handle> {
    const found: Handle[] = [0];
    await this.#open().establishContext(SCOPE_SYSTEM, null, null, found);
    const context = found[0] ?? 0;
    contexts.push(context);
    return context;
  }

  #list(names: readonly string[], context: Handle): void {
    for (const [name, { reader }] of this.#readers) {
      if (names.includes(name)) continue;
      this.#readers.delete(name);
      reader.emit('disconnect');
    }
    for (const name of names) {
      if (this.#readers.has(name)) continue;
      const reader = new Reader(name, context);
      this.#readers.set(name, { reader, state: UNAWARE });
      this.emit('reader', reader);
    }
  }

  async #waitForChange(context: Handle): Promise<void> {
    const known = [...this.#readers.values()];
    const states = known.map(({ reader, state }) => stateOf(reader.name, state));
    states.push(stateOf(ANY_READER, UNAWARE));
    try {
      await this.#open().getStatusChange(context, WAIT_MS, states, states.length);
    } catch (error) {
      if (error instanceof PcscError && EXPECTED.includes(error.code)) return;
      throw error;
    }
    for (const [index, entry] of known.entries()) {
      const before = entry.state;
      entry.state = states[index]?.dwEventState ?? before;
      const [had, has] = [hasTag(before), hasTag(entry.state)];
      // One tag may have taken the place of another.
      if (had && has && before >>> 16 !== entry.state >>> 16) entry.reader.emit('change', false);
      else if (had === has) continue;
      entry.reader.emit('change', has);
    }
  }
}

function stateOf(szReader: string, dwCurrentState: number): ReaderState {
  const rgbAtr = Array.from({ length: 33 }, () => 0);
  return { szReader, pvUserData: null, dwCurrentState, dwEventState: 0, cbAtr: 0, rgbAtr };
}

function hasTag(state: number): boolean {
  return (state & PRESENT) !== 0 && (state & (EMPTY | MUTE)) === 0;
}

async function readerNames({ listReaders }: Library, context: Handle): Promise<string[]> {
  const names = Buffer.alloc(MAX_NAMES);
  const length = [names.length];
  try {
    await listReaders(context, null, names, length);
  } catch (error) {
    if (error instanceof PcscError && error.code === NO_READERS) return [];
    throw error;
  }
  // Each name ends with a zero, and the list with one more.
  return names.toString('utf8', 0, length[0]).split('\0').filter(Boolean);
}
