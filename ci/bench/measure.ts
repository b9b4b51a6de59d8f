/** Helpers of the benchmark: peers run side by side, figures are medians, results are ratios. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** One figure against its peer. `aim` says what the ratio should be, and which way is good. */
export interface Figure {
  name: string;
  ours: number;
  peer: number;
  unit: string;
  peerName: string;
  aim?: { atMost?: number; atLeast?: number };
}

export function printFigure({ name, ours, peer, unit, peerName, aim }: Figure): void {
  const ratio = ours / peer;
  const met = aim && ratio <= (aim.atMost ?? Infinity) && ratio >= (aim.atLeast ?? 0);
  const target = aim ? `  aim ${aim.atMost === undefined ? `≥ ${aim.atLeast}` : `≤ ${aim.atMost}`}` : '';
  const verdict = aim ? (met ? '  met' : '  MISSED') : '';
  console.log(
    `${name.padEnd(34)} ${ours.toFixed(1)} ${unit}  vs ${peerName} ${peer.toFixed(1)} ${unit}  ratio ${ratio.toFixed(2)}${target}${verdict}`,
  );
}

/** A process under measurement that has said it is ready. */
export interface Started {
  child: ChildProcess;
  /** The first line of its standard output. */
  line: string;
  /** From spawn to that line, in ms. */
  ms: number;
}

/** Starts a Node program and waits for its first line. */
export async function startNode(args: readonly string[]): Promise<Started> {
  const begun = performance.now();
  const child = spawn(process.execPath, [...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  const lines = createInterface({ input: child.stdout });
  const line = await new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    child.once('exit', (code) =>
      reject(new Error(`${args.join(' ')} ended with ${code} before it was ready`)),
    );
  });
  return { child, line, ms: performance.now() - begun };
}

export async function stop({ child }: Started): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

/** Resident set of a process in MB (10⁶ bytes). */
export async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / 1e6;
}
