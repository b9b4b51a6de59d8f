import { withTimeout } from './timeout.ts';

/** Longest time for stopping, in ms. */
const STOP_MS = 2000;

/** A process beside the agent, with its own main module. */
export interface SocketProgram {
  start(): void;
  stop(): Promise<void>;
}

/** Ends this process at once: an ordinary exit waits for native calls, of which one may never end. */
export function killThisProcess(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** Starts a program, and stops it at SIGTERM or SIGINT. */
export function runUntilSignal(program: SocketProgram): void {
  let isStopping = false;
  const stop = async (): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    await withTimeout(program.stop(), STOP_MS).catch(killThisProcess);
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
  program.start();
}
