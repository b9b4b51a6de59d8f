import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ROOT } from './places.ts';

const KEPT = 1024 * 1024;
const LEFTOVERS_MS = 5000;

/** How a program ended, and the last MiB of its stdout and stderr in the order of arrival. */
export interface ToolResult {
  ok: boolean;
  output: string;
}

/**
 * Runs a program in the project's folder until it ends. After `timeoutMs` it is killed and counts as failed. It is also
 * killed when this process exits.
 * @param onOutput called with every chunk of output as it arrives
 */
export async function runTool(
  program: string,
  args: string[],
  timeoutMs: number,
  onOutput: (chunk: Buffer) => void = () => undefined,
): Promise<ToolResult> {
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  // Child processes of a killed program may outlive it and keep its output open.
  child.once('exit', (_code, signal) => {
    if (!signal) return;
    const late = setTimeout(() => {
      child.stdout.destroy();
      child.stderr.destroy();
    }, LEFTOVERS_MS);
    child.once('close', () => clearTimeout(late));
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-KEPT);
      onOutput(chunk);
    });
  }
  try {
    const [code, signal]: unknown[] = await once(child, 'close');
    if (signal) output += `\n${program} was ended by ${String(signal)} (time limit ${timeoutMs / 1000} s)\n`;
    return { ok: code === 0, output };
  } catch (error) {
    return { ok: false, output: `${program} could not be started: ${String(error)}\n` };
  } finally {
    process.off('exit', kill);
  }
}

/** The tracked files and the untracked ones that git does not ignore, as paths relative to the project's folder. */
export async function projectFiles(...patterns: string[]): Promise<string[]> {
  const { ok, output } = await runTool(
    'git',
    // The clone may belong to another user, as when root runs the tests. Its files are executed anyway.
    [...'-c safe.directory=* ls-files -z --cached --others --exclude-standard --'.split(' '), ...patterns],
    60_000,
  );
  if (!ok) throw new Error(`git could not list the project's files: ${output}`);
  return output.split('\0').filter(Boolean);
}
