import type { SerialDevice, SerialPortHandler } from './device.ts';

/** The largest answer, a splash of 4 MB in base64, fits twice. */
export const MAX_PENDING_BYTES = 12 * 1024 * 1024;
const READ_BYTES = 64 * 1024;
const WRITE_BYTES = 64 * 1024;
/** Reads in one turn of the event loop, so that a busy line does not keep everything else waiting. */
const READS_A_TURN = 16;
const WRITES_A_TURN = 16;
/** Rest after a notice that led to nothing, as a hung up line gives it for ever. */
const REST_MS = 50;
const NEWLINE = Buffer.from('\n');

interface Output {
  bytes: Buffer;
  done: (sent: boolean) => void;
}

/**
 * `idle`: no host seen. `open`: in a session. `stalled`: the host does not read, its session was ended. `deaf`: it
 * does not read but speaks, so it has a session again, whose answers are dropped.
 */
type State = 'idle' | 'open' | 'stalled' | 'deaf' | 'ended';

/** Moves bytes between one open line and the handler of its sessions, until the line or the host is gone. */
export class Pump {
  detectsHost = false;
  pendingBytes = 0;
  /** Whether the host may have been left with half a line; the next session then starts on a new one. */
  cutLine: boolean;
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

  constructor(device: SerialDevice, handler: SerialPortHandler, stallMs: number, cutLine: boolean) {
    this.#device = device;
    this.#handler = handler;
    this.#stallMs = stallMs;
    this.cutLine = cutLine;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.end = promise;
    this.#resolveEnd = resolve;
  }

  get ended(): boolean {
    return this.#state === 'ended';
  }

  /** Begins a session; one under way is ended before. */
  start(detectsHost: boolean): void {
    if (this.ended) return;
    this.#endSession();
    this.detectsHost = detectsHost;
    this.#paused = false;
    if (this.cutLine && this.#device.write(NEWLINE) === NEWLINE.length) this.cutLine = false;
    this.#state = 'open';
    this.#watch();
    this.#handler.onOpen();
  }

  /** Takes input although no host was seen: the first byte begins a session. */
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

  /** Ends session and pump; the device stays open. */
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
    const writable = this.#queue.length > 0 || this.#state === 'stalled' || this.#state === 'deaf';
    this.#device.watch({ readable: !this.#paused, writable }, () => this.#turn());
  }

  #unwatch(): void {
    this.#device.watch({ readable: false, writable: false }, () => undefined);
  }

  /** One notice of the device: reads and writes what is possible now. */
  #turn(): void {
    if (this.ended) return;
    const got = this.#readSome();
    if (this.ended) return;
    const sent = got === 'gone' ? 'gone' : this.#writeSome();
    if (got === 'gone' || sent === 'gone') this.hangUp();
    else if (got + sent > 0) this.#watch();
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
    for (let turn = 0; turn < READS_A_TURN && !this.#paused && !this.ended; turn++) {
      const got = this.#device.read(this.#input);
      if (got === 'gone') return 'gone';
      if (got === 'nothing') break;
      total += got;
      const bytes = Buffer.from(this.#input.subarray(0, got));
      if (this.#state === 'idle') this.start(false);
      if (this.#state === 'stalled') {
        this.#state = 'deaf';
        this.#handler.onOpen();
      }
      this.#handler.onData(bytes);
    }
    return total;
  }

  #writeSome(): number | 'gone' {
    if (this.#state === 'stalled' || this.#state === 'deaf') return this.#probe();
    let total = 0;
    for (let turn = 0; turn < WRITES_A_TURN; turn++) {
      const first = this.#queue[0];
      if (!first) break;
      const taken = this.#device.write(first.bytes.subarray(0, WRITE_BYTES));
      if (taken === 'gone') return 'gone';
      if (taken === 0) break;
      total += taken;
      this.pendingBytes -= taken;
      first.bytes = first.bytes.subarray(taken);
      this.cutLine = first.bytes.length > 0;
      if (this.cutLine) continue;
      this.#queue.shift();
      first.done(true);
    }
    if (this.#queue.length === 0) this.#stopStallTimer();
    else if (total > 0 || !this.#stallTimer) {
      this.#stopStallTimer();
      this.#stallTimer = setTimeout(() => this.#stall(), this.#stallMs);
    }
    return total;
  }

  /** The host has not read for too long: its session ends, its input is still taken. */
  #stall(): void {
    this.#endSession();
    // Whatever the kernel holds may end anywhere.
    this.cutLine = true;
    this.#state = 'stalled';
    this.#watch();
  }

  /** Looks whether a host that did not read reads again; it then gets a new session, on a new line. */
  #probe(): number | 'gone' {
    const taken = this.#device.write(NEWLINE);
    if (taken === 'gone' || taken === 0) return taken;
    this.cutLine = false;
    this.start(this.detectsHost);
    return taken;
  }

  #endSession(): void {
    this.#stopStallTimer();
    const dropped = this.#queue;
    this.#queue = [];
    this.pendingBytes = 0;
    const inSession = this.#state === 'open' || this.#state === 'deaf';
    if (!this.ended) this.#state = 'idle';
    for (const { done } of dropped) done(false);
    if (inSession) this.#handler.onClose();
  }

  #stopStallTimer(): void {
    clearTimeout(this.#stallTimer);
    this.#stallTimer = undefined;
  }
}
