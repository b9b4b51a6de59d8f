import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Logger } from '../base/logger.ts';
import { ApiError } from '../contract/errors.ts';
import { badRequest } from '../contract/validate.ts';
import type { Journal } from '../resources/device/ports.ts';
import type { LogRecord } from '../resources/device/schema.ts';
import { childEnvironment, follow, splitLines } from './processes.ts';

const JOURNALD_SOCKET = '/run/systemd/journal/socket';
const READ_TIMEOUT_MS = 10_000;
/** Journalctl takes times from 1970 to here (systemd's USEC_TIMESTAMP_FORMATTABLE_MAX); nothing was logged outside. */
const LAST_TIME_MS = Date.UTC(9999, 11, 30);
/** Longest message that is passed on, in characters. */
const LONGEST_MESSAGE = 8192;
const FIELDS = 'MESSAGE,PRIORITY,SYSLOG_IDENTIFIER,_COMM,_SYSTEMD_UNIT,_TRANSPORT';
const FORMAT = ['--output=json', `--output-fields=${FIELDS}`, '--all', '--no-pager', '--quiet'];
const AGENT_UNIT = 'vitrine-agent.service';

export interface JournalOptions {
  log: Logger;
  /** Program and arguments that come before ours; journalctl by default. */
  command?: readonly [string, ...string[]];
  /** Its being there tells that journald runs. */
  socket?: string;
}

/** journald's log, read through journalctl. */
export function systemdJournal(options: JournalOptions): Journal {
  const { log, command = ['journalctl'], socket = JOURNALD_SOCKET } = options;
  const [program, ...leading] = command;
  return {
    async read({ after, from, limit }) {
      if (!existsSync(socket)) throw new ApiError('unavailable', 'This system has no journal.');
      const read = (range: string, most: number) =>
        readRecords(program, [...leading, ...FORMAT, range], most);
      if (after === undefined) return read(from === undefined ? `--lines=${limit}` : sinceTime(from), limit);
      // Of a cursor that it does not have, journalctl goes to a place near by and says nothing. So the record itself
      // is read, too.
      const [first, ...rest] = await read(`--cursor=${after}`, limit + 1);
      if (first?.cursor !== after) throw unknownCursor();
      return rest;
    },
    follow(onRecord) {
      if (!existsSync(socket)) return () => undefined;
      let cursor: string | undefined;
      // A follower takes a while to start. What is logged meanwhile is its as well.
      const begun = Date.now();
      return follow({
        command: program,
        // One that was started again goes on where the last one ended. Without --no-tail journalctl 252 stops ten lines
        // behind that, until the next line; 262 does not.
        args: () => {
          const start = cursor === undefined ? sinceTime(begun) : `--after-cursor=${cursor}`;
          return [...leading, ...FORMAT, '--follow', '--no-tail', start];
        },
        onLine: (line) => {
          const record = parseRecord(line);
          if (!record) return;
          cursor = record.cursor;
          onRecord(record);
        },
        log,
      });
    },
  };
}

/** Inclusive, so that nothing in the same millisecond is lost. @param time milliseconds since 1970 */
function sinceTime(time: number): string {
  const ms = Math.min(Math.max(time, 0), LAST_TIME_MS);
  const seconds = Math.floor(ms / 1000);
  return `--since=@${seconds}.${String(ms - seconds * 1000).padStart(3, '0')}`;
}

function unknownCursor(): ApiError {
  return badRequest('', [{ path: '/since', message: 'is not the cursor of a record that the log has' }]);
}

/** Reads the first `limit` records that a journalctl prints, and ends it then. */
function readRecords(program: string, args: readonly string[], limit: number): Promise<LogRecord[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: childEnvironment() });
    const records: LogRecord[] = [];
    let complaint = '';
    const settle = (error?: ApiError) => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      if (error) reject(error);
      else resolve(records);
    };
    const timer = setTimeout(
      () => settle(new ApiError('unavailable', 'The journal did not answer in time.')),
      READ_TIMEOUT_MS,
    );
    splitLines(child.stdout, (line) => {
      const record = parseRecord(line);
      if (record && records.length < limit) records.push(record);
      if (records.length === limit) settle();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (complaint.length < 500) complaint += chunk.toString('utf8', 0, 500);
    });
    child.once('error', () => settle(new ApiError('unavailable', 'This system has no journal.')));
    child.once('close', (code) => {
      if (code === 0 || records.length > 0 || complaint.trim() === '') return settle();
      // It takes cursors apart, and some that fit their pattern it cannot.
      const reason = complaint.trim().split('\n', 1)[0];
      if (/cursor|seek/i.test(complaint)) settle(unknownCursor());
      else settle(new ApiError('unavailable', `The journal cannot be read: ${reason}`));
    });
  });
}

const LEVELS: readonly LogRecord['level'][] = [
  'error',
  'error',
  'error',
  'error',
  'warning',
  'info',
  'info',
  'debug',
];

/** One line of `journalctl -o json` as a record; undefined for what is not an entry. */
export function parseRecord(line: string): LogRecord | undefined {
  let entry: Record<string, unknown>;
  try {
    entry = Object(JSON.parse(line));
  } catch {
    return undefined;
  }
  const { __CURSOR: cursor, __REALTIME_TIMESTAMP: time } = entry;
  if (typeof cursor !== 'string' || typeof time !== 'string' || !/^\d{1,16}$/.test(time)) return undefined;
  const message = text(entry.MESSAGE);
  const own = text(entry._SYSTEMD_UNIT) === AGENT_UNIT ? agentMessage(message) : undefined;
  const kernel = text(entry._TRANSPORT) === 'kernel' ? 'kernel' : '';
  return {
    ts: new Date(Number(time) / 1000).toISOString(),
    level: own?.level ?? LEVELS[Number(text(entry.PRIORITY) || 6)] ?? 'info',
    source: text(entry.SYSLOG_IDENTIFIER) || text(entry._COMM) || kernel || 'unknown',
    message: (own?.message ?? message).slice(0, LONGEST_MESSAGE).toWellFormed(),
    cursor,
  };
}

/** A field is a string, a list of bytes when it is not printable UTF-8, or a list of several such values. */
function text(field: unknown): string {
  if (typeof field === 'string') return field;
  if (!Array.isArray(field)) return '';
  if (typeof field[0] === 'number') return Buffer.from(field.filter((b) => typeof b === 'number')).toString();
  return text(field[0]);
}

/** The agent's own lines are JSON; their text and level are inside. */
function agentMessage(line: string): Pick<LogRecord, 'level' | 'message'> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const { level, msg, err }: { level?: unknown; msg?: unknown; err?: unknown } = Object(JSON.parse(line));
    if (typeof level !== 'number' || typeof msg !== 'string') return undefined;
    const { message: reason }: { message?: unknown } = Object(err);
    return {
      level: level >= 50 ? 'error' : level >= 40 ? 'warning' : level >= 30 ? 'info' : 'debug',
      message: typeof reason === 'string' ? `${msg}: ${reason}` : msg,
    };
  } catch {
    return undefined;
  }
}
