/** The chunked uploads of one serial session as a pure state machine (docs/api.md: Uploads and operations). */
import type { Machine, Transition } from '../../base/machine.ts';
import { ApiError } from '../../contract/errors.ts';
import { type FrameFields, unknownFields } from '../../events/frame-fields.ts';
import { payloadTooLarge } from '../../uploads/receive.ts';
import type { Fields } from './framing.ts';
import { badField, fromBase64 } from './requests.ts';

const FIELDS: FrameFields = new Map([['request_chunk', ['id', 'seq', 'last', 'data_b64']]]);

/** Decoded bytes of one chunk (docs/api.md: Limits). */
export const MAX_CHUNK_BYTES = 16 * 1024;
/** Uploads of one session that are open at the same time: neither failed nor answered by the app. */
export const MAX_UPLOADS = 4;
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
}

export interface UploadsState {
  /** By key, since an id may be reused before its last upload has been answered. */
  readonly uploads: ReadonlyMap<number, Upload>;
  readonly nextKey: number;
  /** Ids of answered requests whose chunks may still arrive, oldest first; they are ignored up to the last one. */
  readonly ignoredIds: readonly string[];
}

export const NO_UPLOADS: UploadsState = { uploads: new Map(), nextKey: 0, ignoredIds: [] };

export type UploadEvent =
  /** A request frame has arrived, of whatever kind. Its chunks are ignored unless `begin` follows. */
  | { event: 'request'; id: string; announcesChunks: boolean }
  /** It opens an upload of at most `maxBytes` bytes. */
  | { event: 'begin'; id: string; maxBytes: number | undefined }
  /** A `request_chunk` frame has arrived. */
  | { event: 'chunk'; id: string; frame: Fields }
  /** The app has answered the request. */
  | { event: 'answered'; key: number }
  /** No chunk has arrived for too long. */
  | { event: 'timeout'; key: number }
  | { event: 'host_left' };

export type UploadEffect =
  /** Creates the body, which may now time out. */
  | { do: 'create'; key: number }
  /** Adds bytes to the body and restarts its timeout; the last ones end both. */
  | { do: 'push'; key: number; bytes: Buffer; last: boolean }
  /** Ends the timeout; a reader that is still reading gets the error. */
  | { do: 'destroy'; key: number; error: Error | undefined }
  /** Sends an error response. */
  | { do: 'reject'; id: string; error: ApiError };

type UploadTransition = Transition<UploadsState, UploadEffect>;

export const uploadMachine: Machine<UploadsState, UploadEvent, UploadEffect> = (state, event) => {
  switch (event.event) {
    case 'request':
      return request(state, event.id, event.announcesChunks);
    case 'begin':
      return begin(state, event.id, event.maxBytes);
    case 'chunk':
      return chunk(state, event.id, event.frame);
    case 'answered':
      return answered(state, event.key);
    case 'timeout':
      return timeout(state, event.key);
    case 'host_left':
      return hostLeft(state);
  }
};

/** A request may take the id of an upload whose last chunk never came: that upload is over. */
function request(before: UploadsState, id: string, announcesChunks: boolean): UploadTransition {
  const state = ignoreChunks(before, id, announcesChunks);
  const [key, upload] = receiving(state, id);
  if (!upload) return { state, effects: [] };
  return fail(state, key, upload, new ApiError('bad_request', 'The upload ended without its last chunk.'));
}

function begin(state: UploadsState, id: string, maxBytes: number | undefined): UploadTransition {
  const open = [...state.uploads.values()].filter(({ phase }) => phase !== 'failed');
  if (open.length >= MAX_UPLOADS) {
    const error = new ApiError('too_many_requests', `There are already ${MAX_UPLOADS} uploads on this link.`);
    return { state, effects: [{ do: 'reject', id, error }] };
  }
  const key = state.nextKey;
  const upload: Upload = { id, maxBytes, phase: 'receiving', nextSeq: 0, receivedBytes: 0 };
  const next = { ...withUpload(state, key, upload), nextKey: key + 1 };
  return { state: ignoreChunks(next, id, false), effects: [{ do: 'create', key }] };
}

function chunk(state: UploadsState, id: string, frame: Fields): UploadTransition {
  const last = frame.last === true;
  const [key, upload] = receiving(state, id);
  if (!upload) {
    const error = new ApiError('bad_request', 'There is no upload with this id.');
    const isIgnored = state.ignoredIds.includes(id);
    return {
      state: ignoreChunks(state, id, !last),
      effects: isIgnored ? [] : [{ do: 'reject', id, error }],
    };
  }
  const bytes = bytesOf(upload, frame);
  if (bytes instanceof ApiError) return fail(ignoreChunks(state, id, !last), key, upload, bytes);
  const next = withUpload(state, key, {
    ...upload,
    phase: last ? 'complete' : 'receiving',
    nextSeq: upload.nextSeq + 1,
    receivedBytes: upload.receivedBytes + bytes.length,
  });
  return { state: next, effects: [{ do: 'push', key, bytes, last }] };
}

function answered(state: UploadsState, key: number): UploadTransition {
  const upload = state.uploads.get(key);
  const uploads = new Map(state.uploads);
  uploads.delete(key);
  const next = { ...state, uploads };
  if (!upload || upload.phase === 'failed') return { state: next, effects: [] };
  return {
    state: upload.phase === 'complete' ? next : ignoreChunks(next, upload.id, true),
    effects: [{ do: 'destroy', key, error: undefined }],
  };
}

function timeout(state: UploadsState, key: number): UploadTransition {
  const upload = state.uploads.get(key);
  if (upload?.phase !== 'receiving') return { state, effects: [] };
  const error = new ApiError('bad_request', 'The upload was given up: no chunk came for too long.');
  return fail(ignoreChunks(state, upload.id, true), key, upload, error);
}

/** Bodies that are not complete break off; complete ones are still read to their end. */
function hostLeft(state: UploadsState): UploadTransition {
  const error = new Error('the host has left');
  const open = [...state.uploads].filter(([, { phase }]) => phase === 'receiving');
  const failed = open.map(([key, upload]) => [key, { ...upload, phase: 'failed' as const }] as const);
  return {
    state: { ...state, uploads: new Map([...state.uploads, ...failed]), ignoredIds: [] },
    effects: open.map(([key]) => ({ do: 'destroy', key, error })),
  };
}

function fail(state: UploadsState, key: number, upload: Upload, error: ApiError): UploadTransition {
  return {
    state: withUpload(state, key, { ...upload, phase: 'failed' }),
    effects: [
      { do: 'destroy', key, error },
      { do: 'reject', id: upload.id, error },
    ],
  };
}

/** Whether further chunks of this request are ignored, up to the last one. */
function ignoreChunks(state: UploadsState, id: string, ignored: boolean): UploadsState {
  const others = state.ignoredIds.filter((other) => other !== id);
  return { ...state, ignoredIds: ignored ? [...others, id].slice(-MAX_IGNORED_IDS) : others };
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
function bytesOf({ nextSeq, receivedBytes, maxBytes }: Upload, frame: Fields): Buffer | ApiError {
  const { last, seq, data_b64: text } = frame;
  const problem = unknownFields(frame, FIELDS);
  if (problem) return problem;
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
