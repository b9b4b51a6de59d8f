/** What one host has with the agent over a serial port, from its opening of the port to its leaving. */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../../base/logger.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { ApiError } from '../../contract/errors.ts';
import type { EventBus } from '../../events/bus.ts';
import { EventSession, errorFrame } from '../../events/session.ts';
import { findEndpoint, toApiError } from '../app.ts';
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
import type { SerialPort } from './port.ts';
import { Uploads } from './uploads.ts';

/** Requests of one host under way at once, and the bytes of their lines; more is 429. */
export const MAX_IN_FLIGHT = 256;
const MAX_IN_FLIGHT_BYTES = 8 * 1024 * 1024;
/** Answers that the host has not read, in bytes, at which it gets no more of them than 429. */
const MAX_UNREAD_BYTES = 6 * 1024 * 1024;
/** Output in bytes above which events wait in their session. */
const BUSY_BYTES = 64 * 1024;
const MAX_ID_CHARACTERS = 256;
/**
 * A host's port in its first mode echoes what it receives. Answering that would be answered by the echo of the
 * answer, and so on for ever.
 */
const OWN_FRAMES: ReadonlySet<string> = new Set(['hello', 'response', 'event', 'subscribed', 'error']);
/**
 * Frames that only the device sends. When they arrive, the host's terminal is not in raw mode and echoes; answering
 * them would be echoed too, for ever.
 */
const ECHOES: readonly unknown[] = ['hello', 'response', 'event', 'error', 'subscribed'];

export interface SerialSessionOptions {
  app: FastifyInstance;
  endpoints: readonly Endpoint[];
  bus: EventBus;
  log: Logger;
  uploadFolder: string;
  uploadIdleMs: number | undefined;
  onPageMessage: ((payload: unknown) => void) | undefined;
  port: SerialPort;
  /** Leaves the protocol for a shell. @param rest what came after the line that asks for it */
  openShell(rest: Buffer): void;
}

type Fields = Readonly<Record<string, unknown>>;

export class SerialSession {
  readonly #options: SerialSessionOptions;
  readonly #framer = new Framer();
  readonly #events: EventSession;
  readonly #uploads: Uploads;
  #inFlight = 0;
  #inFlightBytes = 0;
  #closed = false;
  #batch: string[] = [];
  #batchCharacters = 0;

  constructor(options: SerialSessionOptions) {
    this.#options = options;
    const { bus, port, uploadFolder: folder, uploadIdleMs: idleMs, onPageMessage } = options;
    this.#events = new EventSession({
      bus,
      onPageMessage,
      sink: {
        send: (text) => this.#send(text),
        ready: () => port.pendingBytes + this.#batchCharacters < BUSY_BYTES,
      },
    });
    this.#uploads = new Uploads({
      folder,
      idleMs,
      fail: (id, error) => this.#fail(id, error),
      complete: (id, target, body) => void this.#answer(id, target, body, 0),
      pause: () => port.pause(),
      resume: () => port.resume(),
    });
  }

  /** Takes bytes from the host. */
  take(bytes: Buffer): void {
    this.#framer.push(bytes);
    for (let frame = this.#framer.next(); frame; frame = this.#framer.next()) {
      if ('problem' in frame) {
        this.#send(errorFrame('bad_frame', frame.problem));
      } else if (frame.object.type === 'shell') {
        this.#options.openShell(this.#framer.rest());
        return;
      } else if (!ECHOES.includes(frame.object.type)) {
        this.#dispatch(frame.object, frame.bytes);
      }
    }
  }

  #dispatch(frame: Fields, bytes: number): void {
    if (typeof frame.type === 'string' && OWN_FRAMES.has(frame.type)) return;
    if (frame.type !== 'request' && frame.type !== 'request_chunk') {
      this.#events.receive(frame);
      return;
    }
    const id = idOf(frame.id);
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
      const endpoint = opensUpload
        ? findEndpoint(this.#options.endpoints, target.method, target.path)
        : undefined;
      const body = bodyOf(frame, target, this.#options.endpoints);
      const contentType = endpoint?.upload?.contentTypes[0];
      if (endpoint?.upload && contentType !== undefined) {
        const gate = this.#options.app.gates.get(endpoint);
        const upload = { ...target, contentType, maxBytes: endpoint.upload.maxBytes };
        this.#uploads.begin(id, upload, Promise.resolve(gate?.()));
        return;
      }
      // Not an endpoint that takes uploads: the app says what is wrong, and the chunks go unheard.
      if (opensUpload) this.#uploads.refuse(id);
      void this.#answer(id, target, body, bytes);
    } catch (error) {
      if (opensUpload) this.#uploads.refuse(id);
      this.#fail(id, toApiError(error));
    }
  }

  #isBusy(bytes: number): boolean {
    return (
      this.#inFlight >= MAX_IN_FLIGHT ||
      this.#inFlightBytes + bytes > MAX_IN_FLIGHT_BYTES ||
      this.#options.port.pendingBytes > MAX_UNREAD_BYTES
    );
  }

  async #answer(id: string, target: Target, body: Body | undefined, bytes: number): Promise<void> {
    this.#inFlight += 1;
    this.#inFlightBytes += bytes;
    try {
      this.#send(await respond(this.#options.app, id, target, body));
    } catch (error) {
      this.#options.log.error({ err: error, method: target.method, path: target.path }, 'serial request');
      this.#fail(id, new ApiError('internal'));
    } finally {
      if (body?.payload instanceof Readable) body.payload.destroy();
      this.#inFlight -= 1;
      this.#inFlightBytes -= bytes;
    }
  }

  #fail(id: string, error: ApiError): void {
    this.#send(responseFrame(id, error.status, JSON.stringify(error.envelope)));
  }

  /** Frames of one turn go out in one write. */
  #send(text: string): void {
    if (this.#closed) return;
    this.#batch.push(text);
    this.#batchCharacters += text.length;
    if (this.#batch.length === 1) queueMicrotask(() => void this.#flush());
  }

  async #flush(): Promise<void> {
    const lines = `${this.#batch.join('\n')}\n`;
    this.#batch = [];
    this.#batchCharacters = 0;
    if (this.#closed) return;
    await this.#options.port.write(lines);
    if (!this.#closed) this.#events.flush();
  }

  /** The host has left: its subscriptions and uploads end, and answers under way go nowhere. */
  close(): void {
    this.#closed = true;
    this.#events.close();
    this.#uploads.close();
  }
}

/** The id as JSON text, by which `1` and `"1"` are two. */
function idOf(id: unknown): string | undefined {
  if (typeof id === 'number') return JSON.stringify(id);
  if (typeof id === 'string' && id.length > 0 && id.length <= MAX_ID_CHARACTERS) return JSON.stringify(id);
  return undefined;
}

/** The inline body of a request frame. @throws ApiError `bad_request` */
function bodyOf(frame: Fields, target: Target, endpoints: readonly Endpoint[]): Body | undefined {
  const { body, body_b64: binary } = frame;
  if (binary === undefined) return body === undefined ? undefined : jsonBody(body);
  if (body !== undefined) throw badField('body_b64', 'may not come together with body');
  if (typeof binary !== 'string') throw badField('body_b64', 'must be string');
  const payload = fromBase64(binary);
  if (!payload) throw badField('body_b64', 'must be base64');
  if (payload.length === 0) return undefined;
  const endpoint = findEndpoint(endpoints, target.method, target.path);
  return { contentType: endpoint?.upload?.contentTypes[0] ?? 'application/octet-stream', payload };
}
