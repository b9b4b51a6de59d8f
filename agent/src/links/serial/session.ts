/** One host's session on a serial port, from opening the port until it leaves. */
import type { FastifyInstance } from 'fastify';
import { LineSplitter } from '../../base/line-splitter.ts';
import type { Logger } from '../../base/logger.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';
import { tooDeep } from '../../contract/json.ts';
import type { EventBus } from '../../events/bus.ts';
import { type FrameFields, unknownFields } from '../../events/frame-fields.ts';
import { EventSession, errorFrame, type SendToPage } from '../../events/session.ts';
import { toApiError } from '../answers.ts';
import { findEndpoint } from '../app.ts';
import { type Fields, type Frame, MAX_ID_CHARACTERS, MAX_LINE_BYTES, parseFrame } from './framing.ts';
import type { SerialLine } from './pump.ts';
import { type Body, bodyOf, failureFrame, respond, type Target, targetOf } from './requests.ts';
import { type ChunkedUpload, Uploads } from './uploads.ts';

/** Requests of one host whose answers have not been sent, and the bytes of their lines; more are refused with 429. */
export const MAX_IN_FLIGHT = 256;
const MAX_IN_FLIGHT_BYTES = 8 * 1024 * 1024;
/** No request is started while the host has more unread output than this, in bytes. */
const MAX_UNREAD_BYTES = 1024 * 1024;
/** Large answers that are made at once; each is in memory several times meanwhile. */
const MAX_LARGE = 2;
/** Unread output above which the line is paused, and below which it is resumed, in bytes. */
const PAUSE_BYTES = 4 * 1024 * 1024;
const RESUME_BYTES = 2 * 1024 * 1024;
/** Longest answer, in bytes: twice a splash image of 4 MB in base64. */
const MAX_ANSWER_BYTES = 11 * 1024 * 1024;
/** An answer that would bring the unread output above this is replaced by a 429, in bytes. */
const MAX_QUEUED_BYTES = 16 * 1024 * 1024;
/** Unread output above which events wait in their own bounded queue, in bytes. */
const BUSY_BYTES = 64 * 1024;
/**
 * Types of frames that only the device sends. When one arrives, the host's port echoes, and so would any answer to it,
 * endlessly.
 */
const DEVICE_FRAMES: readonly unknown[] = ['hello', 'response', 'event', 'subscribed', 'error'];

/** Types of the frames that hosts may send, besides those about events. */
const SERIAL_TYPES = ['request', 'request_chunk', 'hello', 'shell'];
const REQUEST_FIELDS: FrameFields = new Map([['request', ['id', 'method', 'path', 'body', 'body_b64']]]);

export interface SerialSessionOptions {
  app: FastifyInstance;
  endpoints: readonly Endpoint[];
  bus: EventBus;
  sendToPage: SendToPage;
  log: Logger;
  uploadIdleMs?: number;
  line: SerialLine;
  /** The line that greets a host. */
  hello(): string;
  /** Events that must not be lost were lost: replace this session by a new one, whose hello tells the host. */
  restart(): void;
  /** Gives the line to a shell. @param rest bytes after the line that asked for it */
  openShell(rest: Buffer): void;
}

interface AcceptedRequest {
  /** As JSON text. */
  id: string;
  target: Target;
  body: Body | undefined;
  /** Set when the body comes in chunks. */
  upload: ChunkedUpload | undefined;
  /** Length of its line. */
  bytes: number;
  isLarge: boolean;
}

export class SerialSession {
  readonly #options: SerialSessionOptions;
  readonly #lines = new LineSplitter(MAX_LINE_BYTES);
  readonly #events: EventSession;
  readonly #uploads: Uploads;
  /** Requests that have not been started. */
  readonly #waiting: AcceptedRequest[] = [];
  /** Why the line is not read. */
  readonly #pauses = new Set<'uploads' | 'output'>();
  #inFlight = 0;
  #inFlightBytes = 0;
  #largeInProgress = 0;
  #closed = false;

  constructor(options: SerialSessionOptions) {
    this.#options = options;
    const sink = {
      send: (text: string) => void this.#send(text),
      ready: () => options.line.pendingBytes < BUSY_BYTES,
      overflow: () => options.restart(),
    };
    this.#events = new EventSession(options.bus, sink, options.sendToPage, SERIAL_TYPES);
    this.#uploads = new Uploads({
      idleMs: options.uploadIdleMs,
      reject: (id, error) => void this.#send(failureFrame(id, error)),
      pauseLine: (paused) => this.#pauseLine('uploads', paused),
      isLinePaused: () => this.#pauses.size > 0,
    });
  }

  /** Takes bytes from the host. */
  write(bytes: Buffer): void {
    this.#lines.push(bytes);
    for (let line = this.#lines.next(); line; line = this.#lines.next()) {
      const frame = parseFrame(line);
      if (!frame) continue;
      if ('problem' in frame) {
        void this.#send(errorFrame(new ApiError('bad_frame', frame.problem)));
      } else if (frame.object.type === 'shell') {
        this.#options.openShell(this.#lines.rest());
        return;
      } else if (frame.object.type === 'request' || frame.object.type === 'request_chunk') {
        this.#takeRequest(frame, line.length);
      } else if (frame.isTooDeep) {
        void this.#send(errorFrame(tooDeep('The frame')));
      } else if (asksForHello(frame.object)) {
        void this.#send(this.#options.hello());
      } else if (!DEVICE_FRAMES.includes(frame.object.type)) {
        this.#events.receive(frame.object);
      }
    }
  }

  #takeRequest({ object: frame, id, isTooDeep }: Exclude<Frame, { problem: string }>, bytes: number): void {
    if (id === undefined) {
      const message = `/id must be a number or a string of 1 to ${MAX_ID_CHARACTERS} characters.`;
      void this.#send(errorFrame(new ApiError('bad_request', message)));
    } else if (frame.type === 'request_chunk') {
      this.#uploads.chunk(id, frame);
    } else {
      this.#uploads.request(id, frame.body_b64 === '');
      try {
        this.#accept(id, frame, isTooDeep, bytes);
      } catch (error) {
        void this.#send(failureFrame(id, toApiError(error)));
      }
    }
  }

  /** @throws ApiError when the request is refused without asking the app */
  #accept(id: string, frame: Fields, isTooDeep: boolean, bytes: number): void {
    const problem = unknownFields(frame, REQUEST_FIELDS);
    if (problem) throw problem;
    const target = targetOf(frame, this.#options.endpoints);
    if (this.#inFlight >= MAX_IN_FLIGHT || this.#inFlightBytes + bytes > MAX_IN_FLIGHT_BYTES) {
      throw new ApiError('too_many_requests');
    }
    const endpoint = findEndpoint(this.#options.endpoints, target.method, target.path);
    const request = { id, target, bytes, isLarge: mayBeLarge(endpoint) };
    const body = bodyOf(frame, endpoint, isTooDeep);
    // The app refuses chunks for any other endpoint.
    const chunked = frame.body_b64 === '' ? endpoint?.upload : undefined;
    const upload = chunked && this.#uploads.begin(id, chunked.maxBytes);
    if (chunked && !upload) return;
    this.#inFlight += 1;
    this.#inFlightBytes += bytes;
    if (chunked && upload) {
      // It does not wait: its chunks are already on their way.
      const streamed = { contentType: chunked.contentTypes[0], payload: upload.body };
      void this.#answer({ ...request, body: streamed, upload });
    } else {
      this.#waiting.push({ ...request, body, upload });
      this.#startWaiting();
    }
  }

  /** Starts waiting requests while the host reads its output. Small answers may overtake large ones. */
  #startWaiting(): void {
    while (this.#options.line.pendingBytes < MAX_UNREAD_BYTES) {
      const next = this.#waiting.findIndex(({ isLarge }) => !isLarge || this.#largeInProgress < MAX_LARGE);
      const [request] = next < 0 ? [] : this.#waiting.splice(next, 1);
      if (!request) return;
      void this.#answer(request);
    }
  }

  async #answer(request: AcceptedRequest): Promise<void> {
    const { id, upload, bytes, isLarge } = request;
    if (isLarge) this.#largeInProgress += 1;
    const answer = await this.#respond(request);
    if (isLarge) this.#largeInProgress -= 1;
    this.#inFlightBytes -= bytes;
    const isWanted = !upload || this.#uploads.answered(upload);
    const sent = isWanted
      ? this.#send(this.#hasRoom(answer) ? answer : failureFrame(id, noRoom()))
      : undefined;
    this.#startWaiting();
    await sent;
    this.#inFlight -= 1;
  }

  async #respond({ id, target, body, upload }: AcceptedRequest): Promise<string> {
    try {
      return await respond(this.#options.app, id, target, body);
    } catch (error) {
      // A body that broke off is the host's failure, not the app's.
      if (!upload?.body.errored) this.#options.log.error({ err: error, ...target }, 'serial request failed');
      return failureFrame(id, new ApiError('internal'));
    }
  }

  #hasRoom(answer: string): boolean {
    const bytes = Buffer.byteLength(answer);
    return bytes <= MAX_ANSWER_BYTES && this.#options.line.pendingBytes + bytes <= MAX_QUEUED_BYTES;
  }

  /** Resolves when the host has read the text or left. */
  async #send(text: string): Promise<void> {
    // After `close` the line belongs to the next session.
    if (this.#closed) return;
    const { line } = this.#options;
    const written = line.write(`${text}\n`);
    if (line.pendingBytes > PAUSE_BYTES) this.#pauseLine('output', true);
    await written;
    if (line.pendingBytes < RESUME_BYTES) this.#pauseLine('output', false);
    this.#events.flush();
    this.#startWaiting();
  }

  #pauseLine(reason: 'uploads' | 'output', paused: boolean): void {
    if (this.#closed) return;
    const wasPaused = this.#pauses.size > 0;
    if (paused) this.#pauses.add(reason);
    else this.#pauses.delete(reason);
    const isPaused = this.#pauses.size > 0;
    if (isPaused && !wasPaused) this.#options.line.pause();
    if (!isPaused && wasPaused) this.#options.line.resume();
  }

  /** Ends the session: subscriptions end, incomplete uploads break off, waiting requests and answers are dropped. */
  close(): void {
    if (this.#pauses.size > 0) this.#options.line.resume();
    this.#closed = true;
    this.#uploads.close();
    this.#waiting.length = 0;
    this.#events.close();
  }
}

/** A host asks for the greeting again. One with other fields is the device's own, which the host's port echoes. */
function asksForHello(frame: Fields): boolean {
  return frame.type === 'hello' && Object.keys(frame).length === 1;
}

/** Whether an endpoint's answers may be large: downloads and lists, such as the log. */
function mayBeLarge(endpoint: Endpoint | undefined): boolean {
  const { download, method, response } = endpoint ?? {};
  const isList = response !== undefined && 'type' in response && response.type === 'array';
  return download !== undefined || (method === 'GET' && isList);
}

function noRoom(): ApiError {
  const message = 'The answer is too long for this link, or too much of its output is unread.';
  return new ApiError('too_many_requests', message);
}
