import { pino } from 'pino';
import { LogOutput } from './log-output.ts';

export type Logger = import('pino').Logger;

/** One for all loggers of the process. */
let output: LogOutput | undefined;

/**
 * The agent's log: one JSON line an entry on standard error, which the journal keeps. Logging never waits for a reader
 * (log-output.ts). Standard output is left to the ready line. Request bodies and secrets never go here.
 */
export function createLogger(level: 'debug' | 'info' | 'warn' | 'error' | 'silent'): Logger {
  output ??= new LogOutput();
  return pino({ level, base: null }, output);
}
