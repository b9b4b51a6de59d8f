import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** What can be waited for, as bits, and what has happened (uv_poll_event). */
export const READABLE = 1;
export const WRITABLE = 2;
export const DISCONNECTED = 4;

type OnReady = (event: typeof READABLE | typeof WRITABLE | typeof DISCONNECTED) => void;

/** The part of serialport's native binding that works on any file descriptor. */
interface Poller {
  on(event: 'readable' | 'writable' | 'disconnect', listener: () => void): void;
  poll(events: number): void;
  stop(): void;
}

/** Waits for one file descriptor number. */
export class Readiness {
  #onReady: OnReady | undefined;
  readonly #poller: Poller;

  constructor(poller: Poller) {
    this.#poller = poller;
    // An error (hangup) is reported as all three, and shows itself when the line is read.
    this.#poller.on('readable', () => this.#onReady?.(READABLE));
    this.#poller.on('writable', () => this.#onReady?.(WRITABLE));
    this.#poller.on('disconnect', () => this.#onReady?.(DISCONNECTED));
  }

  /** Replaces what is waited for; 0 waits for nothing. `onReady` is called once for each event, until the next `watch`. */
  watch(events: number, onReady: OnReady): void {
    // Stopping reports every event as cancelled.
    this.#onReady = undefined;
    if (events === 0) {
      this.#poller.stop();
    } else {
      this.#onReady = onReady;
      this.#poller.poll(events);
    }
  }
}

/**
 * One for each file descriptor number, kept for good. The binding's destructor, which runs whenever the collector
 * likes, takes its number out of the event loop's poll set once more; by then the number may belong to another socket,
 * which would never hear of its data again.
 */
const known = new Map<number, Readiness>();

/**
 * Loads the binding when it is first needed. The package's public class for Linux has it too, but loading that costs 2 MB
 * of memory and 15 ms for what is not used here: lists of ports, other systems.
 */
export function readinessOf(fd: number): Readiness {
  const found = known.get(fd);
  if (found) return found;
  const {
    Poller,
  }: { Poller: new (fd: number) => Poller } = require('@serialport/bindings-cpp/dist/poller.js');
  const readiness = new Readiness(new Poller(fd));
  known.set(fd, readiness);
  return readiness;
}
