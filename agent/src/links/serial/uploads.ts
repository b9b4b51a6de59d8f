/** Runs the uploads of a serial session: streams, timers and answers around the state machine in upload-state.ts. */
import { Readable } from 'node:stream';
import type { ApiError } from '../../contract/errors.ts';
import type { Fields } from './request-frame.ts';
import {
  MAX_CHUNK_BYTES,
  NO_UPLOADS,
  type UploadEffect,
  type UploadEvent,
  type UploadsState,
  uploadStep,
} from './upload-state.ts';

/** An upload fails when no chunk arrives for so long, in ms. */
const IDLE_MS = 30_000;

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
  key: number;
  /** The body of the request. */
  body: Readable;
}

export class Uploads {
  readonly #options: UploadsOptions;
  readonly #bodies = new Map<number, Readable>();
  readonly #timers = new Map<number, NodeJS.Timeout>();
  #state: UploadsState = NO_UPLOADS;

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  /** Call for each request frame before anything else: a request may reuse the id of an unfinished upload. */
  request(id: string): void {
    this.#step({ type: 'request', id });
  }

  /**
   * Opens the upload of a request with an empty `body_b64`.
   * @param id the request's id as JSON text
   * @param maxBytes largest body, in bytes
   * @returns undefined when it has been rejected, since there are too many
   */
  begin(id: string, maxBytes: number | undefined): ChunkedUpload | undefined {
    const key = this.#state.nextKey;
    this.#step({ type: 'begin', id, maxBytes });
    const body = this.#bodies.get(key);
    return body && { key, body };
  }

  /** Ignores the chunks of a request that is answered without them. */
  ignore(id: string): void {
    this.#step({ type: 'ignore', id });
  }

  /** Takes a `request_chunk` frame. */
  chunk(id: string, frame: Fields): void {
    this.#step({ type: 'chunk', id, frame });
  }

  /** Ends an upload that the app has answered. @returns whether to send that answer: a failed one has got an error */
  answered({ key }: ChunkedUpload): boolean {
    return this.#step({ type: 'answered', key }).some(({ type }) => type === 'respond');
  }

  /** The host has left: incomplete bodies break off. */
  close(): void {
    this.#step({ type: 'hostLeft' });
  }

  #step(event: UploadEvent): readonly UploadEffect[] {
    const { state, effects } = uploadStep(this.#state, event);
    // Before the effects: a stream may ask for more while it is given something.
    this.#state = state;
    for (const effect of effects) this.#run(effect);
    return effects;
  }

  #run(effect: UploadEffect): void {
    switch (effect.type) {
      case 'create':
        this.#bodies.set(effect.key, this.#body(effect.key));
        return;
      case 'deliver':
        this.#bodies.get(effect.key)?.push(effect.bytes);
        return;
      case 'destroy':
        this.#bodies.get(effect.key)?.destroy(effect.error);
        this.#bodies.delete(effect.key);
        return;
      case 'startTimer':
        this.#startTimer(effect.key);
        return;
      case 'stopTimer':
        clearTimeout(this.#timers.get(effect.key));
        this.#timers.delete(effect.key);
        return;
      case 'reject':
        this.#options.reject(effect.id, effect.error);
        return;
      case 'respond':
        return;
      case 'pauseLine':
        this.#options.pauseLine(true);
        return;
      case 'resumeLine':
        this.#options.pauseLine(false);
    }
  }

  #body(key: number): Readable {
    const read = () => void this.#step({ type: 'read', key });
    // An error reaches the reader through the app; without this listener it would end the process as well.
    return new Readable({ highWaterMark: MAX_CHUNK_BYTES, read }).on('error', () => undefined);
  }

  #startTimer(key: number): void {
    clearTimeout(this.#timers.get(key));
    const expired = () => {
      this.#step({ type: 'timeout', key, linePaused: this.#options.isLinePaused() });
    };
    this.#timers.set(key, setTimeout(expired, this.#options.idleMs ?? IDLE_MS).unref());
  }
}
