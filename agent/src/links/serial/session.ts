/** What one host has with the agent over a serial port, from its opening of the port to its leaving. */
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../../base/logger.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';
import type { EventBus } from '../../events/bus.ts';
import { EventSession, errorFrame } from '../../events/session.ts';
import { toApiError } from '../answers.ts';
import { findEndpoint } from '../app.ts';
import {
  type Body,
  badField,
  fromBase64,
  jsonBody,
  respond,
  responseFrame,
  type Target,
  targetOf,
} from './dispatch.ts';
import { Framer } from './framing.ts';
import { Output } from './output.ts';
import { MAX_PENDING_BYTES, type SerialPort } from './port.ts';
import { type Upload, Uploads } from './uploads.ts';

/** Requests of one host that are not answered or whose answer has not gone out, at once, and the bytes of their lines; more is 429. */
export const MAX_IN_FLIGHT = 256;
const MAX_IN_FLIGHT_BYTES = 8 * 1024 * 1024;
/** Output that the host has not read, in bytes, at which its requests wait to be worked on. */
const MAX_UNREAD_BYTES = 1024 * 1024;
/** Answers that may be large, in the making at once: each is in memory several times while it is. */
const MAX_LARGE = 2;
/** Output at which the host's input is left with the kernel, and below which it is read again. */
const PAUSE_BYTES = 4 * 1024 * 1024;
const RESUME_BYTES = 2 * 1024 * 1024;
/** Output at which the answer that would be more is replaced by a 429, so that its request is answered yet. */
const MAX_QUEUED_BYTES = 16 * 1024 * 1024;
/** Output above which events wait in their session. */
const BUSY_BYTES = 64 * 1024;
/** The longest line, in bytes: what the port holds, less a piece and the link's own lines. */
const MAX_ANSWER_BYTES = MAX_PENDING_BYTES - 1024 * 1024;
const MAX_ID_CHARACTERS = 256;
/**
 * Frames that only the device sends. When they arrive, the host's port is not in raw mode and echoes; what answered
 * them would be echoed too, and so on for ever.
 */
const OWN_FRAMES: readonly unknown[] = ['hello', 'response', 'event', 'subscribed', 'error'];

export interface SerialSessionOptions {
  app: FastifyInstance;
  endpoints: readonly Endpoint[];
  bus: EventBus;
  log: Logger;
  uploadIdleMs: number | undefined;
  onPageMessage: ((payload: unknown) => void) | undefined;
  port: SerialPort;
  /** Events were lost that must not be: ends this session and begins another, whose hello tells the host. */
  restart(): void;
  /** Leaves the protocol for a shell. @param rest what came after the line that asks for it */
  openShell(rest: Buffer): void;
}

/** A request that has been taken. */
interface Taken {
  /** As JSON text. */
  id: string;
  target: Target;
  body: Body | undefined;
  /** When its body comes in chunks. */
  upload: Upload | undefined;
  /** Of its line. */
  bytes: number;
  /** Its answer may be. */
  large: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

export class SerialSession {
  readonly #options: SerialSessionOptions;
  readonly #framer = new Framer();
  readonly #events: EventSession;
  readonly #uploads: Uploads;
  readonly #output: Output;
  #inFlight = 0;
  #inFlightBytes = 0;
  #closed = false;
  readonly #waiting: Taken[] = [];
  #large = 0;
  #uploadsWait = false;
  #outputWaits = false;

  constructor(options: SerialSessionOptions) {
    this.#options = options;
    const { bus, uploadIdleMs: idleMs, onPageMessage } = options;
    this.#output = new Output(options.port, () => this.#written());
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
      fail: (id, error) => this.#fail(id, error),
      pause: () => this.#hold(true, this.#outputWaits),
      resume: () => this.#hold(false, this.#outputWaits),
      isPaused: () => this.#uploadsWait || this.#outputWaits,
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
      } else if (!OWN_FRAMES.includes(frame.object.type)) {
        this.#dispatch(frame.object, frame.numericId, frame.bytes);
      }
    }
  }

  #dispatch(frame: Fields, numericId: string | undefined, bytes: number): void {
    if (frame.type !== 'request' && frame.type !== 'request_chunk') {
      this.#events.receive(frame);
      return;
    }
    const id = idOf(frame.id, numericId);
    if (id === undefined) {
      this.#send(
        errorFrame(
          'bad_request',
          `/id must be a number or a string of 1 to ${MAX_ID_CHARACTERS} characters.`,
        ),
      );
    } else if (frame.type === 'request_chunk') {
      this.#uploads.chunk(id, frame);
    } else {
      this.#request(id, frame, bytes);
    }
  }

  #request(id: string, frame: Fields, bytes: number): void {
    this.#uploads.supersede(id);
    const opensUpload = frame.body_b64 === '';
    try {
      const target = targetOf(frame);
      if (this.#isBusy(bytes)) throw new ApiError('too_many_requests');
      const endpoint = findEndpoint(this.#options.endpoints, target.method, target.path);
      const inline = bodyOf(frame, endpoint);
      const contentType = endpoint?.upload?.contentTypes[0];
      const large = mayAnswerMuch(endpoint);
      if (opensUpload && endpoint?.upload && contentType !== undefined) {
        const upload = this.#uploads.begin(id, endpoint.upload.maxBytes);
        const body = { contentType, payload: upload.body };
        this.#accept({ id, target, body, upload, bytes, large });
        return;
      }
      // Not an endpoint that takes uploads: the app says what is wrong, and the chunks go unheard.
      if (opensUpload) this.#uploads.refuse(id);
      this.#accept({ id, target, body: inline, upload: undefined, bytes, large });
    } catch (error) {
      if (opensUpload) this.#uploads.refuse(id);
      this.#fail(id, toApiError(error));
    }
  }

  #isBusy(bytes: number): boolean {
    return this.#inFlight >= MAX_IN_FLIGHT || this.#inFlightBytes + bytes > MAX_IN_FLIGHT_BYTES;
  }

  #accept(request: Taken): void {
    this.#inFlight += 1;
    this.#inFlightBytes += request.bytes;
    // The chunks of an upload are on their way: it does not wait.
    if (request.upload) void this.#answer(request);
    else {
      this.#waiting.push(request);
      this.#startWaiting();
    }
  }

  /** Begins with what waits, as far as the host reads. Small answers may overtake large ones. */
  #startWaiting(): void {
    for (let at = 0; this.#output.unread < MAX_UNREAD_BYTES; ) {
      const request = this.#waiting[at];
      if (!request) return;
      if (request.large && this.#large >= MAX_LARGE) at += 1;
      else {
        this.#waiting.splice(at, 1);
        void this.#answer(request);
      }
    }
  }

  async #answer(request: Taken): Promise<void> {
    const { id, upload, bytes, large } = request;
    if (large) this.#large += 1;
    const answer = await this.#answerOf(request);
    if (large) this.#large -= 1;
    this.#inFlightBytes -= bytes;
    if (upload) this.#uploads.answered(id, upload);
    const length = Buffer.byteLength(answer);
    const problem = 'The answer has no room on this link: too much of it is unread, or it is too long.';
    const tooLong = this.#output.unread + length > MAX_QUEUED_BYTES || length > MAX_ANSWER_BYTES;
    const line = tooLong ? failureFrame(id, new ApiError('too_many_requests', problem)) : answer;
    const done = () => {
      this.#inFlight -= 1;
    };
    // One answer for one request: the link has given it.
    if (upload?.failed) done();
    else this.#send(line, done);
    this.#startWaiting();
  }

  async #answerOf({ id, target, body, upload }: Taken): Promise<string> {
    try {
      return await respond(this.#options.app, id, target, body);
    } catch (error) {
      if (!upload?.failed) {
        this.#options.log.error({ err: error, method: target.method, path: target.path }, 'serial request');
      }
      return failureFrame(id, new ApiError('internal'));
    }
  }

  #fail(id: string, error: ApiError): void {
    this.#send(failureFrame(id, error));
  }

  #send(text: string, done?: () => void): void {
    this.#output.send(text, done);
    if (this.#output.unread > PAUSE_BYTES) this.#hold(this.#uploadsWait, true);
  }

  /** The host has read something. */
  #written(): void {
    if (this.#outputWaits && this.#output.unread < RESUME_BYTES) this.#hold(this.#uploadsWait, false);
    this.#events.flush();
    this.#startWaiting();
  }

  /** The host has to wait while either its uploads or our output wait. */
  #hold(uploadsWait: boolean, outputWaits: boolean): void {
    // The port is the next session's.
    if (this.#closed) return;
    const before = this.#uploadsWait || this.#outputWaits;
    this.#uploadsWait = uploadsWait;
    this.#outputWaits = outputWaits;
    const now = uploadsWait || outputWaits;
    if (now === before) return;
    if (now) this.#options.port.pause();
    else this.#options.port.resume();
  }

  /** The host has left: its subscriptions and uploads end, what waits is not begun, and answers under way go nowhere. */
  close(): void {
    // The next session has what this one did not let in.
    this.#hold(false, false);
    this.#closed = true;
    this.#output.close();
    this.#waiting.length = 0;
    this.#events.close();
    this.#uploads.close();
  }
}

/** Downloads, and lists that may be long, as that of the log. */
function mayAnswerMuch(endpoint: Endpoint | undefined): boolean {
  const { download, method, response } = endpoint ?? {};
  const isList = response !== undefined && 'type' in response && response.type === 'array';
  return download !== undefined || (method === 'GET' && isList);
}

function failureFrame(id: string, error: ApiError): string {
  return responseFrame(id, error.status, JSON.stringify(error.envelope));
}

/**
 * The id as JSON text, by which `1` and `"1"` are two.
 * @param numeric a number as the host has spelt it, which goes back in the same spelling
 */
function idOf(id: unknown, numeric: string | undefined): string | undefined {
  if (numeric !== undefined) return numeric.length <= MAX_ID_CHARACTERS ? numeric : undefined;
  if (typeof id === 'string' && id.length > 0 && id.length <= MAX_ID_CHARACTERS) return JSON.stringify(id);
  return undefined;
}

/** The inline body of a request frame. @throws ApiError `bad_request` */
function bodyOf(frame: Fields, endpoint: Endpoint | undefined): Body | undefined {
  const { body, body_b64: binary } = frame;
  if (binary === undefined) return body === undefined ? undefined : jsonBody(body);
  if (body !== undefined) throw badField('body_b64', 'may not come together with body');
  if (typeof binary !== 'string') throw badField('body_b64', 'must be string');
  const payload = fromBase64(binary);
  if (!payload) throw badField('body_b64', 'must be base64');
  if (payload.length === 0) return undefined;
  return { contentType: endpoint?.upload?.contentTypes[0] ?? 'application/octet-stream', payload };
}
