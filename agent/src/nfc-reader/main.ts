/** The reader program: `nfc-reader.mjs --socket PATH`. It looks for NFC readers and tags for the agent. */
import { parseArgs } from 'node:util';
import { limitedLog } from '../base/limited-log.ts';
import { createLogger } from '../base/logger.ts';
import { killThisProcess, runUntilSignal } from '../base/socket-program.ts';
import { errorMessage } from '../base/system-error.ts';
import { watchFor } from '../base/watch.ts';
import { Program } from './program.ts';

const USAGE = 'usage: nfc-reader.mjs --socket PATH';

/** @throws Error when the arguments are wrong */
function readSocket(args: string[]): string {
  const { values } = parseArgs({ args, options: { socket: { type: 'string' } } });
  if (!values.socket) throw new Error('--socket is missing');
  return values.socket;
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
    killThisProcess();
  });
  runUntilSignal(new Program({ socket, watch, log }));
}

// The build imports this module, too.
if (import.meta.main) run();
