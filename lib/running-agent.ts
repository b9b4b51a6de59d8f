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
  stop(): Promise<void>;
}

/** Starts the agent with a data folder of its own. */
export async function startAgent(...flags: string[]): Promise<RunningAgent> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-agent-'));
  const args = [MAIN, '--profile', 'generic', '--listen', '127.0.0.1:0', '--data', folder, ...flags];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  try {
    for await (const line of createInterface(child.stdout)) {
      return { api: String(JSON.parse(line).api[0]), stop: () => stop(child, folder) };
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
