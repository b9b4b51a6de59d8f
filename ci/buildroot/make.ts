/** Runs make for Buildroot: in an environment of its own, with a log, stoppable at any time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, renameSync } from 'node:fs';
import { delimiter } from 'node:path';
import { finished } from 'node:stream/promises';
import { LineSplitter } from '../lib/lines.ts';
import { Problem } from '../lib/problem.ts';

/** Of the output, what is kept to explain a failure. */
const KEPT = 64 * 1024;
const LONGEST_LINE = 64 * 2 ** 20;
/** make and what it started have this long to end when they are told to. */
const STOP_MS = 15_000;

/**
 * The environment without what npm put there: its node_modules come first on the PATH, and a package's configure script
 * would find programs in it. make's own variables of a make around us go as well.
 */
export function buildEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || /^(npm_(?!config_)|NODE_|INIT_CWD$|MAKEFLAGS$|MAKELEVEL$|MFLAGS$)/.test(name))
      continue;
    kept[name] = value;
  }
  kept.PATH = (env.PATH ?? '')
    .split(delimiter)
    .filter(
      (folder) =>
        folder.startsWith('/') && !folder.includes('/node_modules/') && !folder.includes('node-gyp-bin'),
    )
    .join(delimiter);
  return kept;
}

export interface MakeRun {
  args: string[];
  env: Record<string, string>;
  /** File for all output; what is there from before is kept as `FILE.1`. */
  log: string;
  onLine?: (line: string) => void;
  /** Stops make; the result is then `stopped`. */
  stop: AbortSignal;
}

export interface MakeResult {
  ok: boolean;
  stopped: boolean;
  /** The end of the output. */
  output: string;
}

/**
 * Runs make to its end. There is no time limit on a whole build: a build from nothing takes hours, and every download
 * in it has its own limit. It ends with this process, however that ends.
 */
export async function runMake({ args, env, log, onLine, stop }: MakeRun): Promise<MakeResult> {
  if (existsSync(log)) renameSync(log, `${log}.1`);
  const file = createWriteStream(log);
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', '--', 'make', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own: a terminal's Ctrl-C reaches make by us alone, and all that it started with it.
    detached: true,
  });
  const kill = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // Nothing of the group is left.
    }
  };
  let late: NodeJS.Timeout | undefined;
  const onStop = (): void => {
    kill('SIGTERM');
    late = setTimeout(() => kill('SIGKILL'), STOP_MS);
  };
  const onExit = (): void => kill('SIGTERM');
  process.once('exit', onExit);
  stop.addEventListener('abort', onStop, { once: true });
  if (stop.aborted) onStop();
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    const lines = new LineSplitter(LONGEST_LINE);
    stream.on('data', (chunk: Buffer) => {
      file.write(chunk);
      output = (output + chunk.toString()).slice(-KEPT);
      for (const line of lines.push(chunk)) onLine?.(line);
    });
  }
  try {
    const [code]: unknown[] = await once(child, 'close');
    return { ok: code === 0, stopped: stop.aborted, output };
  } catch {
    throw new Problem('make could not be started ("setpriv" or "make" is missing).');
  } finally {
    clearTimeout(late);
    process.off('exit', onExit);
    stop.removeEventListener('abort', onStop);
    file.end();
    await finished(file);
  }
}
