import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/logger.ts';
import type { SerialDevice, SerialPortHandler } from './device.ts';
import { Pump } from './pump.ts';

export type { SerialPortHandler } from './device.ts';
export { MAX_PENDING_BYTES } from './pump.ts';

/** One serial port of the cable, reopened for ever. It never blocks, whatever the other end does. */
export interface SerialPort {
  readonly path: string;
  /**
   * Whether this session's host can be seen to leave (gadget tty with carrier, virtio port); known from each `onOpen`
   * on. When false, `onOpen` only means that the line is open here: greet the host again, without ending its
   * session, when it speaks after a longer silence.
   */
  readonly detectsHost: boolean;
  /** Bytes given to `write` that the kernel has not taken yet. */
  readonly pendingBytes: number;
  /**
   * Sends bytes after those of earlier calls. Never rejects.
   * @returns true when the kernel has taken all of them; false when they were dropped, because no host is there,
   *   the host left, it does not read, or `pendingBytes` would pass MAX_PENDING_BYTES
   */
  write(bytes: Buffer | string): Promise<boolean>;
  /** Leaves further input with the kernel, so that the host has to wait; for uploads quicker than the disk. */
  pause(): void;
  resume(): void;
  /** Ends the session (`onClose`) and closes the port for good. */
  close(): Promise<void>;
}

export interface SerialPortOptions {
  path: string;
  handler: SerialPortHandler;
  log: Logger;
  /** Opens the line; rejects when that is not possible now. */
  openDevice: (path: string) => Promise<SerialDevice>;
  /** How long a host may leave output unread before its session ends, in ms. */
  stallMs?: number;
  /** How often a host that is away is looked for, in ms; for tests. */
  lookMs?: number;
}

const STALL_MS = 10_000;
const LOOK_MS = 100;
/**
 * Time for a host between opening its tty, which raises DTR, and setting it to raw mode: a terminal in its first mode
 * echoes, and would send our greeting back to us.
 */
const SETTLE_MS = 30;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2000;

/** Opens a port in the background and keeps it open; problems go to the log, never to the caller. */
export function openSerialPort(options: SerialPortOptions): SerialPort {
  return new Port(options);
}

class Port implements SerialPort {
  readonly path: string;
  readonly #options: SerialPortOptions;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #pump: Pump | undefined;
  /** The host may have been left with half a line. */
  #cutLine = false;
  #complaint = '';

  constructor(options: SerialPortOptions) {
    this.path = options.path;
    this.#options = options;
    this.#running = this.#run();
  }

  get detectsHost(): boolean {
    return this.#pump?.detectsHost ?? false;
  }

  get pendingBytes(): number {
    return this.#pump?.pendingBytes ?? 0;
  }

  async write(bytes: Buffer | string): Promise<boolean> {
    return (await this.#pump?.write(bytes)) ?? false;
  }

  pause(): void {
    this.#pump?.pause();
  }

  resume(): void {
    this.#pump?.resume();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (!this.#closing.signal.aborted) {
      const device = await this.#open();
      const openedAt = performance.now();
      if (device) {
        while (!this.#closing.signal.aborted && (await this.#serve(device)));
        await device.close();
      }
      // A host that comes again finds the line open; one that fails at once must not keep us busy.
      const quick = performance.now() - openedAt < FIRST_RETRY_MS;
      if (quick) await this.#sleep(retryMs);
      retryMs = quick ? Math.min(retryMs * 2, LAST_RETRY_MS) : FIRST_RETRY_MS;
    }
  }

  async #open(): Promise<SerialDevice | undefined> {
    try {
      const device = await this.#options.openDevice(this.path);
      this.#complaint = '';
      return device;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== this.#complaint) {
        this.#options.log.warn({ path: this.path, reason }, 'serial line cannot be opened');
        this.#complaint = reason;
      }
      return undefined;
    }
  }

  /**
   * Waits for a host and serves it until it is gone.
   * @returns whether the device is good for another host
   */
  async #serve(device: SerialDevice): Promise<boolean> {
    const { handler, stallMs = STALL_MS, lookMs = LOOK_MS } = this.#options;
    const pump = new Pump(device, handler, stallMs, this.#cutLine);
    this.#pump = pump;
    const stop = () => pump.hangUp();
    this.#closing.signal.addEventListener('abort', stop, { once: true });
    // Ends the pause below. Not `Promise.race`: it leaves something behind at a promise that does not settle, and
    // nobody may come for weeks.
    let wake: (() => void) | undefined;
    void pump.end.then(() => wake?.());
    let spoken = false;
    try {
      while (!pump.ended) {
        const presence = await device.presence();
        if (pump.ended) break;
        if (presence !== 'away') {
          if (presence === 'here' && device.speaksWhileAway) await this.#sleep(SETTLE_MS);
          pump.start(presence === 'here');
          await pump.end;
        } else {
          // Hosts raise their carrier before they speak: what comes from one that seems to be away is the reason to
          // look again, and taken only when it still is. Its session would end at the next look, with its answers.
          if (spoken) pump.listen();
          const pause = Promise.withResolvers<void>();
          wake = pause.resolve;
          const timer = setTimeout(wake, lookMs);
          if (device.speaksWhileAway && !spoken) {
            device.watch({ readable: true, writable: false }, () => {
              spoken = true;
              pause.resolve();
            });
          }
          await pause.promise;
          clearTimeout(timer);
        }
      }
      return device.staysOpen;
    } catch {
      return false; // the device is gone
    } finally {
      this.#closing.signal.removeEventListener('abort', stop);
      pump.hangUp();
      this.#cutLine = pump.cutLine;
      this.#pump = undefined;
    }
  }

  async #sleep(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#closing.signal }).catch(() => undefined);
  }
}
