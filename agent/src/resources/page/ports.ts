import type { Static } from 'typebox';
import type { PageConsoleMessage } from './schema.ts';

/** What the browser reports about the displayed page's channel (browser/PROTOCOL.md). */
export type PageEvent =
  | {
      event: 'channel';
      /** Names this opening of the channel; never used again by this browser process. */
      channel: number;
      open: boolean;
      origin: string;
    }
  | {
      event: 'message';
      channel: number;
      /** Of the committed URI, as the browser knows it: `https://example.com`. */
      origin: string;
      /** JSON without a line end. */
      data: string;
    };

/** An exception of a script, or a script that cannot be read. */
export interface ScriptException {
  message: string;
  /** In the script, from 1; null when the exception comes from the page's own code or has no position. */
  line: number | null;
  column: number | null;
}

export type ScriptResult = { value: unknown } | { exception: ScriptException };

/**
 * Why a call to the browser failed. `interrupted`: the page was left or crashed before the
 * script ended. `busy`: too many calls are waiting for the page. `broken`: the answer is incomplete or not JSON.
 */
export type PageFailure =
  | 'timeout'
  | 'disconnected'
  | 'refused'
  | 'broken'
  | 'busy'
  | 'too_large'
  | 'interrupted'
  | 'no_page'
  | 'channel_closed';

/** The browser's end of the channel. */
export interface PageBrowser {
  /** Calls `listener` with every event of these kinds until the returned function is called. */
  on(kinds: readonly PageEvent['event'][], listener: (event: PageEvent) => void): () => void;
  /**
   * Sends a message to the page; resolves when the page's listeners have run. Messages arrive in order; 16 may wait.
   * Rejects with the `code` of a {@link PageFailure}.
   * @param data JSON of 1 MiB at most
   */
  send(channel: number, data: string): Promise<void>;
  /**
   * Lets the page send messages of this size more ({@link messageSize}), 64 at a time at most. A channel opens without
   * any credit.
   */
  credit(channel: number, size: number): void;
}

const UNIT_BYTES = 64 * 1024;

/** What a message of the page counts: 1, and 1 more for each 64 KiB of JSON. */
export function messageSize(data: string): number {
  return 1 + Math.floor(Buffer.byteLength(data) / UNIT_BYTES);
}

/** A message of the displayed page's console. The page may say anything in it. */
export type ConsoleMessage = Static<typeof PageConsoleMessage>;

/** Reports the page's console. */
export interface PageConsoleSource {
  /** Calls `listener`, the only one, until the returned function is called; without it, nothing is collected. */
  followConsole(listener: (message: ConsoleMessage) => void): () => void;
}

/** What pages may load under `vitrine:`. */
export interface PageAsset {
  contentType: string;
  /** Changes with the bytes. */
  version: string;
  read(): Promise<Buffer>;
}

/** Gives pages what they load under `vitrine:`. */
export interface PageAssetServer {
  /** @param find gets the URI; any page may ask for any */
  serveAssets(find: (uri: string) => PageAsset | undefined): void;
}
