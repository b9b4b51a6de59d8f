/** The agent as a process on this computer, for tests. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../agent/src/main.ts', import.meta.url));
const START_TIMEOUT_MS = 60_000;

export interface RunningAgent {
  /** `http://127.0.0.1:PORT/api/v1` */
  api: string;
  pid: number;
  /** Of its data; sockets are in `run`. */
  folder: string;
  stop(): Promise<void>;
}

export interface AgentOptions {
  /** Of the agent's command line. */
  flags?: readonly string[];
  /** Of Node. */
  nodeOptions?: readonly string[];
  /** Drops its log, which the test's output shows otherwise. */
  isQuiet?: boolean;
}

/** Starts the agent with a data folder of its own. */
export async function startAgent({
  flags = [],
  nodeOptions = [],
  isQuiet = false,
}: AgentOptions = {}): Promise<RunningAgent> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-agent-'));
  const common = ['--profile', 'generic', '--listen', '127.0.0.1:0', '--data', folder];
  const child = spawn(process.execPath, [...nodeOptions, MAIN, ...common, ...flags], {
    stdio: ['ignore', 'pipe', isQuiet ? 'ignore' : 'inherit'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  try {
    for await (const line of createInterface(child.stdout)) {
      return {
        api: String(JSON.parse(line).api[0]),
        pid: child.pid ?? 0,
        folder,
        stop: () => stop(child, folder),
      };
    }
  } finally {
    clearTimeout(timer);
  }
  assert.fail('the agent did not start');
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  const exited = once(child, 'exit');
  if (child.exitCode === null && child.kill('SIGTERM')) await exited;
  await rm(folder, { recursive: true, force: true });
}
