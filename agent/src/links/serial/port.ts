import { existsSync, type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Backoff } from '../../base/backoff.ts';
import type { Logger } from '../../base/logger.ts';
import { errorCode, errorMessage } from '../../base/system-error.ts';
import { sleep } from '../../base/timeout.ts';
import type { SerialDevice } from './device.ts';
import { Pump, type SerialHandler } from './pump.ts';

/** One serial port of the cable. */
export interface SerialPort {
  readonly path: string;
  /** Ends the session (`onClose`) and closes the port. */
  close(): Promise<void>;
}

export interface SerialPortOptions {
  path: string;
  handler: SerialHandler;
  log: Logger;
  /** Rejects when the line cannot be opened now. */
  openDevice: (path: string) => Promise<SerialDevice>;
  /** How long a host may leave output unread before its session ends, in ms. */
  stallMs?: number;
  /** As {@link LOOK_EVERY_MS}; for tests. */
  pollMs?: number;
}

const STALL_MS = 10_000;
/**
 * How long the host gets to set raw mode after opening its tty, which raises DTR, in ms. Until then its terminal would
 * echo the greeting.
 */
const RAW_MODE_MS = 30;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 2000;
/** How often a host is looked for while there is none, in ms. Each look wakes the processor. */
const LOOK_EVERY_MS = 250;

/** Opens a port in the background and reopens it whenever it is lost; failures are logged. */
export function openSerialPort(options: SerialPortOptions): SerialPort {
  const closing = new AbortController();
  const running = run(options, closing.signal);
  return {
    path: options.path,
    close: async () => {
      closing.abort();
      await running;
    },
  };
}

async function run(options: SerialPortOptions, closing: AbortSignal): Promise<void> {
  const { path, log, openDevice } = options;
  const backoff = new Backoff(FIRST_RETRY_MS, LAST_RETRY_MS);
  let loggedReason = '';
  let partialLine = false;
  while (!closing.aborted) {
    let isMissing = false;
    const device = await openDevice(path).catch((error: unknown) => {
      isMissing = errorCode(error) === 'ENOENT';
      const reason = errorMessage(error);
      if (reason !== loggedReason) log.warn({ path, reason }, 'serial line cannot be opened');
      loggedReason = reason;
      return undefined;
    });
    const openedAt = performance.now();
    if (device) {
      loggedReason = '';
      try {
        for (let usable = true; usable && !closing.aborted; ) {
          const pump = new Pump(device, options.handler, options.stallMs ?? STALL_MS, partialLine);
          usable = await serve(device, pump, options.pollMs ?? LOOK_EVERY_MS, closing);
          partialLine = pump.partialLine;
        }
        await device.close();
      } catch (error) {
        // The port is opened again.
        log.error({ err: error, path }, 'serial line failed');
      }
    }
    // A line that fails at once must not keep the agent busy.
    if (isMissing) await appearance(path, closing);
    else if (performance.now() - openedAt < FIRST_RETRY_MS) await sleep(backoff.next(), closing);
    else backoff.reset();
  }
}

/** Waits until a file appears, or for {@link LAST_RETRY_MS}: nothing is told of a file whose folder does not exist either. */
async function appearance(path: string, closing: AbortSignal): Promise<void> {
  const seen = new AbortController();
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(dirname(path), { persistent: false }, (event, name) => {
      if (event === 'rename' && name === basename(path)) seen.abort();
    });
    watcher.on('error', () => undefined);
  } catch {
    // There is no folder, or too much is watched.
  }
  const isThere = existsSync(path);
  await sleep(isThere ? FIRST_RETRY_MS : LAST_RETRY_MS, AbortSignal.any([closing, seen.signal]));
  watcher?.close();
}

/**
 * Waits for a host and serves it until it leaves.
 * @returns whether the device can serve another host
 */
async function serve(
  device: SerialDevice,
  pump: Pump,
  pollMs: number,
  closing: AbortSignal,
): Promise<boolean> {
  const stop = () => pump.hangUp();
  closing.addEventListener('abort', stop, { once: true });
  // One reaction for all polls: a `Promise.race` in each would leave one at `pump.end`, perhaps for weeks.
  let poll = new AbortController();
  void pump.end.then(() => poll.abort());
  let hasSpoken = false;
  try {
    while (!pump.ended) {
      const presence = await device.presence();
      if (pump.ended) break;
      if (presence !== 'away') {
        if (presence === 'here' && device.sendsWithoutCarrier) await sleep(RAW_MODE_MS, closing);
        pump.start(presence === 'here');
        await pump.end;
      } else {
        // Hosts raise their carrier before they send. So input while the host seems to be away means: look again, and
        // read it only if the host is still away. A session begun earlier would end at the next look, with its answers.
        if (hasSpoken) pump.watch();
        poll = new AbortController();
        if (device.sendsWithoutCarrier && !hasSpoken) {
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
    closing.removeEventListener('abort', stop);
    pump.hangUp();
  }
}
