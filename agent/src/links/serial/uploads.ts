/** Runs the uploads of a serial session: streams, timers and answers around the state machine in upload-machine.ts. */
import { Readable } from 'node:stream';
import { Driver } from '../../base/machine.ts';
import type { ApiError } from '../../contract/errors.ts';
import type { Fields } from './framing.ts';
import {
  NO_UPLOADS,
  type UploadEffect,
  type UploadEvent,
  type UploadsState,
  uploadMachine,
} from './upload-machine.ts';

/** An upload fails when no chunk arrives for so long, in ms. */
const IDLE_MS = 30_000;
/** Chunks of one upload that nobody has read, of whatever size, at which the line is paused. */
export const MAX_QUEUED_CHUNKS = 16;

export interface UploadsOptions {
  idleMs?: number | undefined;
  /** Sends an error response to the request `id` (JSON text). */
  reject(id: string, error: ApiError): void;
  /** Stops or goes on reading the line, so that the host waits. */
  pauseLine(paused: boolean): void;
  /** Whether the line is paused, for whatever reason: the host cannot send chunks then. */
  isLinePaused(): boolean;
}

export interface ChunkedUpload {
  readonly key: number;
  /** The body of the request. */
  readonly body: Readable;
}

export class Uploads {
  readonly #options: UploadsOptions;
  readonly #open = new Map<number, ChunkedUpload>();
  readonly #timers = new Map<number, NodeJS.Timeout>();
  /** Keys of the uploads that hold MAX_QUEUED_CHUNKS and expect more. */
  readonly #full = new Set<number>();
  readonly #driver: Driver<UploadsState, UploadEvent, UploadEffect>;

  constructor(options: UploadsOptions) {
    this.#options = options;
    this.#driver = new Driver({
      machine: uploadMachine,
      initial: NO_UPLOADS,
      perform: (effect) => this.#perform(effect),
    });
  }

  /**
   * Call for each request frame before anything else: a request may reuse the id of an unfinished upload.
   * @param announcesChunks whether chunks may follow; they are ignored unless `begin` is called
   */
  request(id: string, announcesChunks: boolean): void {
    this.#driver.dispatch({ event: 'request', id, announcesChunks });
  }

  /**
   * Opens the upload of a request.
   * @param id the request's id as JSON text
   * @param maxBytes largest body, in bytes
   * @returns undefined when it has been rejected, since there are too many
   */
  begin(id: string, maxBytes: number | undefined): ChunkedUpload | undefined {
    // No effect leads to an event before it returns, so this one is taken at once.
    const key = this.#driver.state.nextKey;
    this.#driver.dispatch({ event: 'begin', id, maxBytes });
    return this.#open.get(key);
  }

  /** Takes a `request_chunk` frame. */
  chunk(id: string, frame: Fields): void {
    this.#driver.dispatch({ event: 'chunk', id, frame });
  }

  /** Ends an upload that the app has answered. @returns whether to send that answer: a failed one has got an error */
  answered({ key }: ChunkedUpload): boolean {
    const failed = this.#driver.state.uploads.get(key)?.phase === 'failed';
    this.#driver.dispatch({ event: 'answered', key });
    return !failed;
  }

  /** The host has left: incomplete bodies break off. */
  close(): void {
    this.#driver.dispatch({ event: 'host_left' });
  }

  #perform(effect: UploadEffect): void {
    if (effect.do === 'reject') {
      this.#options.reject(effect.id, effect.error);
      return;
    }
    const { key } = effect;
    if (effect.do === 'create') this.#open.set(key, { key, body: this.#createBody(key) });
    const body = this.#open.get(key)?.body;
    if (effect.do === 'destroy') {
      body?.destroy(effect.error);
      this.#open.delete(key);
    } else if (effect.do === 'push') {
      if (effect.bytes.length > 0) this.#setFull(key, body?.push(effect.bytes) === false);
      if (effect.last) body?.push(null);
    }
    clearTimeout(this.#timers.get(key));
    if (effect.do === 'create' || (effect.do === 'push' && !effect.last)) {
      this.#startTimer(key);
    } else {
      // Nothing more is added to its body.
      this.#timers.delete(key);
      this.#setFull(key, false);
    }
  }

  #createBody(key: number): Readable {
    // In object mode the limit counts chunks, so that tiny ones are bounded too.
    return new Readable({
      objectMode: true,
      highWaterMark: MAX_QUEUED_CHUNKS,
      read: () => this.#setFull(key, false),
      // An error reaches the reader through the app; without a listener it would end the process as well.
    }).on('error', () => undefined);
  }

  #setFull(key: number, full: boolean): void {
    if (full) this.#full.add(key);
    else this.#full.delete(key);
    this.#options.pauseLine(this.#full.size > 0);
  }

  #startTimer(key: number): void {
    const expired = () => {
      if (this.#options.isLinePaused()) this.#startTimer(key);
      else this.#driver.dispatch({ event: 'timeout', key });
    };
    this.#timers.set(key, setTimeout(expired, this.#options.idleMs ?? IDLE_MS).unref());
  }
}
