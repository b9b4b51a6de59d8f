import { existsSync } from 'node:fs';
import type { Logger } from '../base/logger.ts';
import { ApiError } from '../contract/errors.ts';
import { badRequest } from '../contract/issues.ts';
import type { Journal } from '../resources/device/ports.ts';
import { LOG_LEVELS, type LogRecord } from '../resources/device/schema.ts';
import { follow, readLines } from './processes.ts';

const JOURNALD_SOCKET = '/run/systemd/journal/socket';
const READ_TIMEOUT_MS = 10_000;
/** journalctl accepts times from 1970 to this one (systemd's USEC_TIMESTAMP_FORMATTABLE_MAX). */
const LAST_TIME_MS = Date.UTC(9999, 11, 30);
/** Longer messages are cut, in characters. */
const MAX_MESSAGE = 8192;
const FIELDS = 'MESSAGE,PRIORITY,SYSLOG_IDENTIFIER,_COMM,_SYSTEMD_UNIT,_TRANSPORT';
const FORMAT = ['--output=json', `--output-fields=${FIELDS}`, '--all', '--no-pager', '--quiet'];
const AGENT_UNIT = 'vitrine-agent.service';

export interface JournalOptions {
  log: Logger;
  /** Program and its first arguments; journalctl by default. */
  command?: readonly [string, ...string[]];
  /** Exists while journald runs. */
  socket?: string;
}

/** journald's log, read through journalctl. */
export function systemdJournal(options: JournalOptions): Journal {
  const { log, command = ['journalctl'], socket = JOURNALD_SOCKET } = options;
  const [program, ...leading] = command;
  return {
    async read({ after, from, limit, level, source }) {
      if (!existsSync(socket)) throw noJournal();
      // The agent's own entries have their level in their text, so journalctl cannot choose by it.
      const isWanted = wantedBy(level, source);
      const read = (range: string, most: number, wanted = isWanted) =>
        readRecords([...command, ...FORMAT, range], most, wanted);
      if (after !== undefined) {
        // With an unknown cursor journalctl starts at a record near by, without an error. So the record of the cursor is
        // read, too.
        const [first, ...rest] = await read(
          `--cursor=${after}`,
          limit + 1,
          (record) => record.cursor === after || isWanted(record),
        );
        if (first?.cursor !== after) throw unknownCursor();
        return rest;
      }
      if (from !== undefined) return await read(sinceTime(from), limit);
      const isEvery = level === undefined && source === undefined;
      return isEvery ? await read(`--lines=${limit}`, limit) : (await read('--reverse', limit)).reverse();
    },
    follow(onRecord) {
      if (!existsSync(socket)) return () => undefined;
      let cursor: string | undefined;
      // journalctl takes a while to start; records of that time are included.
      const begun = Date.now();
      return follow({
        command: program,
        // A restarted journalctl continues after the last record. Without --no-tail version 252 skips all but the last
        // ten; 262 does not.
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

function noJournal(): ApiError {
  return new ApiError('unavailable', 'This system has no journal.');
}

function unknownCursor(): ApiError {
  return badRequest('', [{ path: '/since', message: 'is not the cursor of a record that the log has' }]);
}

/** @param level the lowest */
function wantedBy(level: LogRecord['level'] | undefined, source: string | undefined) {
  const lowest = level === undefined ? 0 : LOG_LEVELS.indexOf(level);
  return (record: LogRecord): boolean =>
    LOG_LEVELS.indexOf(record.level) >= lowest && (source === undefined || record.source === source);
}

/** Reads the first `limit` wanted records that journalctl prints, then ends it. */
async function readRecords(
  command: readonly string[],
  limit: number,
  isWanted: (record: LogRecord) => boolean,
): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  const complete = new AbortController();
  const late = AbortSignal.timeout(READ_TIMEOUT_MS);
  const onLine = (line: string) => {
    const record = parseRecord(line);
    if (record && isWanted(record)) records.push(record);
    if (records.length === limit) complete.abort();
  };
  try {
    const { code, stderr } = await readLines(command, onLine, AbortSignal.any([complete.signal, late]));
    const [reason] = stderr.split('\n', 1);
    if (code === 0 || records.length > 0 || !reason) return records;
    // journalctl parses cursors and rejects some that match their pattern.
    if (/cursor|seek/i.test(stderr)) throw unknownCursor();
    throw new ApiError('unavailable', `The journal cannot be read: ${reason}`);
  } catch (error) {
    if (complete.signal.aborted) return records;
    if (late.aborted) throw new ApiError('unavailable', 'The journal did not answer in time.');
    throw error instanceof ApiError ? error : noJournal();
  }
}

/** Levels by syslog priority, 0 to 7. */
const LEVELS: readonly LogRecord['level'][] = [
  ...(['error', 'error', 'error', 'error'] as const),
  ...(['warning', 'info', 'info', 'debug'] as const),
];

/** Converts a line of `journalctl -o json`; undefined when it is not an entry. */
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
    message: (own?.message ?? message).slice(0, MAX_MESSAGE).toWellFormed(),
    cursor,
  };
}

/** A field is a string, an array of bytes when it is not printable UTF-8, or an array of several such values. */
function text(field: unknown): string {
  if (typeof field === 'string') return field;
  if (!Array.isArray(field)) return '';
  if (typeof field[0] === 'number') return Buffer.from(field.filter((b) => typeof b === 'number')).toString();
  return text(field[0]);
}

/** Level and text of the agent's own entries, which are JSON lines. */
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
