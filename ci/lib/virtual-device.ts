import { readFile } from 'node:fs/promises';
import { errorMessage } from '../../agent/src/base/system-error.ts';
import { createClient } from '../../client/client.ts';
import { httpTransport } from '../../client/http.ts';
import { waitFor } from '../../testing/wait.ts';
import { Problem } from './problem.ts';
import { printable } from './progress.ts';

const TAIL_BYTES = 8 * 1024;
/** Time limit for an answer of the API, in ms; it is slow while the device is still starting. */
const ANSWER_MS = 5000;
const POLL_MS = 500;

/** How the process that runs a device ended. */
export interface DeviceEnd {
  /** 0 after a power-off by the device, or after `quit` of a QEMU machine. */
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A systemd system credential: its name, and the file that contains it. */
export interface Credential {
  name: string;
  file: string;
}

/** A device without hardware of its own: a machine in QEMU, or a container. */
export interface VirtualDevice {
  readonly settings: {
    /** Port on 127.0.0.1 that is forwarded to the device's port 80. */
    apiPort: number;
    /** Port on 127.0.0.1 that is forwarded to the device's port 443. */
    httpsPort: number;
    serialNumber: string;
    /** File with the output of the device's console. */
    console: string;
  };
  readonly pid: number;
  readonly running: boolean;
  /** Seconds since it was started. */
  readonly seconds: number;
  /** Resolves when it has ended. */
  readonly ended: Promise<DeviceEnd>;
  /** The address of the VNC server on this computer, `127.0.0.1:5900`; undefined when there is none. */
  vncAddress(): Promise<string | undefined>;
  /**
   * Presses the power button and waits for the device to power itself off; after `timeoutMs` it is ended.
   * @returns whether the device powered itself off
   */
  powerDown(timeoutMs: number): Promise<boolean>;
  /** Ends it at once; for the device that is a power cut. */
  quit(): Promise<void>;
  /** Helps a device that does not leave its firmware, until `signal` is aborted; then it rejects. */
  watchBoot?(signal: AbortSignal): Promise<void>;
  /** Calls `listener` whenever the device restarts, until the returned function is called. */
  onRestart(listener: () => void): () => void;
}

/** The last lines of a text file, at most 8 KiB, without escape sequences; empty when it cannot be read. */
export async function tailOf(path: string, lines = 30): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return printable(text.slice(-TAIL_BYTES)).trim().split('\n').slice(-lines).join('\n');
}

/**
 * Waits until the device's API answers 200. Throws a {@link Problem} with the end of the console when the device ends
 * first or at the time limit.
 */
export async function waitForApi(
  device: VirtualDevice,
  timeoutMs: number,
  intervalMs = POLL_MS,
): Promise<void> {
  const transport = httpTransport(`http://127.0.0.1:${device.settings.apiPort}/api/v1`);
  const client = createClient({ transport, timeoutMs: ANSWER_MS });
  const sawEnd = device.ended.then(() => 'ended' as const);
  let ok = false;
  const done = new AbortController();
  device.watchBoot?.(done.signal).catch(() => undefined);
  const ask = async (): Promise<void> => {
    await client.get('/device', { signal: done.signal });
    ok = true;
  };
  // Requests overlap: connections are accepted at once, and one made before the device was up is answered late or never.
  const answered = waitFor(
    () => {
      if (device.running && !ok) ask().catch(() => undefined);
      return ok;
    },
    { timeoutMs, what: 'the API', intervalMs },
  ).then(() => 'answered' as const, errorMessage);
  const outcome = await Promise.race([sawEnd, answered]);
  done.abort();
  if (outcome === 'answered') return;
  const tail = await tailOf(device.settings.console);
  const why = outcome === 'ended' ? 'the device ended before its API answered' : outcome;
  throw new Problem(`${why}. The end of its console (${device.settings.console}):\n${tail}`);
}
