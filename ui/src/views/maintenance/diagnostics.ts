/** Collects what somebody needs who looks for the cause of a problem, as one archive. */
import { zipSync } from 'fflate';
import type { Answer, Client } from '../../../../client/client.ts';
import type { PathOf } from '../../../../client/contract.ts';
import { withoutSecrets } from './secrets.ts';

/** States that are read as they are. What the device does not have is in the archive as its error. */
const STATES: readonly PathOf<'GET'>[] = [
  '/device',
  '/device/health',
  '/display',
  '/display/screens',
  '/page/status',
  '/content',
  '/network',
  '/update',
  '/config',
  '/audio',
  '/input/devices',
  '/nfc/readers',
  '/wifi',
  '/bluetooth',
  '/bluetooth/devices',
];
/** Records in one answer (the contract's limit), and how many answers with older ones are read. */
const LOG_RECORDS = 1000;
const LOG_ANSWERS = 10;
/** How far the log goes back, in ms. */
const LOG_MS = 24 * 60 * 60_000;
const TIMEOUT_MS = 30_000;
/** Parts beside the states: the newest records, those of a day, the picture. */
const OTHER_PARTS = 2;

export interface DiagnosticsOptions {
  client: Pick<Client, 'request'>;
  /** Whether a picture of the screen is part of it. */
  withPicture: boolean;
  /** The time of this browser, in ms since 1970. */
  now: number;
  signal: AbortSignal;
  /** Called with the number of parts that are there, and of all. */
  progress: (done: number, total: number) => void;
}

/**
 * Reads everything, one request after the other.
 * @returns a zip archive
 * @throws what the first request throws if the device does not answer; the reason of `signal`
 */
export async function collectDiagnostics(options: DiagnosticsOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { withPicture, now, signal, progress } = options;
  const total = STATES.length + OTHER_PARTS + (withPicture ? 1 : 0);
  const files: Record<string, Uint8Array> = {
    'about.json': jsonBytes({ taken: new Date(now).toISOString() }),
  };
  let done = 0;
  const add = (name: string, bytes: Uint8Array) => {
    files[name] = bytes;
    done += 1;
    progress(done, total);
  };
  const [first, ...rest] = STATES;
  // Without any answer there is nothing to collect.
  if (first) add(fileName(first), stateBytes(await ask(options, first)));
  for (const path of rest) {
    add(
      fileName(path),
      await ask(options, path).then(stateBytes, (error: unknown) => failureBytes(error, signal)),
    );
  }
  add('log-newest.txt', await logBytes(options, () => newestRecords(options)));
  add('log-day.txt', await logBytes(options, () => recordsOfDay(options)));
  if (withPicture) await addPicture(options, add);
  return zipSync(files, { level: 6 });
}

function ask({ client, signal }: DiagnosticsOptions, path: string): Promise<Answer> {
  return client.request('GET', path, { signal, timeoutMs: TIMEOUT_MS });
}

/** `/device/health` is `device-health.json`. */
function fileName(path: string): string {
  return `${path.slice(1).replaceAll('/', '-')}.json`;
}

function stateBytes({ body }: Answer): Uint8Array {
  return jsonBytes(withoutSecrets(body));
}

/** Why a part is missing. @throws the reason of `signal`, if that was why */
function failureBytes(error: unknown, signal: AbortSignal): Uint8Array {
  signal.throwIfAborted();
  return jsonBytes({ no_answer: String(error) });
}

async function addPicture(
  options: DiagnosticsOptions,
  add: (name: string, bytes: Uint8Array) => void,
): Promise<void> {
  try {
    const answer = await ask(options, '/display/screenshot');
    if (answer.status === 200) add('screen.png', answer.bytes);
    else add('screen.json', stateBytes(answer));
  } catch (error) {
    add('screen.json', failureBytes(error, options.signal));
  }
}

/** Lines of the log; what went wrong if it cannot be read. */
async function logBytes(options: DiagnosticsOptions, read: () => Promise<string[]>): Promise<Uint8Array> {
  try {
    return new TextEncoder().encode(`${(await read()).join('\n')}\n`);
  } catch (error) {
    return failureBytes(error, options.signal);
  }
}

async function newestRecords(options: DiagnosticsOptions): Promise<string[]> {
  return (await records(options, `limit=${LOG_RECORDS}`)).lines;
}

/** The records of a day, the oldest first, as far as a number of answers go. */
async function recordsOfDay(options: DiagnosticsOptions): Promise<string[]> {
  const all: string[] = [];
  let since = new Date(options.now - LOG_MS).toISOString();
  for (let answers = 0; answers < LOG_ANSWERS; answers += 1) {
    const query = `limit=${LOG_RECORDS}&since=${encodeURIComponent(since)}`;
    const { lines, last } = await records(options, query);
    all.push(...lines);
    if (lines.length < LOG_RECORDS || last === undefined) break;
    since = last;
  }
  return all;
}

/** @returns the records as lines, and the position of the last one. @throws Error if the device has no log */
async function records(
  options: DiagnosticsOptions,
  query: string,
): Promise<{ lines: string[]; last?: string }> {
  const { status, body } = await ask(options, `/device/logs?${query}`);
  if (!Array.isArray(body)) throw new Error(`${status} ${JSON.stringify(body)}`);
  const lines = body.map((record: unknown) => {
    const { ts, level, source, message }: Record<string, unknown> = Object(record);
    return withoutSecrets(`${ts} ${level} ${source}: ${message}`);
  });
  const { cursor }: Record<string, unknown> = Object(body.at(-1));
  return { lines: lines.map(String), ...(typeof cursor === 'string' && { last: cursor }) };
}

function jsonBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`);
}
