/** Helpers of the benchmark: peers run side by side, figures are medians, results are ratios. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../lib/places.ts';
import { within } from '../lib/wait.ts';

const READY_TIMEOUT_MS = 30_000;
const AGENT_UNIT = join(ROOT, 'overlay/usr/lib/systemd/system/vitrine-agent.service');

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** One figure, most of the time against a peer that was measured in the same run. */
export interface Figure {
  name: string;
  ours: number;
  unit: string;
  peer?: { name: string; value: number };
  /** Bounds of the ratio to the peer, of the difference to it, or of the value itself. */
  aim?: { of: 'ratio' | 'difference' | 'value'; atMost?: number; atLeast?: number };
}

/** The line of a figure, and whether its aim is met; a figure without an aim always is. */
export function describeFigure({ name, ours, unit, peer, aim }: Figure): { line: string; met: boolean } {
  const measured = { value: ours, ratio: ours / (peer?.value ?? 1), difference: ours - (peer?.value ?? 0) };
  const judged = aim ? measured[aim.of] : 0;
  const met = judged <= (aim?.atMost ?? Infinity) && judged >= (aim?.atLeast ?? -Infinity);
  const parts = [name.padEnd(36), `${ours.toFixed(1)} ${unit}`];
  if (peer) {
    parts.push(`${peer.name} ${peer.value.toFixed(1)} ${unit}`, `ratio ${measured.ratio.toFixed(2)}`);
  }
  if (aim) {
    const bound = aim.atMost === undefined ? `≥ ${aim.atLeast}` : `≤ ${aim.atMost}`;
    parts.push(`aim: ${aim.of} ${bound}`, met ? 'met' : 'MISSED');
  }
  return { line: parts.join('  '), met };
}

/** Prints a figure; whether its aim is met. */
export function printFigure(figure: Figure): boolean {
  const { line, met } = describeFigure(figure);
  console.log(line);
  return met;
}

/** A process under measurement that has said it is ready. */
export interface Started {
  child: ChildProcess;
  /** The first line of its standard output. */
  line: string;
  /** From spawn to that line, in ms. */
  ms: number;
}

/**
 * Starts a Node program and waits for its first line.
 * @param environment what it has in its environment besides what is in ours
 */
export async function startNode(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const begun = performance.now();
  const child = spawn(process.execPath, [...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...environment },
  });
  const lines = createInterface({ input: child.stdout });
  const ready = new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code} before it was ready`)));
  });
  const line = await within(ready, READY_TIMEOUT_MS, `${args[0]} to be ready`);
  return { child, line, ms: performance.now() - begun };
}

/** Runs a Node program to its end and gives its standard output. */
export async function runNode(args: readonly string[]): Promise<{ output: string; ms: number }> {
  const begun = performance.now();
  const child = spawn(process.execPath, [...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  for await (const chunk of child.stdout) output += chunk;
  return { output, ms: performance.now() - begun };
}

export async function stop({ child }: Started): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

/** How the device runs Node: its options, and what its unit puts into the environment. */
async function nodeOnDevice(): Promise<{ options: string[]; environment: Record<string, string> }> {
  const unit = await readFile(AGENT_UNIT, 'utf8');
  const options = /^ExecStart=\/usr\/bin\/node ((?:--\S+ )*)\S+\/main\.mjs /m.exec(unit)?.[1];
  if (options === undefined) throw new Error(`${AGENT_UNIT} does not start Node with the agent`);
  const environment: Record<string, string> = {};
  for (const [, name = '', value = ''] of unit.matchAll(/^Environment=(\w+)=(\S*)$/gm))
    environment[name] = value;
  return { options: options.split(' ').filter((option) => option !== ''), environment };
}

/** Starts the agent on a free port of the loopback, by Node as the device runs it. */
export async function startAgent(
  agent: string,
  folder: string,
  more: string[] = [],
): Promise<Started & { port: number }> {
  const { options, environment } = await nodeOnDevice();
  const started = await startNode(
    [...options, agent, '--listen', '127.0.0.1:0', '--data', folder, ...more],
    environment,
  );
  const ready: unknown = JSON.parse(started.line);
  const [api] =
    typeof ready === 'object' && ready && 'api' in ready && Array.isArray(ready.api) ? ready.api : [];
  return { ...started, port: Number(new URL(String(api)).port) };
}

/** Resident set of a process in MB (10⁶ bytes). */
export async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / 1e6;
}
