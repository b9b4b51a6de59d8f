import { pino } from 'pino';

export type Logger = import('pino').Logger;

/**
 * The agent's log: one JSON line an entry on standard error, which the journal keeps. Standard output is
 * left to the ready line. Request bodies and secrets never go here.
 */
export function createLogger(level: 'debug' | 'info' | 'warn' | 'error' | 'silent'): Logger {
  return pino({ level, base: null }, pino.destination({ fd: 2, sync: true }));
}
