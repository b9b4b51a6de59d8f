/** `NDEFReader` and its event (https://w3c.github.io/web-nfc/#the-ndefreader-object). */
import type { Bridge } from './bridge.ts';
import {
  dispatch,
  domException,
  filtered,
  found,
  fromBase64,
  listen,
  NativeEvent,
  startTimer,
  throwIfAborted,
  toBase64,
  toText,
  unlisten,
} from './builtins.ts';
import { decodeMessage } from './ndef-decode.ts';
import { encodeMessage } from './ndef-encode.ts';
import { MAX_MESSAGE_BYTES } from './ndef-format.ts';
import { messageSource, signalOf } from './nfc-idl.ts';
import { documentLanguage, NDEFMessage, ReadRecords } from './nfc-records.ts';
import { dictionary, Handler } from './webidl.ts';

export class NDEFReadingEvent extends Event {
  readonly #serialNumber: string;
  readonly #message: NDEFMessage;

  /** @throws TypeError, or a DOMException `SyntaxError`, for a message that cannot be written */
  constructor(type: string, init: { serialNumber?: unknown; message: unknown } & EventInit) {
    const read = dictionary(init, 'The init');
    super(type, init);
    const message = read('message');
    const serialNumber = read('serialNumber');
    this.#message = message instanceof NDEFMessage ? message : new NDEFMessage(message);
    this.#serialNumber = serialNumber === undefined || serialNumber === null ? '' : toText(serialNumber);
  }

  get serialNumber(): string {
    return this.#serialNumber;
  }

  get message(): NDEFMessage {
    return this.#message;
  }
}

/** The scan of a reader, from the call of `scan` until it is aborted. */
interface Scan {
  reader: EventTarget;
  hasBegun: boolean;
}

/** The readers of a document, which share its scan and its write. */
class Session {
  readonly #bridge: Bridge;
  #scans: Scan[] = [];
  /** The last write that is not settled: an earlier one has begun, and cannot be aborted. */
  #lastWrite: object | undefined;

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
    bridge.on('nfc.reading', ({ serial_number: serialNumber, message }) => {
      this.#tell(() => {
        const records = decodeMessage(fromBase64(message));
        if (!records) return unreadable;
        const read = new NDEFMessage(new ReadRecords(records));
        return () => new NDEFReadingEvent('reading', { serialNumber, message: read });
      });
    });
    bridge.on('nfc.reading_error', () => this.#tell(() => unreadable));
    bridge.whenClosed(() => void this.#resume());
  }

  async scan(reader: EventTarget, options: unknown): Promise<void> {
    const signal = signalOf(dictionary(options, 'The options')('signal'));
    if (signal) throwIfAborted(signal);
    if (found(this.#scans, (other) => other.reader === reader))
      throw domException('InvalidStateError', 'The reader scans already.');
    const scan = { reader, hasBegun: false };
    const stop = (): void => {
      if (this.#remove(scan) && this.#scans.length === 0) this.#send('nfc.stop');
    };
    if (signal) listen(signal, 'abort', stop);
    this.#scans[this.#scans.length] = scan;
    try {
      await this.#bridge.call('nfc.scan', {});
    } catch (error) {
      this.#remove(scan);
      if (signal) {
        unlisten(signal, 'abort', stop);
        throwIfAborted(signal);
      }
      throw error;
    }
    if (signal) throwIfAborted(signal);
    scan.hasBegun = true;
  }

  async write(source: unknown, options: unknown): Promise<void> {
    const message = messageSource(source);
    const read = dictionary(options, 'The options');
    const given = read('overwrite');
    const overwrite = given === undefined || !!given;
    const signal = signalOf(read('signal'));
    if (signal) throwIfAborted(signal);
    const bytes = encodeMessage(message, documentLanguage());
    if (bytes.length > MAX_MESSAGE_BYTES)
      throw domException('NotSupportedError', `No tag has room for more than ${MAX_MESSAGE_BYTES} bytes.`);
    const write = {};
    this.#lastWrite = write;
    const abort = (): void => {
      if (this.#lastWrite === write) this.#send('nfc.abort_write');
    };
    if (signal) listen(signal, 'abort', abort);
    try {
      await this.#bridge.call('nfc.write', { message: toBase64(bytes), overwrite });
    } finally {
      if (signal) unlisten(signal, 'abort', abort);
      if (this.#lastWrite === write) this.#lastWrite = undefined;
    }
  }

  /** @returns whether it was there */
  #remove(scan: Scan): boolean {
    const { length } = this.#scans;
    this.#scans = filtered(this.#scans, (other) => other !== scan);
    return this.#scans.length < length;
  }

  /** A call whose failure changes nothing. */
  async #send(call: 'nfc.stop' | 'nfc.abort_write'): Promise<void> {
    try {
      await this.#bridge.call(call, {});
    } catch {
      // The channel was closed, which ends both.
    }
  }

  /** The agent was restarted, or the page may not use NFC any more: then its readers get a `readingerror`, and stop. */
  async #resume(): Promise<void> {
    if (!found(this.#scans, ({ hasBegun }) => hasBegun)) return;
    try {
      await this.#bridge.call('nfc.scan', {});
    } catch {
      const ended = filtered(this.#scans, ({ hasBegun }) => hasBegun);
      this.#scans = filtered(this.#scans, ({ hasBegun }) => !hasBegun);
      dispatchAt(ended, unreadable);
    }
  }

  /** Tells the readers in a task of its own: what the page does after `scan` is done. */
  #tell(prepare: () => () => Event): void {
    startTimer(() =>
      dispatchAt(
        filtered(this.#scans, ({ hasBegun }) => hasBegun),
        prepare(),
      ),
    );
  }
}

function dispatchAt(scans: readonly Scan[], create: () => Event): void {
  for (let at = 0; at < scans.length; at += 1) {
    const scan = scans[at];
    if (scan) dispatch(scan.reader, create());
  }
}

const unreadable = (): Event => new NativeEvent('readingerror');

/** The class of a document. */
export function ndefReaderClass(bridge: Bridge) {
  const session = new Session(bridge);
  return class NDEFReader extends EventTarget {
    readonly #onreading = new Handler<EventTarget, Event>(this, 'reading');
    readonly #onreadingerror = new Handler<EventTarget, Event>(this, 'readingerror');

    get onreading() {
      return this.#onreading.value;
    }
    set onreading(handler) {
      this.#onreading.value = handler;
    }

    get onreadingerror() {
      return this.#onreadingerror.value;
    }
    set onreadingerror(handler) {
      this.#onreadingerror.value = handler;
    }

    async scan(options: unknown = undefined): Promise<void> {
      this.#check();
      await session.scan(this, options);
    }

    async write(message: unknown, options: unknown = undefined): Promise<void> {
      this.#check();
      await session.write(message, options);
    }

    /** No reader of the device does it. */
    async makeReadOnly(options: unknown = undefined): Promise<void> {
      this.#check();
      const signal = signalOf(dictionary(options, 'The options')('signal'));
      if (signal) throwIfAborted(signal);
      throw domException('NotSupportedError', 'Tags cannot be made read-only on this device.');
    }

    /** As every private member, it throws a TypeError for another object. */
    #check(): void {}
  };
}
