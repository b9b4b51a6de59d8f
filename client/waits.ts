/** Waiting for what a request has begun. Uses nothing of Node. */
import { RequestError } from './client.ts';
import type { TopicName } from './contract.ts';
import type { EventHub } from './hub.ts';

/** Between two questions while no event says that something has changed, in ms. */
const POLL_MS = 2000;

/** What was waited for did not happen. */
export class WaitError extends Error {
  override name = 'WaitError';
  /** The code of the device's error, if that is the reason: `load_failed`, for example. */
  readonly code: string | undefined;
  /** Whether only the time was over: it may still happen. */
  readonly isTimeout: boolean;

  constructor(message: string, { code, isTimeout = false }: { code?: string; isTimeout?: boolean } = {}) {
    super(message);
    this.code = code;
    this.isTimeout = isTimeout;
  }
}

export interface WaitOptions {
  /** Then the wait fails with what is the case instead, in ms. */
  timeoutMs?: number;
  /** Ends the wait with the signal's reason. */
  signal?: AbortSignal;
}

interface Wait<T> {
  /** Events after which `check` may give another result. */
  topics: readonly TopicName[];
  /**
   * Asks the device.
   * @returns the result, or what is the case instead
   * @throws Error when the result cannot come any more
   */
  check(): Promise<{ done: T } | { instead: string }>;
  /** As it reads after "waited 30 s for". */
  what: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Whether the device starts again meanwhile: then an error answer is not the end either. */
  isRestarting?: boolean;
}

/** Asks again after each event, reconnection and pause, until there is a result. @throws WaitError */
export async function waitUntil<T>(hub: EventHub, wait: Wait<T>): Promise<T> {
  const { topics, check, what, timeoutMs, signal, isRestarting = false } = wait;
  const end = performance.now() + timeoutMs;
  let change = Promise.withResolvers<void>();
  const wake = (): void => change.resolve();
  const remove = hub.add({ topics, event: wake, connected: wake });
  signal?.addEventListener('abort', wake);
  try {
    for (;;) {
      signal?.throwIfAborted();
      let instead: string;
      try {
        const result = await check();
        if ('done' in result) return result.done;
        instead = result.instead;
      } catch (error) {
        if (error instanceof WaitError || (error instanceof RequestError && !isRestarting)) throw error;
        // Without an answer, it may come back.
        instead = `the device does not answer (${error instanceof Error ? error.message : String(error)})`;
      }
      const left = end - performance.now();
      if (left <= 0)
        throw new WaitError(`waited ${timeoutMs / 1000} s for ${what}: ${instead}`, { isTimeout: true });
      await pause(change.promise, Math.min(left, POLL_MS));
      change = Promise.withResolvers();
    }
  } finally {
    signal?.removeEventListener('abort', wake);
    remove();
  }
}

async function pause(change: Promise<void>, ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([change, promise]);
  clearTimeout(timer);
}
