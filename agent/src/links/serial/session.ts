/** One host's session on a serial port, from opening the port until it leaves. */
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../../base/logger.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';
import type { EventBus } from '../../events/bus.ts';
import { EventSession, errorFrame } from '../../events/session.ts';
import { toApiError } from '../answers.ts';
import { findEndpoint } from '../app.ts';
import { failureFrame, respond } from './dispatch.ts';
import { Framer } from './framing.ts';
import { Output } from './output.ts';
import { MAX_PENDING_BYTES, type SerialPort } from './port.ts';
import {
  type Body,
  bodyOf,
  type Fields,
  idOf,
  MAX_ID_CHARACTERS,
  type Target,
  targetOf,
} from './request-frame.ts';
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
/** An answer that would bring the unread output above this is replaced by a 429, in bytes. */
const MAX_QUEUED_BYTES = 16 * 1024 * 1024;
/** Unread output above which events wait in their own bounded queue, in bytes. */
const BUSY_BYTES = 64 * 1024;
/** The longest answer, in bytes: what the port can hold, less one piece and the link's own lines. */
const MAX_ANSWER_BYTES = MAX_PENDING_BYTES - 1024 * 1024;
/**
 * Types of frames that only the device sends. When one arrives, the host's port echoes, and so would any answer to it,
 * endlessly.
 */
const DEVICE_FRAMES: readonly unknown[] = ['hello', 'response', 'event', 'subscribed', 'error'];

export interface SerialSessionOptions {
  app: FastifyInstance;
  endpoints: readonly Endpoint[];
  bus: EventBus;
  log: Logger;
  uploadIdleMs: number | undefined;
  onPageMessage: ((payload: unknown) => void) | undefined;
  port: SerialPort;
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
  readonly #framer = new Framer();
  readonly #events: EventSession;
  readonly #uploads: Uploads;
  readonly #output: Output;
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
    const { bus, uploadIdleMs: idleMs, onPageMessage } = options;
    this.#output = new Output(options.port, () => this.#onWritten());
    this.#events = new EventSession({
      bus,
      onPageMessage,
      sink: {
        send: (text) => this.#send(text),
        ready: () => this.#output.unread < BUSY_BYTES,
        overflow: () => this.#options.restart(),
      },
    });
    this.#uploads = new Uploads({
      idleMs,
      reject: (id, error) => this.#send(failureFrame(id, error)),
      pauseLine: (paused) => this.#pauseLine('uploads', paused),
      isLinePaused: () => this.#pauses.size > 0,
    });
  }

  /** Takes bytes from the host. */
  take(bytes: Buffer): void {
    this.#framer.push(bytes);
    for (let frame = this.#framer.next(); frame; frame = this.#framer.next()) {
      if ('problem' in frame) {
        this.#send(errorFrame('bad_frame', frame.problem));
      } else if (frame.object.type === 'shell') {
        this.#output.writeOut();
        this.#options.openShell(this.#framer.rest());
        return;
      } else if (frame.object.type === 'request' || frame.object.type === 'request_chunk') {
        this.#takeRequest(frame.object, frame.numericId, frame.bytes);
      } else if (!DEVICE_FRAMES.includes(frame.object.type)) {
        this.#events.receive(frame.object);
      }
    }
  }

  #takeRequest(frame: Fields, numericId: string | undefined, bytes: number): void {
    const id = idOf(frame.id, numericId);
    if (id === undefined) {
      const message = `/id must be a number or a string of 1 to ${MAX_ID_CHARACTERS} characters.`;
      this.#send(errorFrame('bad_request', message));
    } else if (frame.type === 'request_chunk') {
      this.#uploads.chunk(id, frame);
    } else {
      this.#uploads.request(id);
      try {
        this.#accept(id, frame, bytes);
      } catch (error) {
        if (frame.body_b64 === '') this.#uploads.ignore(id);
        this.#send(failureFrame(id, toApiError(error)));
      }
    }
  }

  /** @throws ApiError when the request is refused without asking the app */
  #accept(id: string, frame: Fields, bytes: number): void {
    const target = targetOf(frame);
    if (this.#inFlight >= MAX_IN_FLIGHT || this.#inFlightBytes + bytes > MAX_IN_FLIGHT_BYTES) {
      throw new ApiError('too_many_requests');
    }
    const endpoint = findEndpoint(this.#options.endpoints, target.method, target.path);
    const body = bodyOf(frame, endpoint);
    const request = { id, target, bytes, isLarge: mayBeLarge(endpoint) };
    if (frame.body_b64 === '' && endpoint?.upload) {
      const upload = this.#uploads.begin(id, endpoint.upload.maxBytes);
      if (!upload) return;
      const streamed = { contentType: endpoint.upload.contentTypes[0], payload: upload.body };
      this.#count(request.bytes);
      // It is not queued: its chunks are already on their way.
      void this.#answer({ ...request, body: streamed, upload });
    } else {
      // The app refuses what is not an upload endpoint.
      if (frame.body_b64 === '') this.#uploads.ignore(id);
      this.#count(request.bytes);
      this.#waiting.push({ ...request, body, upload: undefined });
      this.#startWaiting();
    }
  }

  #count(bytes: number): void {
    this.#inFlight += 1;
    this.#inFlightBytes += bytes;
  }

  /** Starts waiting requests while the host reads its output. Small answers may overtake large ones. */
  #startWaiting(): void {
    while (this.#output.unread < MAX_UNREAD_BYTES) {
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
    const done = () => {
      this.#inFlight -= 1;
    };
    if (upload && !this.#uploads.answered(upload)) done();
    else this.#send(this.#hasRoom(answer) ? answer : failureFrame(id, noRoom()), done);
    this.#startWaiting();
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
    return bytes <= MAX_ANSWER_BYTES && this.#output.unread + bytes <= MAX_QUEUED_BYTES;
  }

  #send(text: string, done?: () => void): void {
    this.#output.send(text, done);
    if (this.#output.unread > PAUSE_BYTES) this.#pauseLine('output', true);
  }

  #onWritten(): void {
    if (this.#output.unread < RESUME_BYTES) this.#pauseLine('output', false);
    this.#events.flush();
    this.#startWaiting();
  }

  #pauseLine(reason: 'uploads' | 'output', paused: boolean): void {
    // After `close` the port belongs to the next session.
    if (this.#closed) return;
    const wasPaused = this.#pauses.size > 0;
    if (paused) this.#pauses.add(reason);
    else this.#pauses.delete(reason);
    const isPaused = this.#pauses.size > 0;
    if (isPaused && !wasPaused) this.#options.port.pause();
    if (!isPaused && wasPaused) this.#options.port.resume();
  }

  /** Ends the session: subscriptions end, incomplete uploads break off, waiting requests and answers are dropped. */
  close(): void {
    this.#uploads.close();
    this.#pauseLine('output', false);
    this.#closed = true;
    this.#output.close();
    this.#waiting.length = 0;
    this.#events.close();
  }
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
