/** What the archive for support has in it: the device's own answers. */
import * as Type from 'typebox';
import { errorMessage } from '../../base/system-error.ts';
import { withTimeout } from '../../base/timeout.ts';
import { ApiError } from '../../contract/errors.ts';
import { validator } from '../../validation/validator.ts';
import { LogRecord } from '../device/schema.ts';
import type { CheckedCall, Route } from '../route.ts';
import { withoutSecrets } from './secrets.ts';

/** Records that are read at once, the contract's limit; and how many times for a day. */
const RECORDS = 1000;
const READS = 10;
const DAY_MS = 24 * 60 * 60_000;
/** For one answer, in ms. */
const ANSWER_MS = 30_000;
const LOG = '/device/logs';
const PICTURE = '/display/screenshot';

const records = validator(Type.Array(LogRecord));

type File = readonly [name: string, content: Buffer];

/**
 * The files of the archive, one after the other.
 * @param now in ms since 1970
 */
export async function* collect(
  routes: readonly Route[],
  withPicture: boolean,
  now: number,
): AsyncGenerator<File> {
  yield ['about.json', json({ taken: new Date(now).toISOString() })];
  const gets = routes.filter(({ endpoint }) => endpoint.method === 'GET');
  for (const route of gets.filter(isState)) {
    const { path } = route.endpoint;
    yield [`${path.slice(1).replaceAll('/', '-')}.json`, await answerOf(route, {}).then(json, failure)];
  }
  const log = gets.find(({ endpoint }) => endpoint.path === LOG);
  if (log) {
    yield ['log-newest.txt', await newest(log).then(lines, failure)];
    yield ['log-day.txt', await ofDay(log, now).then(lines, failure)];
  }
  const picture = gets.find(({ endpoint }) => endpoint.path === PICTURE);
  if (!withPicture || !picture) return;
  try {
    const bytes = await answerOf(picture, {});
    if (bytes instanceof Uint8Array) yield ['screen.png', Buffer.from(bytes)];
  } catch (error) {
    yield ['screen.json', failure(error)];
  }
}

/** Whether a route answers with JSON and needs nothing. The log has files of its own. */
function isState({ endpoint }: Route): boolean {
  const { params, response, path } = endpoint;
  return params === undefined && response !== undefined && path !== LOG;
}

/** Asks a route as a link does. @throws ApiError and others of the route, and when it takes too long */
async function answerOf({ gate, handler }: Route, query: object): Promise<unknown> {
  const call: CheckedCall = {
    ...{ params: {}, query, body: undefined, upload: undefined, uploadBytes: undefined },
    afterAnswer: () => undefined,
  };
  return await withTimeout(
    Promise.resolve(gate?.()).then(() => handler(call)),
    ANSWER_MS,
  );
}

async function newest(log: Route): Promise<LogRecord[]> {
  return records.parse(await answerOf(log, { limit: RECORDS }));
}

/** The records of a day, the oldest first, as far as a number of answers go. */
async function ofDay(log: Route, now: number): Promise<LogRecord[]> {
  const all: LogRecord[] = [];
  let since = new Date(now - DAY_MS).toISOString();
  for (let reads = 0; reads < READS; reads += 1) {
    const some = records.parse(await answerOf(log, { limit: RECORDS, since }));
    all.push(...some);
    const last = some.at(-1);
    if (!last || some.length < RECORDS) break;
    since = last.cursor;
  }
  return all;
}

function lines(all: readonly LogRecord[]): Buffer {
  const texts = all.map(({ ts, level, source, message }) => `${ts} ${level} ${source}: ${message}\n`);
  return Buffer.from(String(withoutSecrets(texts.join(''))));
}

function json(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(withoutSecrets(value), null, 2)}\n`);
}

/** Why a part is missing. */
function failure(error: unknown): Buffer {
  return json(error instanceof ApiError ? error.envelope : { error: { message: errorMessage(error) } });
}
