import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { createLogger } from '../base/logger.ts';
import type { LogRecord } from '../resources/device/schema.ts';
import { parseRecord, systemdJournal } from './journal.ts';

const log = createLogger('silent');
const CURSOR = 's=0123456789abcdef0123456789abcdef;i=1;b=0123456789abcdef0123456789abcdef;m=1;t=1;x=1';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-journal-'));
});
afterEach(() => rm(folder, { recursive: true }));

function entry(fields: Record<string, unknown>): string {
  return JSON.stringify({ __CURSOR: CURSOR, __REALTIME_TIMESTAMP: '1700000000123456', ...fields });
}

/** A journal whose journalctl records its arguments and prints `lines`. */
async function journalOf(lines: string, after = '') {
  const script = join(folder, 'journalctl');
  await writeFile(join(folder, 'lines'), lines);
  await writeFile(script, `echo "$*" >>${folder}/arguments\ncat ${folder}/lines\n${after}\n`);
  return systemdJournal({ log, command: ['sh', script], socket: script });
}

const calls = async () => (await readFile(join(folder, 'arguments'), 'utf8')).trim().split('\n');

test('reads an entry', () => {
  const line = entry({ MESSAGE: 'hello', PRIORITY: '4', SYSLOG_IDENTIFIER: 'cage', _COMM: 'x' });
  const record = { ts: '2023-11-14T22:13:20.123Z', level: 'warning', source: 'cage', message: 'hello' };
  assert.deepEqual(parseRecord(line), { ...record, cursor: CURSOR });
});

test('reads messages that are bytes, missing, given twice, or too long', () => {
  assert.equal(parseRecord(entry({ MESSAGE: [...Buffer.from('grüß\x1b[0m')] }))?.message, 'grüß\x1b[0m');
  assert.equal(parseRecord(entry({ MESSAGE: null }))?.message, '');
  assert.equal(parseRecord(entry({ MESSAGE: ['first', 'second'] }))?.message, 'first');
  assert.equal(parseRecord(entry({ MESSAGE: 'x'.repeat(100_000) }))?.message.length, 8192);
  const cut = parseRecord(entry({ MESSAGE: `x${'😀'.repeat(5000)}` }))?.message;
  assert.ok(cut?.length === 8192 && cut.isWellFormed());
});

test('maps all eight priorities', () => {
  const levels = [...'01234567'].map((PRIORITY) => parseRecord(entry({ PRIORITY }))?.level);
  const four = ['error', 'error', 'error', 'error'];
  assert.deepEqual(levels, [...four, 'warning', 'info', 'info', 'debug']);
  assert.equal(parseRecord(entry({ _TRANSPORT: 'kernel' }))?.source, 'kernel');
});

test('parses text and level of the agent’s own entries only', () => {
  const MESSAGE = JSON.stringify({ level: 50, msg: 'no', err: { message: 'because' } });
  const own = parseRecord(entry({ MESSAGE, _SYSTEMD_UNIT: 'vitrine-agent.service' }));
  assert.deepEqual([own?.level, own?.message], ['error', 'no: because']);
  assert.equal(parseRecord(entry({ MESSAGE, _SYSTEMD_UNIT: 'other.service' }))?.message, MESSAGE);
});

test('ignores lines that are not entries', () => {
  for (const line of ['', '-- No entries --', '[]', 'null', '{"__CURSOR":1}', '{"MESSAGE":"x"}']) {
    assert.equal(parseRecord(line), undefined);
  }
});

test('reads the newest records, from a time on, and after a cursor', async () => {
  const journal = await journalOf(`${entry({ MESSAGE: '1' })}\n${entry({ MESSAGE: '2' })}\n`);
  assert.deepEqual(
    (await journal.read({ limit: 5 })).map((r) => r.message),
    ['1', '2'],
  );
  await journal.read({ from: Date.UTC(2026, 0, 2, 3, 4, 5, 678), limit: 5 });
  // The record of the cursor itself is read and left out.
  assert.deepEqual(
    (await journal.read({ after: CURSOR, limit: 5 })).map((r) => r.message),
    ['2'],
  );
  const [newest, time, cursor] = await calls();
  assert.match(newest ?? '', /--lines=5$/);
  assert.match(time ?? '', /--since=@1767323045\.678$/);
  assert.ok(cursor?.endsWith(`--cursor=${CURSOR}`));
});

test('gives only records of a program and of a level, the newest ones and after a cursor', async () => {
  const first = CURSOR.replace('i=1', 'i=0');
  const lines = [
    entry({ __CURSOR: first, MESSAGE: 'newest', PRIORITY: '3', SYSLOG_IDENTIFIER: 'cage' }),
    entry({ MESSAGE: 'of another', PRIORITY: '3', SYSLOG_IDENTIFIER: 'rauc' }),
    entry({ MESSAGE: 'too low', PRIORITY: '6', SYSLOG_IDENTIFIER: 'cage' }),
    entry({ MESSAGE: 'oldest', PRIORITY: '4', SYSLOG_IDENTIFIER: 'cage' }),
  ];
  const journal = await journalOf(`${lines.join('\n')}\n`);
  const read = async (query: object) =>
    (await journal.read({ limit: 5, level: 'warning', source: 'cage', ...query })).map(
      ({ message }) => message,
    );
  assert.deepEqual(await read({}), ['oldest', 'newest']);
  assert.deepEqual(await read({ limit: 1 }), ['newest']);
  // The first one, which has the cursor, is left out.
  assert.deepEqual(await read({ after: first, source: 'rauc' }), ['of another']);
  assert.match((await calls())[0] ?? '', /--reverse$/);
});

test('refuses an unknown cursor, whatever journalctl does with it', async () => {
  const other = CURSOR.replace('i=1', 'i=2');
  const refused = {
    code: 'bad_request',
    details: { issues: [{ path: '/since', message: 'is not the cursor of a record that the log has' }] },
  };
  const near = await journalOf(`${entry({ MESSAGE: 'near by' })}\n`);
  await assert.rejects(near.read({ after: other, limit: 5 }), refused);
  await assert.rejects((await journalOf('')).read({ after: other, limit: 5 }), refused);
  const unread = await journalOf('', 'echo "Failed to seek to cursor: Invalid argument" >&2; exit 1');
  await assert.rejects(unread.read({ after: other, limit: 5 }), refused);
});

test('replaces a time outside journalctl’s range by the nearest one in it', async () => {
  const journal = await journalOf('');
  await journal.read({ from: Date.parse('0000-01-01T00:00:00Z'), limit: 5 });
  await journal.read({ from: Date.parse('9999-12-31T23:59:59-23:59'), limit: 5 });
  const [first, last] = await calls();
  assert.match(first ?? '', /--since=@0\.000$/);
  assert.match(last ?? '', /--since=@253402128000\.000$/);
});

test('ends a journalctl that prints more than the limit', async () => {
  const journal = await journalOf(`${entry({ MESSAGE: 'again' })}\n`.repeat(50), 'exec sleep 60');
  assert.equal((await journal.read({ after: CURSOR, limit: 20 })).length, 20);
});

test('is unavailable without journald, and when journalctl fails', async () => {
  const gone = systemdJournal({ log, socket: join(folder, 'none') });
  await assert.rejects(gone.read({ limit: 1 }), { code: 'unavailable' });
  const failing = await journalOf('', 'echo broken >&2; exit 1');
  await assert.rejects(failing.read({ limit: 1 }), { code: 'unavailable' });
});

test('follows, and continues after the last record when journalctl exits', async () => {
  const journal = await journalOf(`${entry({ MESSAGE: 'live' })}\n`);
  const seen = new EventTarget();
  const records: LogRecord[] = [];
  const begun = Date.now();
  const stop = journal.follow((record) => {
    records.push(record);
    if (records.length === 2) seen.dispatchEvent(new Event('two'));
  });
  const followed = Date.now();
  const guard = setTimeout(() => seen.dispatchEvent(new Event('two')), 60_000);
  await once(seen, 'two');
  clearTimeout(guard);
  stop();
  assert.equal(records.length, 2);
  const [first, second] = await calls();
  // From the time of the subscription, not from when the program is ready.
  const [, since] = / --follow --no-tail --since=@(\d+\.\d{3})$/.exec(first ?? '') ?? [];
  const ms = Math.round(Number(since) * 1000);
  assert.ok(ms >= begun && ms <= followed, `${first}; followed from ${begun} to ${followed}`);
  assert.ok(second?.endsWith(` --follow --no-tail --after-cursor=${CURSOR}`));
});
