import { Backoff } from '../../base/backoff.ts';
import type { Logger } from '../../base/logger.ts';
import { sleep } from '../../base/timeout.ts';
import type { SerialDevice, SerialPortHandler } from './device.ts';
import { Pump } from './pump.ts';

export type { SerialPortHandler } from './device.ts';
export { MAX_PENDING_BYTES } from './pump.ts';

/** One serial port of the cable, reopened whenever it is lost. It never blocks, whatever the other end does. */
export interface SerialPort {
  readonly path: string;
  /**
   * Whether the device can tell that this session's host leaves (gadget tty with carrier, virtio port); known from
   * `onOpen` on. When false, `onOpen` only means that the line is open here: greet a host that sends after a longer
   * silence again, without ending its session.
   */
  readonly detectsHost: boolean;
  /** Bytes given to `write` that the kernel has not taken yet. */
  readonly pendingBytes: number;
  /**
   * Sends bytes after those of earlier calls. Never rejects.
   * @returns true when the kernel has taken all of them; false when they were dropped, because there is no host, it left
   *   or does not read, or `pendingBytes` would exceed MAX_PENDING_BYTES
   */
  write(bytes: Buffer | string): Promise<boolean>;
  /** Stops reading, so that the host has to wait when the kernel's buffer is full. */
  pause(): void;
  resume(): void;
  /** Ends the session (`onClose`) and closes the port. */
  close(): Promise<void>;
}

export interface SerialPortOptions {
  path: string;
  handler: SerialPortHandler;
  log: Logger;
  /** Rejects when the line cannot be opened now. */
  openDevice: (path: string) => Promise<SerialDevice>;
  /** How long a host may leave output unread before its session ends, in ms. */
  stallMs?: number;
  /** How often the presence of a host is polled while there is none, in ms; for tests. */
  pollMs?: number;
}

const STALL_MS = 10_000;
const POLL_MS = 100;
/**
 * How long the host gets to set raw mode after opening its tty, which raises DTR, in ms. Until then its terminal would
 * echo the greeting.
 */
const RAW_MODE_MS = 30;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2000;

/** Opens a port in the background and keeps it open; failures are logged. */
export function openSerialPort(options: SerialPortOptions): SerialPort {
  return new Port(options);
}

class Port implements SerialPort {
  readonly path: string;
  readonly #options: SerialPortOptions;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #pump: Pump | undefined;
  /** The last session may have ended in the middle of an output line. */
  #partialLine = false;
  #loggedReason = '';

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
    const { signal } = this.#closing;
    const backoff = new Backoff(FIRST_RETRY_MS, LAST_RETRY_MS);
    while (!signal.aborted) {
      const device = await this.#open();
      const openedAt = performance.now();
      if (device) {
        while (!signal.aborted && (await this.#serve(device)));
        await device.close();
      }
      // A line that fails at once must not keep the agent busy.
      if (performance.now() - openedAt < FIRST_RETRY_MS) await sleep(backoff.next(), signal);
      else backoff.reset();
    }
  }

  async #open(): Promise<SerialDevice | undefined> {
    try {
      const device = await this.#options.openDevice(this.path);
      this.#loggedReason = '';
      return device;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== this.#loggedReason) {
        this.#options.log.warn({ path: this.path, reason }, 'serial line cannot be opened');
        this.#loggedReason = reason;
      }
      return undefined;
    }
  }

  /**
   * Waits for a host and serves it until it leaves.
   * @returns whether the device can serve another host
   */
  async #serve(device: SerialDevice): Promise<boolean> {
    const { handler, stallMs = STALL_MS, pollMs = POLL_MS } = this.#options;
    const { signal } = this.#closing;
    const pump = new Pump(device, handler, stallMs, this.#partialLine);
    this.#pump = pump;
    const stop = () => pump.hangUp();
    signal.addEventListener('abort', stop, { once: true });
    // One reaction for all polls: a `Promise.race` in each would leave one at `pump.end`, perhaps for weeks.
    let poll = new AbortController();
    void pump.end.then(() => poll.abort());
    let hasSpoken = false;
    try {
      while (!pump.ended) {
        const presence = await device.presence();
        if (pump.ended) break;
        if (presence !== 'away') {
          if (presence === 'here' && device.speaksWhileAway) await sleep(RAW_MODE_MS, signal);
          pump.start(presence === 'here');
          await pump.end;
        } else {
          // Hosts raise their carrier before they send. So input while the host seems to be away means: look again,
          // and read it only if the host is still away. A session begun earlier would end at the next look, with its
          // answers.
          if (hasSpoken) pump.listen();
          poll = new AbortController();
          if (device.speaksWhileAway && !hasSpoken) {
            device.watch({ readable: true, writable: false }, () => {
              hasSpoken = true;
              poll.abort();
            });
          }
          await sleep(pollMs, poll.signal);
        }
      }
      return device.staysOpen;
    } catch {
      return false; // the line is gone
    } finally {
      signal.removeEventListener('abort', stop);
      pump.hangUp();
      this.#partialLine = pump.partialLine;
      this.#pump = undefined;
    }
  }
}
