/** A virtual device for the tests of other projects, started from a checkout of this one. For Node on Linux. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type FileHandle, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '../agent/src/base/timeout.ts';
import { connect } from './connect.ts';
import type { Device } from './device.ts';
import type { ReadyInfo } from './virtual-devices.ts';

export type { ReadyInfo } from './virtual-devices.ts';

/** With a build of the image from nothing. */
const START_TIMEOUT_MS = 30 * 60_000;
/** Longer than `npm start` gives the device to power itself off. */
const STOP_TIMEOUT_MS = 80_000;
const KILL_TIMEOUT_MS = 10_000;
const POLL_MS = 100;
/** Of the output of `npm start`: read at once, and kept for an error, in bytes and characters. */
const BLOCK_BYTES = 64 * 1024;
const TAIL_CHARACTERS = 4000;

export interface VirtOptions {
  /** A checkout of the project. By default `$VITRINE_PROJECT`. */
  project?: string;
  /** In a container (default), which starts in seconds but needs root or sudo, or in QEMU. */
  container?: boolean;
  /** Time limit for the API to answer, also if the image is built first, in ms: 30 min by default. */
  timeoutMs?: number;
  /** Called with each line that `npm start` prints until the device is ready. */
  onProgress?: (line: string) => void;
  /** Ends the start. */
  signal?: AbortSignal;
}

/** A running virtual device. `await using` stops it. */
export interface VirtDevice extends AsyncDisposable {
  /** Connected over the network. */
  device: Device;
  /** All of its addresses. */
  ready: ReadyInfo;
  /** Powers it down and erases it. Resolves when it is gone. */
  stop(): Promise<void>;
}

/**
 * Starts a virtual device as it comes from the factory; any number may run side by side. It is stopped when this process
 * ends, whatever the reason.
 * @throws Error with the end of what `npm start` has printed
 */
export async function startVirt(options: VirtOptions = {}): Promise<VirtDevice> {
  const { container = true, timeoutMs = START_TIMEOUT_MS, onProgress, signal } = options;
  signal?.throwIfAborted();
  const project = projectFolder(options.project);
  const name = `virt-${process.pid}-${randomBytes(3).toString('hex')}`;
  const at = join(tmpdir(), `vitrine-${name}-${randomBytes(6).toString('hex')}`);
  const readyFile = `${at}.json`;
  const log = await open(`${at}.log`, 'wx+', 0o600);
  // It is used by its descriptor only, and gone when both processes are.
  await rm(`${at}.log`);
  const output = new Output(log, onProgress);
  // npm is left out, since it ends before what it has started.
  const child = spawn(
    process.execPath,
    [
      join(project, 'ci/run.mjs'),
      'start',
      ...(container ? ['--container'] : []),
      ...['--headless', '--discard', '--port', '0', '--ready-json', readyFile],
      ...['--name', name],
    ],
    // Its end of the channel closes when this process ends, even by SIGKILL: it powers the device down then.
    { cwd: project, stdio: ['ignore', log.fd, log.fd, 'ipc'], detached: true },
  );
  // Only the wait for it keeps this process running.
  child.unref();
  child.channel?.unref();
  const ended = once(child, 'exit').catch(() => undefined);
  const clean = async (): Promise<void> => {
    await log.close();
    await rm(readyFile, { force: true });
  };
  let ready: ReadyInfo | undefined;
  try {
    ready = await waitForReady(child, readyFile, output, timeoutMs, signal);
    const device = await connect(new URL(ready.api).origin);
    let stopping: Promise<void> | undefined;
    const stop = (): Promise<void> =>
      (stopping ??= device
        .close()
        .catch(() => undefined)
        .then(() => end(child, ended, ready?.pid))
        .finally(clean));
    return { device, ready, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await end(child, ended, ready?.pid).finally(clean);
    throw error;
  }
}

/** @throws Error that says what to give */
function projectFolder(given = process.env.VITRINE_PROJECT): string {
  if (!given) throw new Error('name a checkout of Vitrine: the option `project`, or $VITRINE_PROJECT');
  const folder = resolve(given);
  if (!existsSync(join(folder, 'ci/run.mjs'))) throw new Error(`${folder} is no checkout of Vitrine`);
  return folder;
}

async function waitForReady(
  child: ChildProcess,
  file: string,
  output: Output,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<ReadyInfo> {
  const end = performance.now() + timeoutMs;
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = error;
  });
  for (;;) {
    const isLate = performance.now() > end;
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    await output.read();
    signal?.throwIfAborted();
    const ready = parsed(await readFile(file, 'utf8').catch(() => ''));
    if (ready) return ready;
    if (failure) throw new Error(`the virtual device cannot be started: ${failure.message}`);
    if (hasEnded) throw new Error(`the virtual device did not start:\n${output.tail}`);
    if (isLate) {
      throw new Error(
        `the virtual device was not ready within ${timeoutMs / 1000} s; the last of its output:\n${output.tail}`,
      );
    }
    await sleep(POLL_MS);
  }
}

/** Powers the device down; kills it when that takes too long. */
async function end(child: ChildProcess, ended: Promise<unknown>, owner: number | undefined): Promise<void> {
  if (child.pid === undefined) return;
  child.kill('SIGTERM');
  await withTimeout(ended, STOP_TIMEOUT_MS).catch(async () => {
    for (const pid of [owner, child.pid]) {
      if (pid === undefined) continue;
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has just ended.
      }
    }
    await withTimeout(ended, KILL_TIMEOUT_MS);
  });
}

/** What `npm start` prints. A file, because a pipe would end with this process, before `npm start` has powered down. */
class Output {
  readonly #file: FileHandle;
  readonly #onLine: ((line: string) => void) | undefined;
  readonly #decoder = new TextDecoder();
  #read = 0;
  #part = '';
  #tail = '';

  constructor(file: FileHandle, onLine: ((line: string) => void) | undefined) {
    this.#file = file;
    this.#onLine = onLine;
  }

  /** The end of what was read. */
  get tail(): string {
    return this.#tail.trim();
  }

  /** Reads what is new. */
  async read(): Promise<void> {
    const block = Buffer.alloc(BLOCK_BYTES);
    for (;;) {
      const { bytesRead } = await this.#file.read(block, 0, block.length, this.#read);
      if (bytesRead === 0) return;
      this.#read += bytesRead;
      const text = this.#decoder.decode(block.subarray(0, bytesRead), { stream: true });
      this.#tail = (this.#tail + text).slice(-TAIL_CHARACTERS);
      const lines = (this.#part + text).split('\n');
      this.#part = (lines.pop() ?? '').slice(-TAIL_CHARACTERS);
      for (const line of lines) this.#onLine?.(line);
    }
  }
}

/** The content of a ready file, which is written at once. */
function parsed(text: string): ReadyInfo | undefined {
  if (text === '') return undefined;
  const value: unknown = JSON.parse(text);
  if (!isReady(value))
    throw new Error('this checkout of Vitrine has another version: its ready file differs');
  return value;
}

function isReady(value: unknown): value is ReadyInfo {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const texts = ['name', 'api', 'https', 'docs', 'events', 'serial', 'host_address'];
  const isText = (name: string): boolean => typeof fields.get(name) === 'string';
  const isTextOrNull = (name: string): boolean => fields.get(name) === null || isText(name);
  return (
    texts.every(isText) && ['tty', 'qmp', 'vnc'].every(isTextOrNull) && typeof fields.get('pid') === 'number'
  );
}
