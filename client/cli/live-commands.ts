/** The commands that go on until they are interrupted. */

import { RequestError } from '../client.ts';
import { placeOf } from '../connect.ts';
import type { EventOf, TopicName } from '../contract.ts';
import { discover as discoverAll } from '../discover.ts';
import { openSerial } from '../serial.ts';
import { UsageError } from './arguments.ts';
import { define } from './command.ts';
import { table } from './output.ts';

/** Ends the shell of the device, as in telnet: Ctrl-]. */
const END_OF_SHELL = 0x1d;
/** For the device to answer, and for a shell at most, in ms. */
const ANSWER_MS = 5000;
const SHELL_MS = 24 * 60 * 60_000;
const LINES = 100;
/** Records that were missed while there was no connection, at most. */
const MISSED_LINES = 1000;

const discover = define({
  name: 'discover',
  args: '',
  help: 'Find the devices of this computer, on network and serial ports',
  options: { seconds: { type: 'string', value: 'N', help: 'how long to listen (default: 2)' } },
  count: [0, 0],
  run: async ({ out, signal }, { seconds = '2' }) => {
    const found = await discoverAll({ timeoutMs: numberOf(seconds, 'seconds') * 1000, signal });
    const rows = found.map(({ address, serial, name, model, version }) =>
      [address, serial, name, model, version].map(printable),
    );
    out.result(
      found,
      rows.length > 0 ? table([['address', 'serial', 'name', 'model', 'version'], ...rows]) : '',
    );
    if (found.length === 0)
      out.say('No device answers at a cable of this computer, over its network or its serial port.');
  },
});

const logs = define({
  name: 'logs',
  args: '',
  help: "Print the device's log",
  options: {
    follow: { type: 'boolean', short: 'f', help: 'go on with new records' },
    level: { type: 'string', value: 'LEVEL', help: 'the lowest: debug, info, warning or error' },
    source: { type: 'string', value: 'PROGRAM', help: 'only of this program' },
    lines: { type: 'string', short: 'n', value: 'N', help: `how many of the last (default: ${LINES})` },
  },
  count: [0, 0],
  run: async ({ device, out, signal }, { follow = false, level, source, lines = String(LINES) }) => {
    const connected = await device();
    const wanted = {
      ...(level !== undefined && { level: levelOf(level) }),
      ...(source !== undefined && { source }),
    };
    const limit = numberOf(lines, 'lines');
    const seen = new Recent();
    const print = (record: LogRecord): void => {
      if (!seen.add(record.cursor)) return;
      out.result(
        record,
        `${record.ts} ${record.level.padEnd(7)} ${record.source}: ${printable(record.message)}`,
      );
    };
    /** The last records, or those that were written while there was no connection. */
    const catchUp = async (): Promise<void> => {
      if (seen.last !== undefined) {
        const query = { ...wanted, since: seen.last, limit: MISSED_LINES };
        const missed = await connected.get('/device/logs', { query }).catch(refusedCursor);
        missed?.forEach(print);
        if (missed) return;
      }
      const isFirst = seen.last === undefined;
      const records = await connected.get('/device/logs', {
        query: { ...wanted, limit: Math.max(1, limit) },
      });
      if (limit === 0 && isFirst) for (const { cursor } of records) seen.add(cursor);
      else records.forEach(print);
    };
    if (!follow) return await catchUp();
    let reading = Promise.resolve();
    const onConnected = (): void => {
      reading = reading.then(catchUp);
      // The loop below fails with it.
      reading.catch(() => undefined);
    };
    for await (const { payload } of connected.events(['log'], { signal, onConnected })) {
      await reading;
      if (isAtLeast(payload.level, wanted.level) && (source === undefined || payload.source === source))
        print(payload);
    }
  },
});

type LogRecord = EventOf<'log'>['payload'];

/** After a restart, a log in memory does not have the record any more. @throws everything else */
function refusedCursor(error: unknown): undefined {
  if (!(error instanceof RequestError) || error.code !== 'bad_request') throw error;
  return undefined;
}

/** The cursors that were printed last. */
class Recent {
  readonly #cursors = new Set<string>();
  last: string | undefined;

  /** @returns whether it is new */
  add(cursor: string): boolean {
    if (this.#cursors.has(cursor)) return false;
    this.last = cursor;
    this.#cursors.add(cursor);
    const [oldest] = this.#cursors;
    if (this.#cursors.size > MISSED_LINES && oldest !== undefined) this.#cursors.delete(oldest);
    return true;
  }
}

const LEVELS = ['debug', 'info', 'warning', 'error'] as const;

function isAtLeast(level: LogRecord['level'], lowest: LogRecord['level'] = 'debug'): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(lowest);
}

function levelOf(text: string): LogRecord['level'] {
  const level = LEVELS.find((one) => one === text);
  if (level === undefined) throw new UsageError(`there is no level "${text}": ${LEVELS.join(', ')}`);
  return level;
}

const events = define({
  name: 'events',
  args: 'TOPIC…',
  help: 'Print events as they come, one JSON object a line',
  count: [1, 32],
  run: async ({ device, out, signal }, _values, topics) => {
    const connected = await device();
    const options = {
      signal,
      onDisconnected: (error: Error) => out.say(`not connected: ${error.message}; trying again`),
    };
    // The device says which topics there are.
    for await (const event of connected.events(topics as TopicName[], options))
      out.result(event, JSON.stringify(event));
  },
});

const page = define({
  name: 'page',
  args: '[MESSAGE]',
  help: 'Send a JSON object to the displayed page; without one, print the messages of the page',
  count: [0, 1],
  run: async ({ device, out, signal }, _values, [message]) => {
    const connected = await device();
    if (message !== undefined) {
      out.result(
        await connected.post('/page/message', { json: objectOf(message) }),
        'the page has taken the message',
      );
      return;
    }
    for await (const { payload } of connected.events(['page_message'], { signal }))
      out.result(payload, JSON.stringify(payload));
  },
});

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // It is no JSON at all.
  }
  throw new UsageError(`a message is a JSON object, such as '{"price": 3}'`);
}

const shell = define({
  name: 'shell',
  args: '',
  help: 'A root shell of the device, over the serial link; Ctrl-] ends it',
  count: [0, 0],
  run: async ({ address, out, signal }) => {
    const place = placeOf(address);
    if (place.kind !== 'serial')
      throw new UsageError('the shell needs the serial link: vitrine --serial /dev/ttyACM0 shell');
    const link = await openSerial(place.path);
    const { stdin, stdout } = process;
    const ended = Promise.withResolvers<void>();
    const leave = (): void => ended.resolve();
    // After this answer, the next greeting says that the shell has ended.
    await link.request('GET', '/device', { timeoutMs: ANSWER_MS });
    const { mark } = link.others;
    link.send({ type: 'shell' });
    link.stream.on('data', (bytes: Buffer) => stdout.write(bytes));
    void link.ended.then(leave);
    link.frame('hello', mark, SHELL_MS).then(leave, leave);
    signal.addEventListener('abort', leave);
    if (stdin.isTTY) out.say('Ctrl-] ends the shell.');
    stdin.setRawMode?.(true);
    stdin.on('data', (bytes: Buffer) => {
      const end = bytes.indexOf(END_OF_SHELL);
      link.stream.write(end < 0 ? bytes : bytes.subarray(0, end));
      if (end >= 0) leave();
    });
    await ended.promise;
    stdin.setRawMode?.(false);
    stdin.pause();
    await link.close();
  },
});

/** What the device says is text, not commands for this terminal. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is replaced
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '�');
}

function numberOf(text: string, name: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= 0) return value;
  throw new UsageError(`--${name} must be a number, not "${text}"`);
}

export const LIVE_COMMANDS = [discover, logs, events, page, shell];
