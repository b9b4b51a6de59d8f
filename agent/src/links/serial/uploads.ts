/** Runs the uploads of a serial session: streams, timers and answers around the state machine in upload-state.ts. */
import { Readable } from 'node:stream';
import type { ApiError } from '../../contract/errors.ts';
import type { Fields } from './framing.ts';
import {
  NO_UPLOADS,
  type UploadEffect,
  type UploadEvent,
  type UploadsState,
  uploadStep,
} from './upload-state.ts';

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

interface OpenUpload extends ChunkedUpload {
  timer?: NodeJS.Timeout;
  /** Whether it holds MAX_QUEUED_CHUNKS and expects more. */
  isFull: boolean;
}

export class Uploads {
  readonly #options: UploadsOptions;
  readonly #open = new Map<number, OpenUpload>();
  #state: UploadsState = NO_UPLOADS;

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  /**
   * Call for each request frame before anything else: a request may reuse the id of an unfinished upload.
   * @param announcesChunks whether chunks may follow; they are ignored unless `begin` is called
   */
  request(id: string, announcesChunks: boolean): void {
    this.#step({ type: 'request', id, announcesChunks });
  }

  /**
   * Opens the upload of a request.
   * @param id the request's id as JSON text
   * @param maxBytes largest body, in bytes
   * @returns undefined when it has been rejected, since there are too many
   */
  begin(id: string, maxBytes: number | undefined): ChunkedUpload | undefined {
    const key = this.#state.nextKey;
    this.#step({ type: 'begin', id, maxBytes });
    return this.#open.get(key);
  }

  /** Takes a `request_chunk` frame. */
  chunk(id: string, frame: Fields): void {
    this.#step({ type: 'chunk', id, frame });
  }

  /** Ends an upload that the app has answered. @returns whether to send that answer: a failed one has got an error */
  answered({ key }: ChunkedUpload): boolean {
    const failed = this.#state.uploads.get(key)?.phase === 'failed';
    this.#step({ type: 'answered', key });
    return !failed;
  }

  /** The host has left: incomplete bodies break off. */
  close(): void {
    this.#step({ type: 'hostLeft' });
  }

  #step(event: UploadEvent): void {
    const { state, effects } = uploadStep(this.#state, event);
    this.#state = state;
    for (const effect of effects) this.#run(effect);
  }

  #run(effect: UploadEffect): void {
    if (effect.type === 'reject') {
      this.#options.reject(effect.id, effect.error);
      return;
    }
    const upload = effect.type === 'create' ? this.#create(effect.key) : this.#open.get(effect.key);
    if (!upload) return;
    clearTimeout(upload.timer);
    if (effect.type === 'destroy') {
      upload.body.destroy(effect.error);
      this.#open.delete(upload.key);
    } else if (effect.type === 'push') {
      if (effect.bytes.length > 0) upload.isFull = !upload.body.push(effect.bytes);
      if (effect.last) {
        upload.body.push(null);
        upload.isFull = false;
      }
    }
    if (effect.type === 'create' || (effect.type === 'push' && !effect.last)) this.#startTimer(upload);
    this.#updatePause();
  }

  #create(key: number): OpenUpload {
    // In object mode the limit counts chunks, so that tiny ones are bounded too.
    const body = new Readable({
      objectMode: true,
      highWaterMark: MAX_QUEUED_CHUNKS,
      read: () => {
        upload.isFull = false;
        this.#updatePause();
      },
      // An error reaches the reader through the app; without a listener it would end the process as well.
    }).on('error', () => undefined);
    const upload: OpenUpload = { key, body, isFull: false };
    this.#open.set(key, upload);
    return upload;
  }

  #updatePause(): void {
    this.#options.pauseLine([...this.#open.values()].some(({ isFull }) => isFull));
  }

  #startTimer(upload: OpenUpload): void {
    const expired = () => {
      if (this.#options.isLinePaused()) this.#startTimer(upload);
      else this.#step({ type: 'timeout', key: upload.key });
    };
    upload.timer = setTimeout(expired, this.#options.idleMs ?? IDLE_MS).unref();
  }
}
