/** Runs make for Buildroot: in an environment of its own, with a log, stoppable at any time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, renameSync } from 'node:fs';
import { delimiter } from 'node:path';
import { finished } from 'node:stream/promises';
import { LineSplitter } from '../../agent/src/base/line-splitter.ts';
import { Problem } from '../lib/problem.ts';

/** How much of the end of the output is kept to explain a failure, in characters. */
const KEPT = 64 * 1024;
const MAX_LINE_BYTES = 2 ** 20;
/** Time between SIGTERM and SIGKILL for make and its child processes. */
const STOP_MS = 15_000;

/**
 * The environment without npm's additions: npm puts node_modules/.bin first in the PATH, where a package's configure
 * script would find programs. The variables of an outer make are removed as well.
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
  /** File for all output; an existing file is kept as `FILE.1`. */
  log: string;
  onLine?: (line: string) => void;
  /** Stops make; the result is then `stopped: true`. */
  stop: AbortSignal;
}

export interface MakeResult {
  ok: boolean;
  stopped: boolean;
  /** The end of the output. */
  output: string;
}

/**
 * Runs make to its end. There is no time limit: a build from scratch takes hours, and every download in it has its own
 * limit. make is stopped when this process ends, even by SIGKILL.
 */
export async function runMake({ args, env, log, onLine, stop }: MakeRun): Promise<MakeResult> {
  if (existsSync(log)) renameSync(log, `${log}.1`);
  const file = createWriteStream(log);
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', '--', 'make', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group: only this process reacts to Ctrl-C, and then signals make and all its children.
    detached: true,
  });
  const kill = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // The process group no longer exists.
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
    const lines = new LineSplitter(MAX_LINE_BYTES);
    stream.on('data', (chunk: Buffer) => {
      file.write(chunk);
      output = (output + chunk.toString()).slice(-KEPT);
      lines.forEach(chunk, (line) => onLine?.(line.toString()));
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
