/** Reads the fields of the request frames of a serial link (interface: Serial transport). */
import type { Readable } from 'node:stream';
import { BASE_PATH } from '../../contract/api.ts';
import type { Endpoint, Method } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies Method[];
/** Printable ASCII, as in a request line; HTTP refuses longer heads too. */
const PATH = /^\/[!-~]{0,16000}$/;
export const MAX_ID_CHARACTERS = 256;

/** A line of the host as an object. */
export type Fields = Readonly<Record<string, unknown>>;

export interface Target {
  method: Method;
  /** With the query. */
  path: string;
}

/** A body in the form that the app takes. */
export interface Body {
  contentType: string;
  payload: string | Buffer | Readable;
}

/**
 * The id as JSON text, which tells `1` from `"1"`; undefined when it is not valid.
 * @param numeric a number as the host wrote it, which is sent back in the same spelling
 */
export function idOf(id: unknown, numeric: string | undefined): string | undefined {
  if (numeric !== undefined) return numeric.length <= MAX_ID_CHARACTERS ? numeric : undefined;
  if (typeof id !== 'string' || id.length === 0 || id.length > MAX_ID_CHARACTERS) return undefined;
  return JSON.stringify(id);
}

/** @throws ApiError `bad_request`; `not_found` for paths outside the interface */
export function targetOf({ method, path }: Fields): Target {
  if (!isMethod(method)) throw badField('method', `must be one of ${METHODS.join(', ')}`);
  if (typeof path !== 'string' || !PATH.test(path)) {
    throw badField('path', 'must be a path with its query, percent-encoded where needed');
  }
  if (!path.startsWith(`${BASE_PATH}/`)) {
    throw new ApiError('not_found', `There is nothing at ${path.slice(0, 200)}.`);
  }
  return { method, path };
}

/** The body inside the frame; undefined when there is none. @throws ApiError `bad_request` */
export function bodyOf({ body, body_b64: binary }: Fields, endpoint: Endpoint | undefined): Body | undefined {
  if (binary === undefined) return body === undefined ? undefined : jsonBody(body);
  if (body !== undefined) throw badField('body_b64', 'may not come together with body');
  if (typeof binary !== 'string') throw badField('body_b64', 'must be string');
  const payload = fromBase64(binary);
  if (!payload) throw badField('body_b64', 'must be base64');
  if (payload.length === 0) return undefined;
  return { contentType: endpoint?.upload?.contentTypes[0] ?? 'application/octet-stream', payload };
}

/** Strict base64 with padding; undefined when `text` is not. */
export function fromBase64(text: string): Buffer | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  return Buffer.from(text, 'base64');
}

/** Error `bad_request` about one field of a frame. */
export function badField(name: string, message: string): ApiError {
  return new ApiError('bad_request', `/${name} ${message}`, { issues: [{ path: `/${name}`, message }] });
}

function isMethod(value: unknown): value is Method {
  return typeof value === 'string' && METHODS.includes(value);
}

function jsonBody(value: unknown): Body {
  try {
    return { contentType: 'application/json', payload: JSON.stringify(value) };
  } catch {
    throw badField('body', 'is nested too deeply');
  }
}
