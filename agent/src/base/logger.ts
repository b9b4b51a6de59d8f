import { pino } from 'pino';
import { LogOutput } from './log-output.ts';

export type Logger = import('pino').Logger;

/** Shared by all loggers of the process. */
let output: LogOutput | undefined;

/**
 * The agent's log: JSON lines on standard error, which journald stores. Logging never waits for the reader
 * (log-output.ts). Standard output is for the ready line only. Never log request bodies or secrets.
 */
export function createLogger(level: 'debug' | 'info' | 'warn' | 'error' | 'silent'): Logger {
  output ??= new LogOutput();
  return pino({ level, base: null }, output);
}
