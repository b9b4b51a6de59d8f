/** Helpers of the benchmark: peers are measured in turn, and compared round by round. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { within } from '../../testing/wait.ts';
import { ROOT } from '../lib/places.ts';

const READY_TIMEOUT_MS = 30_000;
const AGENT_UNIT = join(ROOT, 'overlay/usr/lib/systemd/system/vitrine-agent.service');

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** One figure: a value for each round and, most of the time, that of a peer from the same round. */
export interface Figure {
  name: string;
  ours: readonly number[];
  unit: string;
  peer?: { name: string; values: readonly number[] };
  /** Bounds of the median of the ratios to the peer, or of the median value itself. */
  aim?: { of: 'ratio' | 'value'; atMost?: number; atLeast?: number };
}

/** Ours by the peer's, round by round: what else the computer did then affected both. */
function ratios({ ours, peer }: Figure): number[] {
  return ours.map((value, round) => value / (peer?.values[round] ?? Number.NaN));
}

/** The line of a figure, and whether its aim is met; a figure without an aim always is. */
export function describeFigure(figure: Figure): { line: string; met: boolean } {
  const { name, ours, unit, peer, aim } = figure;
  const value = median(ours);
  const parts = [name.padEnd(36), `${value.toFixed(1)} ${unit}`];
  const ratio = ratios(figure);
  if (peer) {
    const spread = [Math.min(...ratio), median(ratio), Math.max(...ratio)].map((each) => each.toFixed(2));
    parts.push(`${peer.name} ${median(peer.values).toFixed(1)} ${unit}`, `ratio ${spread.join(' / ')}`);
  } else if (ours.length > 1) {
    parts.push(`${Math.min(...ours).toFixed(1)} to ${Math.max(...ours).toFixed(1)}`);
  }
  const judged = aim?.of === 'ratio' ? median(ratio) : value;
  const met = !aim || (judged <= (aim.atMost ?? Infinity) && judged >= (aim.atLeast ?? -Infinity));
  if (aim) {
    const bound = aim.atMost === undefined ? `≥ ${aim.atLeast}` : `≤ ${aim.atMost}`;
    parts.push(`aim: ${aim.of} ${bound}`, met ? 'met' : 'MISSED');
  }
  return { line: parts.join('  '), met };
}

/** Measures two peers in turn, `rounds` times; who is first changes, so that neither always has the warmer computer. */
export async function interleaved(
  rounds: number,
  ours: () => Promise<number>,
  peer: () => Promise<number>,
): Promise<{ ours: number[]; peer: number[] }> {
  const measured = { ours: [] as number[], peer: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? (['ours', 'peer'] as const) : (['peer', 'ours'] as const);
    for (const which of order) measured[which].push(await (which === 'ours' ? ours() : peer()));
  }
  return measured;
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
