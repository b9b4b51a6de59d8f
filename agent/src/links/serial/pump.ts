import type { SerialDevice, SerialPortHandler } from './device.ts';

/** Twice the largest answer, a splash image of 4 MB in base64. */
export const MAX_PENDING_BYTES = 12 * 1024 * 1024;
const READ_BYTES = 64 * 1024;
const WRITE_BYTES = 64 * 1024;
/** Reads or writes in one turn of the event loop, so that a busy line does not delay everything else. */
const MAX_PER_TURN = 16;
/** Delay after a notification with nothing to do; a line that was hung up notifies endlessly. */
const REST_MS = 50;
const NEWLINE = Buffer.from('\n');

interface Output {
  bytes: Buffer;
  done: (sent: boolean) => void;
}

/**
 * `idle`: no host has been seen. `open`: in a session. `stalled`: the host did not read, so its session has ended.
 * `sendOnly`: it still does not read but sends, so it has a new session, whose output is dropped.
 */
type State = 'idle' | 'open' | 'stalled' | 'sendOnly' | 'ended';

/** Moves bytes between an open line and the handler of its sessions, until the line or the host is gone. */
export class Pump {
  detectsHost = false;
  pendingBytes = 0;
  /** Whether the last output may have ended in the middle of a line; the next session then begins with a line feed. */
  partialLine: boolean;
  /** Resolves when the pump has ended. */
  readonly end: Promise<void>;
  readonly #device: SerialDevice;
  readonly #handler: SerialPortHandler;
  readonly #stallMs: number;
  readonly #input = Buffer.allocUnsafe(READ_BYTES);
  readonly #resolveEnd: () => void;
  #state: State = 'idle';
  #paused = false;
  #queue: Output[] = [];
  #stallTimer: NodeJS.Timeout | undefined;
  #restTimer: NodeJS.Timeout | undefined;

  constructor(device: SerialDevice, handler: SerialPortHandler, stallMs: number, partialLine: boolean) {
    this.#device = device;
    this.#handler = handler;
    this.#stallMs = stallMs;
    this.partialLine = partialLine;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.end = promise;
    this.#resolveEnd = resolve;
  }

  get ended(): boolean {
    return this.#state === 'ended';
  }

  /** Begins a session, after ending the current one. */
  start(detectsHost: boolean): void {
    if (this.ended) return;
    this.#endSession();
    this.detectsHost = detectsHost;
    this.#paused = false;
    if (this.partialLine && this.#device.write(NEWLINE) === NEWLINE.length) this.partialLine = false;
    this.#state = 'open';
    this.#watch();
    this.#handler.onOpen();
  }

  /** Reads although no host was seen: the first byte begins a session. */
  listen(): void {
    this.#watch();
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#watch();
  }

  /** See SerialPort.write. */
  async write(data: Buffer | string): Promise<boolean> {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    if (this.#state !== 'open' || this.pendingBytes + bytes.length > MAX_PENDING_BYTES) return false;
    if (bytes.length === 0) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#queue.push({ bytes, done: resolve });
    this.pendingBytes += bytes.length;
    if (this.#queue.length === 1) {
      if (this.#writeSome() === 'gone') this.hangUp();
      else if (this.#queue.length > 0) this.#watch();
    }
    return await promise;
  }

  /** Ends the session and the pump; the device stays open. */
  hangUp(): void {
    if (this.ended) return;
    this.#endSession();
    this.#state = 'ended';
    clearTimeout(this.#restTimer);
    this.#unwatch();
    this.#resolveEnd();
  }

  #watch(): void {
    if (this.ended) return;
    const writable = this.#queue.length > 0 || !this.#isReading();
    this.#device.watch({ readable: !this.#paused, writable }, () => this.#onReady());
  }

  #unwatch(): void {
    this.#device.watch({ readable: false, writable: false }, () => undefined);
  }

  /** Whether the host reads its output, as far as is known. */
  #isReading(): boolean {
    return this.#state !== 'stalled' && this.#state !== 'sendOnly';
  }

  #onReady(): void {
    if (this.ended) return;
    const read = this.#readSome();
    if (this.ended) return;
    const written = read === 'gone' ? 'gone' : this.#writeSome();
    if (read === 'gone' || written === 'gone') this.hangUp();
    else if (read + written > 0) this.#watch();
    else if (!this.#restTimer) {
      this.#unwatch();
      this.#restTimer = setTimeout(() => {
        this.#restTimer = undefined;
        this.#watch();
      }, REST_MS);
    }
  }

  #readSome(): number | 'gone' {
    let total = 0;
    for (let count = 0; count < MAX_PER_TURN && !this.#paused && !this.ended; count++) {
      const read = this.#device.read(this.#input);
      if (read === 'gone') return 'gone';
      if (read === 'nothing') break;
      total += read;
      const bytes = Buffer.from(this.#input.subarray(0, read));
      if (this.#state === 'idle') this.start(false);
      if (this.#state === 'stalled') {
        this.#state = 'sendOnly';
        this.#handler.onOpen();
      }
      this.#handler.onData(bytes);
    }
    return total;
  }

  #writeSome(): number | 'gone' {
    if (!this.#isReading()) return this.#probe();
    let total = 0;
    for (let count = 0; count < MAX_PER_TURN; count++) {
      const first = this.#queue[0];
      if (!first) break;
      const written = this.#device.write(first.bytes.subarray(0, WRITE_BYTES));
      if (written === 'gone') return 'gone';
      if (written === 0) break;
      total += written;
      this.pendingBytes -= written;
      first.bytes = first.bytes.subarray(written);
      this.partialLine = first.bytes.length > 0;
      if (this.partialLine) continue;
      this.#queue.shift();
      first.done(true);
    }
    if (total > 0 || this.#queue.length === 0) this.#stopStallTimer();
    if (this.#queue.length > 0) this.#stallTimer ??= setTimeout(() => this.#stall(), this.#stallMs);
    return total;
  }

  /** The host has not read for too long: its session ends, but its input is still read. */
  #stall(): void {
    this.#endSession();
    // The kernel's buffer may end in the middle of a line.
    this.partialLine = true;
    this.#state = 'stalled';
    this.#watch();
  }

  /** Checks whether the host reads again; it then gets a new session, on a new line. */
  #probe(): number | 'gone' {
    const written = this.#device.write(NEWLINE);
    if (written === 'gone' || written === 0) return written;
    this.partialLine = false;
    this.start(this.detectsHost);
    return written;
  }

  #endSession(): void {
    this.#stopStallTimer();
    const dropped = this.#queue;
    this.#queue = [];
    this.pendingBytes = 0;
    const hasSession = this.#state === 'open' || this.#state === 'sendOnly';
    if (!this.ended) this.#state = 'idle';
    for (const { done } of dropped) done(false);
    if (hasSession) this.#handler.onClose();
  }

  #stopStallTimer(): void {
    clearTimeout(this.#stallTimer);
    this.#stallTimer = undefined;
  }
}
