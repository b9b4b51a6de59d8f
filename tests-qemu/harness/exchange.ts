import { parse } from 'yaml';
import type { SerialChannel } from '../../client/serial.ts';
import { field } from '../../testing/field.ts';
import { decodePng } from '../../testing/png.ts';
import type { Device } from './device.ts';
import { guestHttp } from './guest.ts';

/** One request of the list that is sent over every link. */
export interface Exchange {
  method: string;
  /** Full path, with the query. */
  path: string;
  body?: unknown;
}

/** A response, independent of the link: JSON or bytes. */
export interface Outcome {
  status: number;
  body: unknown;
}

/** Replaces a value that differs between requests. */
const VOLATILE = '(differs from one request to the next)';

/** The fields of each path's body that may differ between two requests. All others must be equal. */
const VOLATILE_FIELDS: Record<string, string[]> = {
  '/device/health': [
    'ts',
    'uptime_s',
    'temperature_c',
    'load_1m',
    'memory.available_bytes',
    'disk.free_bytes',
    'browser.rss_bytes',
    'browser.rss_trend_bytes_per_h',
    'browser.web_processes',
    'agent.rss_bytes',
    'agent.event_loop_p99_ms',
    // Changes when the first time server has answered, if one can be reached.
    'time_synced',
  ],
  '/content': ['disk.free_bytes'],
};

/** Values for path parameters. None of these resources exists on the device. */
const PARAMETERS: Record<string, string> = { id: 'no-such-operation', name: 'no-such-bundle' };

/** Every GET in the device's OpenAPI document, as full paths, without the WebSocket of the events. */
export async function everyGet(device: Device): Promise<Exchange[]> {
  const { bytes } = await device.http('GET', '/openapi.yaml');
  const document: unknown = parse(bytes.toString());
  const paths = field(document, 'paths');
  if (typeof paths !== 'object' || paths === null) throw new Error('the OpenAPI document lists no paths');
  return Object.entries(paths)
    .filter(([path, item]) => field(item, 'get') !== undefined && !path.endsWith('/events'))
    .map(([path]) => path.replace(/^(?!\/api\/v1)/, '/api/v1'))
    .map((path) => path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => PARAMETERS[name] ?? 'no-such'))
    .map((path) => ({ method: 'GET', path }));
}

/** The body without the parts that may differ between two requests of the same path. */
export function comparable(path: string, body: unknown): unknown {
  const short = relative(path).replace(/\?.*/, '');
  // New records are written all the time, also by the requests themselves: only the fields can be compared.
  if (short === '/device/logs' && Array.isArray(body)) {
    return [...new Set(body.map((record: unknown) => Object.keys(Object(record)).sort().join()))];
  }
  if (short === '/display/screenshot' && body instanceof Buffer) {
    const { width, height } = decodePng(body);
    return { width, height };
  }
  if (short === '/metrics' && body instanceof Buffer) return body.toString().replaceAll(/ [-\d.]+$/gm, '');
  // The log in it grows.
  if (short === '/device/diagnostics' && body instanceof Buffer) return body.toString('latin1', 0, 4);
  return (VOLATILE_FIELDS[short] ?? []).reduce(hide, body);
}

/** The path as clients take it. */
function relative(path: string): string {
  return path.replace(/^\/api\/v1/, '');
}

/** A copy of `value` in which the field at a dotted path, if it exists, is replaced. */
function hide(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const [key = '', ...rest] = path.split('.');
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (name !== key) return [name, inner];
      return [name, rest.length === 0 ? VOLATILE : hide(inner, rest.join('.'))];
    }),
  );
}

/** Sends a request over HTTP through QEMU's forwarded port. */
export async function overHttp(device: Device, { method, path, body }: Exchange): Promise<Outcome> {
  const answer = await device.http(method, relative(path), { json: body });
  return { status: answer.status, body: answer.body ?? bytesOrNothing(answer.bytes) };
}

/** Sends a request over serial. */
export async function overSerial(serial: SerialChannel, { method, path, body }: Exchange): Promise<Outcome> {
  const answer = await serial.request(method, relative(path), { json: body });
  return { status: answer.status, body: answer.body ?? bytesOrNothing(answer.bytes) };
}

/** Sends requests over the network of the USB cable, from its host side. */
export async function overCable(device: Device, exchanges: Exchange[]): Promise<Outcome[]> {
  const answers = await guestHttp(
    device,
    { netns: 'host' },
    exchanges.map(({ method, path, body }) => ({ method, url: `http://10.55.77.1${path}`, json: body })),
  );
  return answers.map(({ failure, status, type, bytes }, i) => {
    if (failure) throw new Error(`${exchanges[i]?.method} ${exchanges[i]?.path} over the cable: ${failure}`);
    const isJson = type.startsWith('application/json') && bytes.length > 0;
    return { status, body: isJson ? JSON.parse(bytes.toString()) : bytesOrNothing(bytes) };
  });
}

function bytesOrNothing(bytes: Buffer): Buffer | undefined {
  return bytes.length > 0 ? bytes : undefined;
}
