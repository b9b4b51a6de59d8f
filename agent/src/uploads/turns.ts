/** The uploads in progress of one resource: one of each name, and a limited number at once. */
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { withTimeout } from '../base/timeout.ts';
import { ApiError } from '../contract/errors.ts';
import { brokenOff } from './receive.ts';

/** How long an upload waits for an earlier one that is ending, in ms: flushing a large file to a slow card takes long. */
const WAIT_MS = 30_000;

/** The turn of one upload, from its request until nothing of it is left to do. */
export interface Turn {
  /** Its body has been verified; what is left does not depend on the client. */
  storing(): void;
  end(): void;
}

interface OpenTurn extends Turn {
  isStoring: boolean;
  readonly body: Readable;
  readonly ended: Promise<void>;
}

/**
 * An upload for which the client has an answer, or whose body has broken off, still takes a moment: its file is flushed,
 * put into place or removed. The next one waits for that, so a client that acts on what it knows gets no `conflict`.
 */
export class UploadTurns {
  readonly #limit: number;
  readonly #waitMs: number;
  readonly #open = new Map<string, OpenTurn>();

  /** @param limit uploads at once */
  constructor(limit: number, waitMs = WAIT_MS) {
    this.#limit = limit;
    this.#waitMs = waitMs;
  }

  /**
   * Begins an upload. The caller ends it.
   * @param body the bytes that arrive
   * @param what for messages: `bundle menu`
   * @throws ApiError `conflict` while the name is being uploaded, `too_many_requests`, `bad_request` when the body broke
   *   off while it waited
   */
  async begin(name: string, body: Readable, what: string): Promise<Turn> {
    const deadline = performance.now() + this.#waitMs;
    // A body that has just broken off on the serial link shows that only in the next turn of the event loop.
    if (this.#open.has(name) || this.#open.size >= this.#limit) await nextTurn();
    for (;;) {
      const same = this.#open.get(name);
      const isFull = this.#open.size >= this.#limit;
      if (!same && !isFull) break;
      const before = same ?? [...this.#open.values()].find(isEnding);
      const left = deadline - performance.now();
      if (before && isEnding(before) && left > 0) {
        await withTimeout(before.ended, left).catch(() => undefined);
      } else {
        throw same
          ? new ApiError('conflict', `The ${what} is already being uploaded.`)
          : new ApiError('too_many_requests', `There are ${this.#limit} uploads already.`);
      }
    }
    if (body.readableAborted) throw brokenOff();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const turn: OpenTurn = {
      isStoring: false,
      body,
      ended,
      storing: () => {
        turn.isStoring = true;
      },
      end: () => {
        if (this.#open.get(name) === turn) this.#open.delete(name);
        resolve();
      },
    };
    this.#open.set(name, turn);
    return turn;
  }

  /**
   * Waits until an upload that is being stored has ended; one that is still received goes on.
   * @returns whether nothing is being stored under this name
   */
  async stored(name: string): Promise<boolean> {
    const turn = this.#open.get(name);
    if (turn?.isStoring) await withTimeout(turn.ended, this.#waitMs).catch(() => undefined);
    return this.#open.get(name)?.isStoring !== true;
  }

  /** Resolves when no upload is being stored. */
  async settled(): Promise<void> {
    await Promise.all(
      [...this.#open.values()].filter(({ isStoring }) => isStoring).map(({ ended }) => ended),
    );
  }
}

function isEnding({ isStoring, body }: OpenTurn): boolean {
  return isStoring || body.readableAborted;
}
