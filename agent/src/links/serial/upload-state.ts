/** The chunked uploads of one serial session as a pure state machine (interface: Serial transport, binary uploads). */
import { ApiError } from '../../contract/errors.ts';
import { payloadTooLarge } from '../../uploads/receive.ts';
import { badField, type Fields, fromBase64 } from './request-frame.ts';

/** Decoded bytes of one chunk (interface: Limits). */
export const MAX_CHUNK_BYTES = 16 * 1024;
/** Uploads of one session that may expect chunks at the same time. */
export const MAX_UPLOADS = 4;
/** Queued bytes of all uploads above which the line is paused, and below which it is resumed. */
export const PAUSE_BYTES = 1024 * 1024;
export const RESUME_BYTES = 256 * 1024;
/** Added to the size of each queued chunk for the objects that hold it, so that tiny chunks are bounded too. */
export const CHUNK_OVERHEAD_BYTES = 256;
/** Requests whose further chunks are ignored; the oldest is dropped. */
export const MAX_IGNORED_IDS = 64;

/** One upload, from its request until the app has answered it. */
interface Upload {
  /** The request's id as JSON text. */
  readonly id: string;
  readonly maxBytes: number | undefined;
  /**
   * `receiving`: chunks are expected. `complete`: the last one has arrived. `failed`: its body broke off before, and the
   * app's answer must not be sent, since the link has sent an error or the host has left.
   */
  readonly phase: 'receiving' | 'complete' | 'failed';
  readonly nextSeq: number;
  readonly receivedBytes: number;
  /** Chunks that the body's reader has not asked for yet. */
  readonly queue: readonly Buffer[];
  /** The reader waits for a chunk or the end. */
  readonly readerWaits: boolean;
}

export interface UploadsState {
  /** By key, since an id may be reused before its last upload has been answered. */
  readonly uploads: ReadonlyMap<number, Upload>;
  readonly nextKey: number;
  /** Ids of answered requests whose chunks may still arrive, oldest first; they are ignored up to the last one. */
  readonly ignoredIds: readonly string[];
  readonly linePaused: boolean;
  /** The host has left: the line belongs to the next session. */
  readonly closed: boolean;
}

export const NO_UPLOADS: UploadsState = {
  uploads: new Map(),
  nextKey: 0,
  ignoredIds: [],
  linePaused: false,
  closed: false,
};

export type UploadEvent =
  /** A request frame has arrived, of whatever kind. */
  | { type: 'request'; id: string }
  /** It opens an upload of at most `maxBytes` bytes. */
  | { type: 'begin'; id: string; maxBytes: number | undefined }
  /** It was answered although it announced chunks. */
  | { type: 'ignore'; id: string }
  /** A `request_chunk` frame has arrived. */
  | { type: 'chunk'; id: string; frame: Fields }
  /** The body's reader asks for more; not again before that has been delivered. */
  | { type: 'read'; key: number }
  /** The app has answered the request. */
  | { type: 'answered'; key: number }
  /** The timer has expired. @param linePaused the host could not send, for whatever reason */
  | { type: 'timeout'; key: number; linePaused: boolean }
  | { type: 'hostLeft' };

export type UploadEffect =
  | { type: 'create'; key: number }
  /** Gives the reader what it asked for: the next bytes, or the end of the body. */
  | { type: 'deliver'; key: number; bytes: Buffer | null }
  /** Nothing more is delivered; a reader that is still reading gets the error. */
  | { type: 'destroy'; key: number; error: Error | undefined }
  /** Starts the timer, again if it is running. */
  | { type: 'startTimer'; key: number }
  | { type: 'stopTimer'; key: number }
  /** Sends an error response. */
  | { type: 'reject'; id: string; error: ApiError }
  /** Sends the app's answer. */
  | { type: 'respond'; key: number }
  | { type: 'pauseLine' }
  | { type: 'resumeLine' };

/** A new state and what must be done, in this order. */
export interface UploadStep {
  readonly state: UploadsState;
  readonly effects: readonly UploadEffect[];
}

/** What happens on an event. Never throws. */
export function uploadStep(before: UploadsState, event: UploadEvent): UploadStep {
  const { state, effects } = transition(before, event);
  const queued = queuedBytes(state);
  if (state.linePaused && (queued < RESUME_BYTES || state.closed)) {
    return { state: { ...state, linePaused: false }, effects: [...effects, { type: 'resumeLine' }] };
  }
  if (!state.linePaused && queued > PAUSE_BYTES && !state.closed) {
    return { state: { ...state, linePaused: true }, effects: [...effects, { type: 'pauseLine' }] };
  }
  return { state, effects };
}

/** Memory that queued chunks take, in bytes. */
export function queuedBytes({ uploads }: UploadsState): number {
  let total = 0;
  for (const { queue } of uploads.values()) {
    for (const { length } of queue) total += length + CHUNK_OVERHEAD_BYTES;
  }
  return total;
}

function transition(state: UploadsState, event: UploadEvent): UploadStep {
  switch (event.type) {
    case 'request':
      return reuse(state, event.id);
    case 'begin':
      return begin(state, event.id, event.maxBytes);
    case 'ignore':
      return { state: ignore(state, event.id), effects: [] };
    case 'chunk':
      return chunk(state, event.id, event.frame);
    case 'read':
      return read(state, event.key);
    case 'answered':
      return answered(state, event.key);
    case 'timeout':
      return timeout(state, event.key, event.linePaused);
    case 'hostLeft':
      return hostLeft(state);
  }
}

/** A request may take the id of an upload whose last chunk never came: that upload is over. */
function reuse(before: UploadsState, id: string): UploadStep {
  const state = { ...before, ignoredIds: before.ignoredIds.filter((other) => other !== id) };
  const [key, upload] = receiving(state, id);
  if (!upload) return { state, effects: [] };
  return fail(state, key, upload, new ApiError('bad_request', 'The upload ended without its last chunk.'));
}

function begin(state: UploadsState, id: string, maxBytes: number | undefined): UploadStep {
  const open = [...state.uploads.values()].filter(({ phase }) => phase === 'receiving');
  if (open.length >= MAX_UPLOADS) {
    const error = new ApiError('too_many_requests', `There are already ${MAX_UPLOADS} uploads on this link.`);
    return { state: ignore(state, id), effects: [{ type: 'reject', id, error }] };
  }
  const key = state.nextKey;
  const upload: Upload = {
    id,
    maxBytes,
    phase: 'receiving',
    nextSeq: 0,
    receivedBytes: 0,
    queue: [],
    readerWaits: false,
  };
  return {
    state: { ...withUpload(state, key, upload), nextKey: key + 1 },
    effects: [
      { type: 'create', key },
      { type: 'startTimer', key },
    ],
  };
}

function chunk(state: UploadsState, id: string, frame: Fields): UploadStep {
  const isLast = frame.last === true;
  const [key, upload] = receiving(state, id);
  if (!upload) {
    const isIgnored = state.ignoredIds.includes(id);
    const ignoredIds = state.ignoredIds.filter((other) => other !== id);
    const next = isLast ? { ...state, ignoredIds } : ignore(state, id);
    const error = new ApiError('bad_request', 'There is no upload with this id.');
    return { state: next, effects: isIgnored ? [] : [{ type: 'reject', id, error }] };
  }
  const bytes = bytesOf(upload, frame);
  if (bytes instanceof ApiError) {
    const { state: failed, effects } = fail(state, key, upload, bytes);
    return { state: isLast ? failed : ignore(failed, id), effects };
  }
  const { state: next, effects } = deliver(state, key, {
    ...upload,
    phase: isLast ? 'complete' : 'receiving',
    nextSeq: upload.nextSeq + 1,
    receivedBytes: upload.receivedBytes + bytes.length,
    queue: bytes.length > 0 ? [...upload.queue, bytes] : upload.queue,
  });
  return { state: next, effects: [{ type: isLast ? 'stopTimer' : 'startTimer', key }, ...effects] };
}

function read(state: UploadsState, key: number): UploadStep {
  const upload = state.uploads.get(key);
  if (!upload) return { state, effects: [] };
  return deliver(state, key, { ...upload, readerWaits: true });
}

/** Stores `upload` and gives its reader what it waits for, if that is there. */
function deliver(state: UploadsState, key: number, upload: Upload): UploadStep {
  const [bytes, ...queue] = upload.queue;
  if (!upload.readerWaits || (!bytes && upload.phase !== 'complete')) {
    return { state: withUpload(state, key, upload), effects: [] };
  }
  return {
    state: withUpload(state, key, { ...upload, readerWaits: false, queue }),
    effects: [{ type: 'deliver', key, bytes: bytes ?? null }],
  };
}

function answered(state: UploadsState, key: number): UploadStep {
  const upload = state.uploads.get(key);
  const uploads = new Map(state.uploads);
  uploads.delete(key);
  const next = { ...state, uploads };
  if (!upload || upload.phase === 'failed') return { state: next, effects: [] };
  const effects: UploadEffect[] = [
    { type: 'destroy', key, error: undefined },
    { type: 'respond', key },
  ];
  if (upload.phase === 'complete') return { state: next, effects };
  return { state: ignore(next, upload.id), effects: [{ type: 'stopTimer', key }, ...effects] };
}

function timeout(state: UploadsState, key: number, linePaused: boolean): UploadStep {
  const upload = state.uploads.get(key);
  if (upload?.phase !== 'receiving') return { state, effects: [] };
  if (linePaused) return { state, effects: [{ type: 'startTimer', key }] };
  const error = new ApiError('bad_request', 'The upload was given up: no chunk came for too long.');
  const { state: failed, effects } = fail(state, key, upload, error);
  return { state: ignore(failed, upload.id), effects };
}

/** Bodies that are not complete break off; complete ones are still read to their end. */
function hostLeft(state: UploadsState): UploadStep {
  const uploads = new Map(state.uploads);
  const effects: UploadEffect[] = [];
  for (const [key, upload] of state.uploads) {
    if (upload.phase !== 'receiving') continue;
    uploads.set(key, { ...upload, phase: 'failed', queue: [] });
    effects.push({ type: 'stopTimer', key }, { type: 'destroy', key, error: new Error('the host has left') });
  }
  return { state: { ...state, uploads, ignoredIds: [], closed: true }, effects };
}

function fail(state: UploadsState, key: number, upload: Upload, error: ApiError): UploadStep {
  return {
    state: withUpload(state, key, { ...upload, phase: 'failed', queue: [] }),
    effects: [
      { type: 'stopTimer', key },
      { type: 'destroy', key, error },
      { type: 'reject', id: upload.id, error },
    ],
  };
}

/** The chunks of this request are ignored from now on, up to the last one. */
function ignore(state: UploadsState, id: string): UploadsState {
  const others = state.ignoredIds.filter((other) => other !== id);
  return { ...state, ignoredIds: [...others, id].slice(-MAX_IGNORED_IDS) };
}

function withUpload(state: UploadsState, key: number, upload: Upload): UploadsState {
  return { ...state, uploads: new Map(state.uploads).set(key, upload) };
}

function receiving({ uploads }: UploadsState, id: string): [key: number, upload?: Upload] {
  for (const [key, upload] of uploads) {
    if (upload.id === id && upload.phase === 'receiving') return [key, upload];
  }
  return [-1];
}

/** The bytes of an upload's next chunk, or why the frame is not that. */
function bytesOf(
  { nextSeq, receivedBytes, maxBytes }: Upload,
  { last, seq, data_b64: text }: Fields,
): Buffer | ApiError {
  if (typeof last !== 'boolean') return badField('last', 'must be boolean');
  if (seq !== nextSeq) {
    return new ApiError('bad_request', `/seq must be ${nextSeq}: chunks come in order, each once.`, {
      expected_seq: nextSeq,
      issues: [{ path: '/seq', message: `must be ${nextSeq}` }],
    });
  }
  if (typeof text !== 'string') return badField('data_b64', 'must be string');
  const bytes = fromBase64(text);
  if (!bytes) return badField('data_b64', 'must be base64');
  if (bytes.length > MAX_CHUNK_BYTES) {
    const message = `A chunk may have ${MAX_CHUNK_BYTES} bytes at most.`;
    return new ApiError('payload_too_large', message, { max_bytes: MAX_CHUNK_BYTES });
  }
  if (maxBytes !== undefined && receivedBytes + bytes.length > maxBytes) return payloadTooLarge(maxBytes);
  return bytes;
}
