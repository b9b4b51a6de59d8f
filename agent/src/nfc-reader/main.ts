/** The reader program: `nfc-reader.mjs --socket PATH`. It looks for NFC readers and tags for the agent. */
import { parseArgs } from 'node:util';
import { limitedLog } from '../base/limited-log.ts';
import { createLogger } from '../base/logger.ts';
import { errorMessage } from '../base/system-error.ts';
import { withTimeout } from '../base/timeout.ts';
import { Program } from './program.ts';
import { watchFor } from './watch.ts';

const USAGE = 'usage: nfc-reader.mjs --socket PATH';
/** Longest time for closing the readers, in ms. */
const STOP_MS = 2000;

/** @throws Error when the arguments are wrong */
function readSocket(args: string[]): string {
  const { values } = parseArgs({ args, options: { socket: { type: 'string' } } });
  if (!values.socket) throw new Error('--socket is missing');
  return values.socket;
}

/** Ends this process at once: an ordinary exit waits for native calls, of which one may never end. */
function kill(): void {
  process.kill(process.pid, 'SIGKILL');
}

function run(): void {
  let socket: string;
  try {
    socket = readSocket(process.argv.slice(2));
  } catch (error) {
    console.error(`${errorMessage(error)}\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  const logger = createLogger('info');
  const log = limitedLog(logger);
  const watch = watchFor((what) => {
    logger.fatal({ call: what }, 'a call to a reader hangs; this process ends, and is started again');
    kill();
  });
  const program = new Program({ socket, watch, log });
  let isStopping = false;
  const stop = async (): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    await withTimeout(program.stop(), STOP_MS).catch(kill);
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
  program.start();
}

// The build imports this module, too.
if (import.meta.main) run();
