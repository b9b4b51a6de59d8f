import type { Static } from 'typebox';
import { withTimeout } from '../../base/timeout.ts';
import type { PageFailure } from '../../resources/page/ports.ts';
import type { Answer } from './messages.ts';
import type { IssuedCalls } from './rules.ts';

/** Codes of the browser that callers tell apart; every other refusal is `refused`. */
const CODES = ['timeout', 'busy', 'too_large', 'interrupted', 'no_page', 'channel_closed'] as const;

/** The browser did not do what it was asked. */
export class BrowserError extends Error {
  readonly code: PageFailure;

  constructor(code: PageFailure, message: string) {
    super(message);
    this.name = 'BrowserError';
    this.code = code;
  }
}

type AnswerMessage = Static<typeof Answer>;

/** Commands without an answer: a browser that answers none of so many gets no more. */
const MAX_WAITING = 512;

interface Waiting extends PromiseWithResolvers<AnswerMessage> {
  command: string;
}

/** Commands that wait for their answers. */
export class BrowserCalls implements IssuedCalls {
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  get lastId(): number {
    return this.#lastId;
  }

  get isFull(): boolean {
    return this.#waiting.size >= MAX_WAITING;
  }

  isWaiting(id: number): boolean {
    return this.#waiting.has(id);
  }

  isExpected(command: string): boolean {
    for (const each of this.#waiting.values()) if (each.command === command) return true;
    return false;
  }

  /** The number of the next command; never used twice. */
  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /**
   * The answer to a command.
   * @param command its name, for the error
   * @throws BrowserError when the browser refuses, disconnects or is too slow
   */
  async answer(id: number, command: string, timeoutMs: number): Promise<AnswerMessage> {
    const waiting = Promise.withResolvers<AnswerMessage>();
    this.#waiting.set(id, { ...waiting, command });
    const late = () =>
      new BrowserError('timeout', `the browser did not answer ${command} in ${timeoutMs} ms`);
    try {
      return await withTimeout(waiting.promise, timeoutMs, late);
    } finally {
      this.#waiting.delete(id);
    }
  }

  /** Settles the command that this answers. An answer that comes too late is ignored. */
  settle(answer: AnswerMessage): void {
    const waiting = this.#waiting.get(answer.id);
    if (answer.ok) waiting?.resolve(answer);
    else {
      const code = CODES.find((known) => known === answer.code) ?? 'refused';
      waiting?.reject(new BrowserError(code, answer.message ?? 'the browser refused'));
    }
  }

  /** Fails all commands: the connection is gone. */
  disconnect(): void {
    const error = new BrowserError('disconnected', 'the browser disconnected');
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}
