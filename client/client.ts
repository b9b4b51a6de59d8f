/** The host's side of the API: one client for every link. Uses nothing of Node; transports may. */
import type { Method } from '../agent/src/contract/endpoint.ts';
import type { EventChannel } from './channel.ts';
import type {
  ArgumentsOf,
  DownloadPath,
  ErrorCode,
  PathOf,
  ResponseOf,
  TopicName,
  UploadPath,
} from './contract.ts';

/** Bytes whose number is known: a Blob, or a file that is read while it is sent. */
export interface SizedBody {
  readonly size: number;
  /** A part may be the same memory as the one before: it is only valid until the next one is asked for. */
  stream(): AsyncIterable<Uint8Array>;
}

/** Bytes of a request's body. HTTP needs the header `content-length` for a sequence of chunks without a size. */
export type Body = string | Uint8Array | Blob | SizedBody | AsyncIterable<Uint8Array>;

/** A Blob is read in parts of this size, in bytes. */
const PART_BYTES = 256 * 1024;

/** A body in parts, and how many bytes it has, as far as that is known. */
export function partsOf(body: Body): { parts: AsyncIterable<Uint8Array>; size?: number } {
  if (typeof body === 'string') return partsOf(new TextEncoder().encode(body));
  if (body instanceof Uint8Array) return { parts: only(body), size: body.length };
  if (body instanceof Blob) return { parts: partsOfBlob(body), size: body.size };
  return 'size' in body ? { parts: body.stream(), size: body.size } : { parts: body };
}

async function* only(part: Uint8Array): AsyncGenerator<Uint8Array> {
  yield part;
}

/** Not every browser can iterate over the stream of a Blob. */
async function* partsOfBlob(blob: Blob): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < blob.size; at += PART_BYTES) {
    yield new Uint8Array(await blob.slice(at, at + PART_BYTES).arrayBuffer());
  }
}

export interface RequestOptions {
  /** The JSON body. */
  json?: unknown;
  /** A body that is not JSON. */
  raw?: Body;
  /** Headers over HTTP; they override those that follow from the body. */
  headers?: Readonly<Record<string, string>>;
  /** Time limit for the whole answer. */
  timeoutMs?: number;
  /** Gives up the request. */
  signal?: AbortSignal;
  /** Called with the bytes of the body that were sent, and with all of them. */
  onProgress?: (sent: number, total: number) => void;
}

/** An answer of any status. */
export interface Answer {
  status: number;
  /** The parsed body of a JSON answer, else undefined. */
  body: unknown;
  /** The body as bytes. Empty for none, and for JSON on a link that has no bytes for it. */
  bytes: Uint8Array;
}

/** A link to the device. Paths start behind `/api/v1` and include the query. */
export interface Transport<A extends Answer = Answer> {
  /** @throws Error when there is no answer */
  request(method: string, path: string, options?: RequestOptions): Promise<A>;
  /** Whether the channel for events is the link itself, which carries the requests, too. */
  readonly carriesEvents?: boolean;
  /** Opens a connection for events. */
  openChannel(): Promise<EventChannel>;
  close(): Promise<void>;
}

/** An answer that is not 2xx. */
export class RequestError extends Error {
  override name = 'RequestError';
  readonly status: number;
  /** The code of the device's error; undefined when the answer has none. */
  readonly code: ErrorCode | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(method: string, path: string, answer: Answer) {
    const { code, details } = errorOf(answer.body);
    super(`${method} ${path} answers ${describeAnswer(answer)}`);
    this.status = answer.status;
    this.code = code;
    this.details = details;
  }
}

interface Envelope {
  error: { code?: ErrorCode; message?: string; details?: Readonly<Record<string, unknown>> };
}

/** The error in an answer's body; every answer of the device that is not 2xx has one (interface: Errors). */
function errorOf(body: unknown): Envelope['error'] {
  const isEnvelope = (value: unknown): value is Envelope =>
    typeof value === 'object' &&
    value !== null &&
    'error' in value &&
    typeof value.error === 'object' &&
    value.error !== null;
  return isEnvelope(body) ? body.error : {};
}

/** Status, code and message of an answer that is not 2xx. */
export function describeAnswer({ status, body }: Pick<Answer, 'status' | 'body'>): string {
  const { code, message } = errorOf(body);
  return [status, code, message && `(${message})`].filter(Boolean).join(' ');
}

/** The answer of a request that must be successful. @throws RequestError when it is not */
export function requireSuccess<A extends Answer>(method: string, path: string, answer: A): A {
  if (answer.status < 200 || answer.status > 299) throw new RequestError(method, path, answer);
  return answer;
}

type Limits = Pick<RequestOptions, 'timeoutMs' | 'signal'>;
/** The options of a call, which may be left out if the endpoint requires nothing. */
type Options<A> = object extends A ? [options?: A & Limits] : [options: A & Limits];
type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...options: Options<ArgumentsOf<M, P>>
) => Promise<ResponseOf<M, P>>;

/** Calls are typed by the endpoints of the contract, and throw a {@link RequestError} for an answer that is not 2xx. */
export interface Client<A extends Answer = Answer> {
  /** Any request; gives an answer of any status. */
  request(method: string, path: string, options?: RequestOptions): Promise<A>;
  get: Call<'GET'>;
  post: Call<'POST'>;
  patch: Call<'PATCH'>;
  delete: Call<'DELETE'>;
  /** Sends a file. */
  upload<P extends UploadPath>(
    path: P,
    raw: Body,
    ...options: Options<ArgumentsOf<'PUT', P> & Pick<RequestOptions, 'headers' | 'onProgress'>>
  ): Promise<ResponseOf<'PUT', P>>;
  /** The bytes of a file. */
  download<P extends DownloadPath>(path: P, ...options: Options<ArgumentsOf<'GET', P>>): Promise<A['bytes']>;
  /** A connection that receives the events of topics. */
  events(...topics: TopicName[]): Promise<EventChannel>;
  close(): Promise<void>;
}

interface AnyOptions extends RequestOptions {
  params?: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, unknown>>;
}

/** The path with its parameters and query. */
function fill(path: string, { params = {}, query = {} }: AnyOptions): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return filled;
  const texts = given.map(([name, value]): [string, string] => [name, String(value)]);
  return `${filled}?${new URLSearchParams(texts)}`;
}

/** @param timeoutMs time limit of requests that name none; by default the transport's */
export function createClient<A extends Answer>({
  transport,
  timeoutMs,
}: {
  transport: Transport<A>;
  timeoutMs?: number;
}): Client<A> {
  const request = (method: string, path: string, options?: RequestOptions): Promise<A> =>
    transport.request(method, path, { ...(timeoutMs && { timeoutMs }), ...options });
  const call = async (method: Method, path: string, { params, query, ...options }: AnyOptions = {}) => {
    const whole = fill(path, { ...(params && { params }), ...(query && { query }) });
    return requireSuccess(method, whole, await request(method, whole, options));
  };
  const json =
    (method: Method) =>
    async (path: string, options?: AnyOptions): Promise<unknown> =>
      (await call(method, path, options)).body;
  const client = {
    request,
    get: json('GET'),
    post: json('POST'),
    patch: json('PATCH'),
    delete: json('DELETE'),
    upload: (path: string, raw: Body, options: AnyOptions = {}) => {
      const headers = { 'content-type': 'application/octet-stream', ...options.headers };
      return json('PUT')(path, { ...options, raw, headers });
    },
    download: async (path: string, options?: AnyOptions) => (await call('GET', path, options)).bytes,
    events: async (...topics: TopicName[]) => {
      const channel = await transport.openChannel();
      await channel.subscribe(...topics);
      return channel;
    },
    close: () => transport.close(),
  };
  // The types of answers are those of the contract, which the device fulfils.
  return client as Client<A>;
}
