import type { SerialDevice } from './device.ts';

/** The session's limit of unread answers (16 MiB) and some short lines. */
export const MAX_PENDING_BYTES = 17 * 1024 * 1024;
const READ_BYTES = 64 * 1024;
const WRITE_BYTES = 64 * 1024;
const JOINED_BYTES = 16 * 1024;
/** Reads or writes in one turn of the event loop, so that a busy line does not delay everything else. */
const MAX_PER_TURN = 16;
/** Delay after a notification with nothing to do; a line that was hung up notifies endlessly. */
const REST_MS = 50;
const NEWLINE = Buffer.from('\n');

/** An open line to a host. It never blocks, whatever the other end does. */
export interface SerialLine {
  /**
   * Whether the device can tell that this session's host leaves (gadget tty with carrier, virtio port). When false,
   * `onOpen` only means that the line is open here: greet a host that sends after a longer silence again, without ending
   * its session.
   */
  readonly detectsHost: boolean;
  /** Bytes given to `write` that the kernel has not taken yet. */
  readonly pendingBytes: number;
  /**
   * Sends bytes after those of earlier calls; short ones of one turn of the event loop together. Never rejects.
   * @returns true when the kernel has taken all of them; false when they were dropped, because there is no host, it left
   *   or does not read, or `pendingBytes` would exceed MAX_PENDING_BYTES
   */
  write(bytes: Buffer | string): Promise<boolean>;
  /** Stops reading, so that the host has to wait when the kernel's buffer is full. */
  pause(): void;
  resume(): void;
}

/** What a serial port calls, always in the order `onOpen`, `onData`…, `onClose`, `onOpen`… */
export interface SerialHandler {
  /** A host has opened the port: a new session begins, for which the line is not paused. */
  onOpen(line: SerialLine): void;
  /** Bytes from the host, in order, cut anywhere. The handler may keep the buffer. */
  onData(bytes: Buffer, line: SerialLine): void;
  /** The session has ended: the host left, the cable was pulled, or the host did not read for too long. */
  onClose(): void;
}

interface Output {
  bytes: Buffer;
  done: (sent: boolean) => void;
}

/**
 * `idle`: no host has been seen. `open`: in a session. `stalled`: the host did not read, so its session has ended.
 * `sendOnly`: it still does not read but sends, so it has a new session, whose output is dropped.
 */
type State = 'idle' | 'open' | 'stalled' | 'sendOnly' | 'ended';

/** Moves bytes between an open device and the handler of its sessions, until the device or the host is gone. */
export class Pump implements SerialLine {
  detectsHost = false;
  pendingBytes = 0;
  /** Whether the last output may have ended in the middle of a line; the next session then begins with a line feed. */
  partialLine: boolean;
  readonly #device: SerialDevice;
  readonly #handler: SerialHandler;
  readonly #stallMs: number;
  readonly #input = Buffer.allocUnsafe(READ_BYTES);
  readonly #end = Promise.withResolvers<void>();
  /** Resolves when the pump has ended. */
  readonly end = this.#end.promise;
  #state: State = 'idle';
  #paused = false;
  #queue: Output[] = [];
  #stallTimer: NodeJS.Timeout | undefined;
  #restTimer: NodeJS.Timeout | undefined;

  constructor(device: SerialDevice, handler: SerialHandler, stallMs: number, partialLine: boolean) {
    this.#device = device;
    this.#handler = handler;
    this.#stallMs = stallMs;
    this.partialLine = partialLine;
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
    this.watch();
    this.#handler.onOpen(this);
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.watch();
  }

  async write(data: Buffer | string): Promise<boolean> {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    if (this.#state !== 'open' || this.pendingBytes + bytes.length > MAX_PENDING_BYTES) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#queue.push({ bytes, done: resolve });
    this.pendingBytes += bytes.length;
    if (this.#queue.length === 1) queueMicrotask(() => this.#writeFirst());
    return await promise;
  }

  /** Reads and writes when the device is ready. Without a session, the first byte begins one. */
  watch(): void {
    if (this.ended) return;
    const writable = this.#queue.length > 0 || !this.#isReading();
    this.#device.watch({ readable: !this.#paused, writable }, () => this.#onReady());
  }

  /** Ends the session and the pump; the device stays open. */
  hangUp(): void {
    if (this.ended) return;
    this.#endSession();
    this.#state = 'ended';
    clearTimeout(this.#restTimer);
    this.#unwatch();
    this.#end.resolve();
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
    else if (read + written > 0) this.watch();
    else if (!this.#restTimer) {
      this.#unwatch();
      this.#restTimer = setTimeout(() => {
        this.#restTimer = undefined;
        this.watch();
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
        this.#handler.onOpen(this);
      }
      this.#handler.onData(bytes, this);
    }
    return total;
  }

  #writeFirst(): void {
    if (this.#queue.length === 0) return;
    if (this.#writeSome() === 'gone') this.hangUp();
    else if (this.#queue.length > 0) this.watch();
  }

  #writeSome(): number | 'gone' {
    if (!this.#isReading()) return this.#probe();
    let total = 0;
    for (let count = 0; count < MAX_PER_TURN; count++) {
      const [first] = this.#queue;
      if (!first) break;
      const written = this.#device.write(this.#nextPiece(first.bytes));
      if (written === 'gone') return 'gone';
      if (written === 0) break;
      total += written;
      this.#remove(written);
    }
    if (total > 0 || this.#queue.length === 0) this.#stopStallTimer();
    if (this.#queue.length > 0) this.#stallTimer ??= setTimeout(() => this.#stall(), this.#stallMs);
    return total;
  }

  /** The next bytes to write. Short lines are joined: a system call costs more than copying them. */
  #nextPiece(first: Buffer): Buffer {
    if (first.length >= JOINED_BYTES) return first.subarray(0, WRITE_BYTES);
    const pieces: Buffer[] = [];
    let total = 0;
    for (const { bytes } of this.#queue) {
      total += bytes.length;
      if (total > JOINED_BYTES) break;
      pieces.push(bytes);
    }
    return Buffer.concat(pieces);
  }

  #remove(count: number): void {
    this.pendingBytes -= count;
    let left = count;
    for (let first = this.#queue[0]; first && left > 0; first = this.#queue[0]) {
      const taken = Math.min(left, first.bytes.length);
      left -= taken;
      first.bytes = first.bytes.subarray(taken);
      this.partialLine = first.bytes.length > 0;
      if (this.partialLine) return;
      this.#queue.shift();
      first.done(true);
    }
  }

  /** The host has not read for too long: its session ends, but its input is still read. */
  #stall(): void {
    this.#endSession();
    // The kernel's buffer may end in the middle of a line.
    this.partialLine = true;
    this.#state = 'stalled';
    this.watch();
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
    this.#state = 'idle';
    for (const { done } of dropped) done(false);
    if (hasSession) this.#handler.onClose();
  }

  #stopStallTimer(): void {
    clearTimeout(this.#stallTimer);
    this.#stallTimer = undefined;
  }
}
