/** Fetches pictures of the screen while somebody can see them. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { connection, type DisplayState } from '../app/device-state.ts';

/** Pause between two pictures, in ms: one costs the device a tenth of a second of a processor. */
const PAUSE_MS = 3000;
/** Pause after a change of what is shown: a page paints shortly after it has loaded. */
const PAINT_MS = 400;
const TIMEOUT_MS = 20_000;

/** How often pictures are needed. */
export interface Pace {
  /** The pause before the next picture, in ms. */
  readonly pauseMs: () => number;
  /** Calls `handler` when the present pause has become too long. @returns what ends that */
  readonly onShorter: (handler: () => void) => () => void;
}

const CALM: Pace = { pauseMs: () => PAUSE_MS, onShorter: () => () => undefined };

export interface ScreenPicture {
  /** Of the last picture, for an image element; undefined before the first one. */
  readonly address: string | undefined;
  /** Of the last picture, in pixels. */
  readonly width: number;
  readonly height: number;
  /** When it was taken, in ms of `performance.now()`. */
  readonly takenAt: number;
  /** The last try has failed. */
  readonly hasFailed: boolean;
}

const NONE: ScreenPicture = { address: undefined, width: 0, height: 0, takenAt: 0, hasFailed: false };

/**
 * The last picture, refreshed after each change of `state` and, while the page is visible, after each pause. One is taken
 * at a time.
 */
export function usePicture(state: DisplayState, pace = CALM): ScreenPicture {
  const [picture, setPicture] = useState(NONE);
  const last = useRef<string | undefined>(undefined);
  const isOnline = connection.link.value.phase === 'online';
  // A change of what is shown, and a reconnect, need a new picture.
  useEffect(() => {
    const stop = new AbortController();
    const take = async () => {
      try {
        const taken = await fetchPicture(stop.signal);
        if (last.current) URL.revokeObjectURL(last.current);
        last.current = taken.address;
        setPicture({ ...taken, takenAt: performance.now(), hasFailed: false });
      } catch {
        if (!stop.signal.aborted) setPicture((before) => ({ ...before, hasFailed: true }));
      }
    };
    void repeat(take, pace, stop.signal);
    return () => stop.abort();
  }, [state, isOnline, pace]);
  useEffect(() => () => last.current && URL.revokeObjectURL(last.current), []);
  return picture;
}

/** Takes pictures one after the other while the page is visible. */
async function repeat(take: () => Promise<void>, pace: Pace, signal: AbortSignal): Promise<void> {
  await pause(PAINT_MS, signal);
  while (!signal.aborted) {
    if (document.visibilityState === 'visible') await take();
    await pause(pace.pauseMs(), signal, pace.onShorter);
  }
}

/** A picture that is decoded already, so that it takes the place of the one before without a flash. */
async function fetchPicture(
  signal: AbortSignal,
): Promise<{ address: string; width: number; height: number }> {
  const bytes = await connection.client.download('/display/screenshot', { signal, timeoutMs: TIMEOUT_MS });
  const address = URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: 'image/png' }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    signal.throwIfAborted();
    return { address, width: image.naturalWidth, height: image.naturalHeight };
  } catch (error) {
    URL.revokeObjectURL(address);
    throw error;
  }
}

/** Resolves after `ms`, earlier when the page becomes visible, `signal` aborts, or what `onShorter` has got is called. */
async function pause(
  ms: number,
  signal: AbortSignal,
  onShorter: Pace['onShorter'] = CALM.onShorter,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const seen = () => {
    if (document.visibilityState === 'visible') resolve();
  };
  const timer = setTimeout(resolve, ms);
  const done = () => resolve();
  document.addEventListener('visibilitychange', seen);
  signal.addEventListener('abort', done);
  const stop = onShorter(done);
  await promise;
  stop();
  clearTimeout(timer);
  document.removeEventListener('visibilitychange', seen);
  signal.removeEventListener('abort', done);
}
