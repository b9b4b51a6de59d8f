import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { Backoff } from '../base/backoff.ts';
import { LineSplitter } from '../base/line-splitter.ts';
import type { Logger } from '../base/logger.ts';
import { errorCode } from '../base/system-error.ts';

/** Bytes kept of each output of a child by default; the rest is read and dropped. */
const KEPT_OUTPUT = 64 * 1024;
/** Longer lines of a child are dropped, in bytes. */
const MAX_LINE = 1024 * 1024;
/** Time between SIGTERM and SIGKILL, in ms. */
const TERM_GRACE_MS = 2000;
/** Ends a follower with the agent, even when the agent is killed: most write too rarely to notice by themselves. */
const DIE_WITH_PARENT = ['/usr/bin/setpriv', '/bin/setpriv']
  .filter((path) => existsSync(path))
  .slice(0, 1)
  .flatMap((path) => [path, '--pdeathsig', 'TERM', '--']);
/** Exit status of setpriv when the program does not exist. */
const NOT_INSTALLED = 127;
/** Restart delays, in ms. They start over after a child has run for `SETTLED_MS`. */
const FIRST_RESTART_MS = 250;
const LAST_RESTART_MS = 30_000;
const SETTLED_MS = 10_000;

export interface RunOptions {
  /** After this time the child is killed and the run fails, in ms. */
  timeoutMs: number;
  /** Bytes kept of stdout and of stderr each; 64 KiB by default. */
  keepBytes?: number;
  signal?: AbortSignal;
  /** Environment variables added to the agent's own. */
  env?: Readonly<Record<string, string>>;
  /** The child's user, without supplementary groups; the agent's own by default. */
  user?: { uid: number; gid: number };
}

export interface RunResult {
  /** Exit status, or undefined when a signal ended the child. */
  code: number | undefined;
  stdout: string;
  stderr: string;
}

/**
 * Runs a program to its end, with empty standard input.
 * @throws Error when it cannot be started (`code` is ENOENT when it is not installed), takes longer than `timeoutMs`, or
 *   `signal` aborts it. An exit status other than 0 is a result, not an error.
 */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const { timeoutMs, keepBytes = KEPT_OUTPUT, signal, env, user } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...childEnvironment(), ...env },
      ...user,
    });
    const stdout = keep(child.stdout, keepBytes);
    const stderr = keep(child.stderr, keepBytes);
    let failure: Error | undefined;
    const abort = (reason: string) => {
      failure ??= new Error(`${command} ${reason}`);
      child.kill('SIGKILL');
    };
    const aborted = () => abort('was stopped');
    const timer = setTimeout(() => abort(`did not end within ${timeoutMs} ms`), timeoutMs);
    signal?.addEventListener('abort', aborted, { once: true });
    if (signal?.aborted) aborted();
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
    };
    child.once('error', (error) => {
      settle();
      reject(error);
    });
    child.once('close', (code) => {
      settle();
      if (failure) reject(failure);
      else resolve({ code: code ?? undefined, stdout: stdout(), stderr: stderr() });
    });
  });
}

/** Collects the first `limit` bytes of a stream and drains the rest, so that the child never blocks. */
function keep(stream: Readable, limit: number): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    if (size >= limit) return;
    chunks.push(chunk.subarray(0, limit - size));
    size += chunk.length;
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

/** The agent's environment without the variables that systemd set for the agent only. */
export function childEnvironment(): NodeJS.ProcessEnv {
  const { NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID, LISTEN_FDS, LISTEN_PID, LISTEN_FDNAMES, ...rest } =
    process.env;
  return rest;
}

/** Sends SIGTERM, and SIGKILL when the child has not exited 2 s later. */
export function terminate(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), TERM_GRACE_MS);
  timer.unref();
  child.once('exit', () => clearTimeout(timer));
}

/**
 * Splits a child's output into lines.
 * @param limit longer lines are dropped, in bytes
 */
export function splitLines(stream: Readable, onLine: (line: string) => void, limit = MAX_LINE): void {
  const lines = new LineSplitter(limit);
  stream.on('data', (chunk: Buffer) => lines.forEach(chunk, (line) => onLine(line.toString('utf8'))));
}

export interface FollowOptions {
  command: string;
  /** Called before every start, so that a restarted program can continue where the last one ended. */
  args: () => readonly string[];
  onLine: (line: string) => void;
  /** Called after every start but the first: something may have been missed. */
  onRestart?: () => void;
  log: Logger;
}

/**
 * Runs a program that prints lines, and restarts it with growing delays when it exits. A program that is not installed
 * is not tried again.
 * @returns a function that stops it
 */
export function follow({ command, args, onLine, onRestart, log }: FollowOptions): () => void {
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  const backoff = new Backoff(FIRST_RESTART_MS, LAST_RESTART_MS);
  let stopped = false;
  const start = (again: boolean) => {
    const started = performance.now();
    let reported = false;
    const ended = (why: string, retry: boolean) => {
      if (reported || stopped) return;
      reported = true;
      if (!retry) return void log.warn({ command, why }, 'a program cannot be started');
      if (performance.now() - started > SETTLED_MS) backoff.reset();
      const delay = backoff.next();
      log.warn({ command, why, delay }, 'a program exited and will be restarted');
      timer = setTimeout(() => start(true), delay);
      timer.unref();
    };
    try {
      const [program = command, ...rest] = [...DIE_WITH_PARENT, command, ...args()];
      const running = spawn(program, rest, { stdio: ['ignore', 'pipe', 'ignore'], env: childEnvironment() });
      child = running;
      running.once('error', (error) => ended(error.message, errorCode(error) !== 'ENOENT'));
      running.once('close', (code, signal) => ended(signal ?? `status ${code}`, code !== NOT_INSTALLED));
      splitLines(running.stdout, (line) => {
        if (!stopped) onLine(line);
      });
    } catch (error) {
      // Node throws when the system has no memory for a process, and gives no output stream without free descriptors.
      ended(error instanceof Error ? error.message : String(error), true);
      return;
    }
    if (again) onRestart?.();
  };
  start(false);
  return () => {
    stopped = true;
    clearTimeout(timer);
    if (child) terminate(child);
  };
}
