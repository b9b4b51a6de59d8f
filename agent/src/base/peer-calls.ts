import { withTimeout } from './timeout.ts';

/** A call to a peer failed. */
export class PeerError extends Error {
  /** `timeout`, `busy`, `too_large`, `disconnected`, or a code of the peer's protocol. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'PeerError';
    this.code = code;
  }
}

interface Waiting<A> extends PromiseWithResolvers<A> {
  command: string;
}

/** Calls that wait for their answers. @typeParam A an answer */
export class PeerCalls<A> {
  readonly #peer: string;
  readonly #max: number;
  readonly #waiting = new Map<number, Waiting<A>>();
  #lastId = 0;

  /** @param peer its name, for errors @param max calls without an answer: a peer that answers none of so many gets no more */
  constructor(peer: string, max: number) {
    this.#peer = peer;
    this.#max = max;
  }

  /** The number of the last call, on any connection. */
  get lastId(): number {
    return this.#lastId;
  }

  get isFull(): boolean {
    return this.#waiting.size >= this.#max;
  }

  /** Whether a call waits for its answer. */
  isWaiting(id: number): boolean {
    return this.#waiting.has(id);
  }

  /** Whether a call of this command waits for its answer. */
  isExpected(command: string): boolean {
    for (const each of this.#waiting.values()) if (each.command === command) return true;
    return false;
  }

  /** The number of the next call; never used twice. */
  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /**
   * The answer to a call.
   * @param command its name, for the error
   * @throws PeerError when the peer disconnects or is too slow, and the error that it was rejected with
   */
  async answer(id: number, command: string, timeoutMs: number): Promise<A> {
    const waiting = Promise.withResolvers<A>();
    this.#waiting.set(id, { ...waiting, command });
    const late = () =>
      new PeerError('timeout', `the ${this.#peer} did not answer ${command} in ${timeoutMs} ms`);
    try {
      return await withTimeout(waiting.promise, timeoutMs, late);
    } finally {
      this.#waiting.delete(id);
    }
  }

  /** Settles the call that this answers. An answer that comes too late is ignored. */
  resolve(id: number, answer: A): void {
    this.#waiting.get(id)?.resolve(answer);
  }

  /** Fails a call: the peer refused it. */
  reject(id: number, error: PeerError): void {
    this.#waiting.get(id)?.reject(error);
  }

  /** Fails all calls: the connection is gone. */
  disconnect(): void {
    const error = new PeerError('disconnected', `the ${this.#peer} disconnected`);
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}
