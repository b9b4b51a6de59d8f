import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Problem } from '../../lib/problem.ts';

const QUIET_TAIL = 40;

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** Minutes before the command is killed; default: 30. */
  timeoutMinutes?: number;
  /** Runs the command in mount and PID namespaces of its own: its mounts and processes end with it. Needs root. */
  isolated?: boolean;
}

/** Start of a command line that runs the rest in namespaces of its own; a signal to it kills all of them. */
const ISOLATE = ['unshare', '--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', '--'];

/** A failed command; `output` contains the last lines of its output. */
export class CommandError extends Error {
  readonly output: string;
  constructor(message: string, output: string) {
    super(`${message}\n${output}`);
    this.output = output;
  }
}

/** Prints a progress message on stderr. */
export function say(line: string): void {
  process.stderr.write(`vitrine: ${line}\n`);
}

/**
 * Runs a command and returns its standard output. Its stderr is collected and shown only on failure. The command is
 * killed when this process dies, even by SIGKILL.
 * Throws {@link CommandError} on a non-zero exit, a signal or the timeout.
 */
export async function run(command: string, args: string[], options: RunOptions = {}): Promise<string> {
  const isolate = options.isolated ? ISOLATE : [];
  // SIGKILL: unshare blocks SIGTERM while it waits for its child.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...isolate, command, ...args], {
    cwd: options.cwd,
    env: { ...process.env, LC_ALL: 'C.UTF-8', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: (options.timeoutMinutes ?? 30) * 60_000,
    killSignal: 'SIGKILL',
  });
  const out: Buffer[] = [];
  let tail: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => {
    tail = tail.concat(chunk.toString().split(/[\r\n]+/)).slice(-QUIET_TAIL);
  });
  try {
    const [code, signal]: unknown[] = await once(child, 'close');
    const stdout = Buffer.concat(out).toString();
    if (code === 0) return stdout;
    const said = [...tail, ...stdout.split('\n').slice(-QUIET_TAIL)].filter(Boolean).join('\n');
    throw new CommandError(`${command} ${args[0] ?? ''} failed (${signal ?? `exit code ${code}`})`, said);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new Problem('the program "setpriv" is missing; packages.conf [host] lists what is needed.');
    }
    throw error;
  }
}
