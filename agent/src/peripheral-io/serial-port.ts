import { readSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Mutex } from '../base/mutex.ts';
import { DISCONNECTED, READABLE, type Readiness, readinessOf, WRITABLE } from '../base/readiness.ts';
import { errorCode } from '../base/system-error.ts';
import type { Watch } from '../base/watch.ts';
import { CommandError, orElse } from './errors.ts';
import type { Closable } from './handles.ts';
import { type ReceiveErrorName, ReceiveMarks } from './receive-marks.ts';
import type { OutputSignals, TtyControl } from './serial-ioctl.ts';
import type { OpenTty } from './serial-open.ts';

/** Most that is read at once, in bytes: the kernel's buffer has 4 KiB. */
const READ_BYTES = 16 * 1024;
/** How often the driver is asked whether it has sent everything, in ms. */
const DRAIN_POLL_MS = 20;

export interface SerialListener {
  received(data: Buffer): void;
  receiveError(name: ReceiveErrorName): void;
  /** The port is gone. May be called more than once. */
  lost(): void;
}

/** An open serial port. */
export class SerialPort implements Closable {
  readonly #tty: OpenTty;
  readonly #watch: Watch;
  readonly #listener: SerialListener;
  readonly #readiness: Readiness;
  readonly #marks = new ReceiveMarks();
  readonly #buffer = Buffer.allocUnsafe(READ_BYTES);
  readonly #writes = new Mutex();
  /** One ioctl at a time, so that none of them can meet a descriptor that was closed. */
  readonly #controls = new Mutex();
  /** Bytes that may be passed on. */
  #credit = 0;
  /** Set while a write waits for room. */
  #wakeWriter: (() => void) | undefined;
  /** Counts what ends writes that wait: discarding them, closing. */
  #discards = 0;
  #isClosed = false;

  constructor(tty: OpenTty, watch: Watch, listener: SerialListener) {
    this.#tty = tty;
    this.#watch = watch;
    this.#listener = listener;
    this.#readiness = readinessOf(tty.fd);
    this.#update();
  }

  credit(bytes: number): void {
    this.#credit += bytes;
    this.#update();
  }

  /** Resolves when the driver has taken all bytes. @throws CommandError `AbortError` if they were discarded */
  async write(bytes: Buffer): Promise<void> {
    const discards = this.#discards;
    await this.#writes.run(async () => {
      let rest = bytes;
      while (rest.length > 0) {
        if (this.#discards !== discards) throw new CommandError('AbortError', 'The data was discarded.');
        rest = rest.subarray(this.#put(rest));
        if (rest.length > 0) await this.#room();
      }
    });
  }

  /** Resolves when the driver has sent what it has, or that was discarded. */
  async drain(): Promise<void> {
    await this.#writes.run(() => undefined);
    while ((await this.#do('Failed to drain.', ({ unsentBytes }) => unsentBytes(this.#tty.fd))) > 0) {
      await sleep(DRAIN_POLL_MS);
    }
  }

  /** Discards what was not read or not sent. */
  async flush(direction: 'in' | 'out'): Promise<void> {
    if (direction === 'out') this.#discardWrites();
    await this.#do('Failed to flush.', ({ discard }) => discard(this.#tty.fd, direction));
  }

  async setSignals(signals: OutputSignals): Promise<void> {
    await this.#do('Failed to set control signals.', ({ setSignals }) => setSignals(this.#tty.fd, signals));
  }

  async getSignals(): ReturnType<TtyControl['getSignals']> {
    return await this.#do('Failed to get control signals.', ({ getSignals }) => getSignals(this.#tty.fd));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#discardWrites();
    this.#readiness.watch(0, () => undefined);
    const { fd, control, close } = this.#tty;
    await this.#controls.run(async () => {
      await this.#watch('Discarding output', control.discard(fd, 'out')).catch(() => undefined);
      await close().catch(() => undefined);
    });
  }

  async #do<T>(failure: string, call: (control: TtyControl) => Promise<T>): Promise<T> {
    return await this.#controls.run(() => {
      if (this.#isClosed) throw new CommandError('AbortError', 'It was closed.');
      return orElse('NetworkError', failure, () => this.#watch('A serial port', call(this.#tty.control)));
    });
  }

  #update(): void {
    if (this.#isClosed) return;
    const events = (this.#credit > 0 ? READABLE : 0) | (this.#wakeWriter ? WRITABLE : 0) | DISCONNECTED;
    this.#readiness.watch(events, (event) => {
      if (event === WRITABLE) this.#wakeWriter?.();
      else if (this.#credit > 0) this.#read();
      else if (event === DISCONNECTED) this.#listener.lost();
    });
  }

  #read(): void {
    const length = this.#get();
    if (length === 'lost') {
      this.#listener.lost();
      return;
    }
    const { data, errors } = this.#marks.take(this.#buffer.subarray(0, length));
    this.#credit -= data.length;
    if (data.length > 0) this.#listener.received(data);
    for (const name of new Set(errors)) this.#listener.receiveError(name);
    this.#update();
  }

  /** Reads into the buffer. @returns how many bytes there were */
  #get(): number | 'lost' {
    try {
      return readSync(this.#tty.fd, this.#buffer, 0, Math.min(this.#credit, READ_BYTES), null) || 'lost';
    } catch (error) {
      return errorCode(error) === 'EAGAIN' ? 0 : 'lost';
    }
  }

  /** Gives the driver what it takes now. @returns how many bytes @throws CommandError */
  #put(bytes: Buffer): number {
    try {
      return writeSync(this.#tty.fd, bytes);
    } catch (error) {
      if (errorCode(error) === 'EAGAIN') return 0;
      this.#listener.lost();
      throw new CommandError('NetworkError', 'The serial port was lost.', { cause: error });
    }
  }

  /** Waits until the driver takes more, or a discard. */
  async #room(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wakeWriter = resolve;
      this.#update();
    });
    this.#wakeWriter = undefined;
    this.#update();
  }

  #discardWrites(): void {
    this.#discards += 1;
    this.#wakeWriter?.();
  }
}
