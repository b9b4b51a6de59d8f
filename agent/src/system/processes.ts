import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Backoff } from '../base/backoff.ts';
import { LineSplitter } from '../base/line-splitter.ts';
import type { Logger } from '../base/logger.ts';
import { errorCode } from '../base/system-error.ts';
import { sleep } from '../base/timeout.ts';

/** Longest output of a child that `run` returns, in bytes. */
const MAX_OUTPUT = 256 * 1024;
/** How long a child may take to end after its standard input, in ms. */
const END_MS = 2000;
/** Longer lines of a child are dropped, in bytes. */
const MAX_LINE = 1024 * 1024;
/** Part of the error output that `readLines` returns, in characters. */
const KEPT_ERRORS = 500;
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
  /** Environment variables added to the agent's own. */
  env?: Readonly<Record<string, string>>;
  /** The child's user, without supplementary groups; the agent's own by default. */
  user?: { uid: number; gid: number };
}

export interface RunResult {
  /** Exit status. */
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs a program to its end, with empty standard input.
 * @throws Error when it cannot be started (`code` is ENOENT when it is not installed), takes longer than `timeoutMs`,
 *   prints more than 256 KiB or is killed. An exit status other than 0 is a result, not an error.
 */
export function run(
  command: string,
  args: readonly string[],
  { timeoutMs, env, user }: RunOptions,
): Promise<RunResult> {
  const options = {
    ...{ timeout: timeoutMs, killSignal: 'SIGKILL' as const, maxBuffer: MAX_OUTPUT },
    ...{ env: { ...childEnvironment(), ...env }, ...user },
  };
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      if (!error) resolve({ code: 0, stdout, stderr });
      else if (typeof error.code === 'number') resolve({ code: error.code, stdout, stderr });
      else if (error.killed && !error.code)
        reject(new Error(`${command} did not end within ${timeoutMs} ms`));
      else reject(error);
    });
    child.stdin?.end();
  });
}

/**
 * As `run`, for programs whose failure is an error.
 * @returns what it printed to standard output
 * @throws Error as `run`, and when the exit status is not 0; the message is the error output
 */
export async function runOk(command: string, args: readonly string[], options: RunOptions): Promise<string> {
  const { code, stdout, stderr } = await run(command, args, options);
  if (code !== 0) throw new Error(stderr.trim() || `${command} ended with ${code}`);
  return stdout;
}

/** The agent's environment without the variables that systemd set for the agent only. */
function childEnvironment(): NodeJS.ProcessEnv {
  const { NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID, LISTEN_FDS, LISTEN_PID, LISTEN_FDNAMES, ...rest } =
    process.env;
  return rest;
}

/**
 * Calls `onLine` with every line that a program prints, until it exits or `stop` kills it.
 * @returns why it ended
 * @throws Error when it cannot be started, or `stop` has aborted
 */
export async function readLines(
  [program = '', ...args]: readonly string[],
  onLine: (line: string) => void,
  stop: AbortSignal,
): Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }> {
  const child = spawn(program, args, {
    ...{ stdio: ['ignore', 'pipe', 'pipe'], env: childEnvironment() },
    ...{ signal: stop, killSignal: 'SIGKILL' },
  });
  const closed = once(child, 'close');
  const lines = new LineSplitter(MAX_LINE);
  let stderr = '';
  // Without free file descriptors there are no streams, and an error follows.
  child.stdout?.on('data', (chunk: Buffer) =>
    lines.forEach(chunk, (line) => {
      if (!stop.aborted) onLine(line.toString('utf8'));
    }),
  );
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8', 0, KEPT_ERRORS - stderr.length);
  });
  const [code, signal] = await closed;
  return { code, signal, stderr: stderr.trim() };
}

export interface ProgramOptions extends Omit<RunOptions, 'timeoutMs'> {
  onLine: (line: string) => void;
  /** Called once. @param why its error output, how it ended, or why it could not be started */
  onEnd: (why: string) => void;
}

/** A program that takes lines and answers with lines. */
export interface RunningProgram {
  write(lines: readonly string[]): void;
  /** Ends its standard input, and kills it if it has not ended soon after. */
  end(): void;
}

/** Starts a program that takes lines. Never throws: what fails is reported by `onEnd`. */
export function startProgram(command: string, { env, user, onLine, onEnd }: ProgramOptions): RunningProgram {
  const child = spawn(command, [], {
    ...{ stdio: ['pipe', 'pipe', 'pipe'], env: { ...childEnvironment(), ...env } },
    ...user,
  });
  const lines = new LineSplitter(MAX_LINE);
  let stderr = '';
  let failure: string | undefined;
  let killer: NodeJS.Timeout | undefined;
  // Without free file descriptors there are no streams, and an error follows.
  child.stdout?.on('data', (chunk: Buffer) => lines.forEach(chunk, (line) => onLine(line.toString('utf8'))));
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8', 0, KEPT_ERRORS - stderr.length);
  });
  // It no longer reads: its end follows.
  child.stdin?.on('error', () => undefined);
  child.on('error', (error) => {
    failure = error.message;
  });
  child.on('close', (code, signal) => {
    clearTimeout(killer);
    onEnd(stderr.trim() || failure || `${command} ended with ${code ?? signal}`);
  });
  return {
    write: (written) => void child.stdin?.write(written.map((line) => `${line}\n`).join('')),
    end: () => {
      child.stdin?.end();
      killer ??= setTimeout(() => child.kill('SIGKILL'), END_MS);
    },
  };
}

export interface FollowOptions {
  command: string;
  /** Called before every start, so that a restarted program can continue where the last one ended. */
  args: () => readonly string[];
  onLine: (line: string) => void;
  /** Called before every start but the first: something may have been missed. */
  onRestart?: () => void;
  log: Logger;
}

/**
 * Runs a program that prints lines, and restarts it with growing delays when it exits. A program that is not installed
 * is not tried again.
 * @returns a function that stops it
 */
export function follow(options: FollowOptions): () => void {
  const stopping = new AbortController();
  void keepRunning(options, stopping.signal);
  return () => stopping.abort();
}

async function keepRunning(options: FollowOptions, stop: AbortSignal): Promise<void> {
  const { command, args, onLine, onRestart, log } = options;
  const backoff = new Backoff(FIRST_RESTART_MS, LAST_RESTART_MS);
  let isRestart = false;
  while (true) {
    const started = performance.now();
    let isInstalled = true;
    let why: unknown;
    try {
      if (isRestart) onRestart?.();
      isRestart = true;
      const ended = await readLines([...DIE_WITH_PARENT, command, ...args()], onLine, stop);
      isInstalled = ended.code !== NOT_INSTALLED;
      why = ended;
    } catch (error) {
      why = error;
      isInstalled = errorCode(error) !== 'ENOENT';
    }
    if (stop.aborted) return;
    if (!isInstalled) return log.warn({ command, why }, 'a program cannot be started');
    if (performance.now() - started > SETTLED_MS) backoff.reset();
    const delay = backoff.next();
    log.warn({ command, why, delay }, 'a program exited and will be restarted');
    await sleep(delay, stop);
    if (stop.aborted) return;
  }
}
