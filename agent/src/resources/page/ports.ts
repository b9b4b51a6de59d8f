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
      message: unknown;
    };

export type PageEventKind = PageEvent['event'];

/** An exception of a script, or a script that cannot be read. */
export interface ScriptException {
  message: string;
  /** In the script, from 1; null when the exception comes from the page's own code or has no position. */
  line: number | null;
  column: number | null;
}

export type ScriptResult = { value: unknown } | { exception: ScriptException };

/**
 * Why a call failed, as the `code` of the error it rejects with. `interrupted`: the page was left or crashed before the
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

/** The displayed page, reached through the browser. Calls reject with an Error whose `code` is a {@link PageFailure}. */
export interface PageBrowser {
  /** Calls `listener` with every event of these kinds until the returned function is called. */
  on<K extends PageEventKind>(
    kinds: readonly K[],
    listener: (event: Extract<PageEvent, { event: K }>) => void,
  ): () => void;
  /**
   * Runs a script in the page's top frame, with the page's own objects. Counts as a use of the page by a person.
   * @param body of an async function; its `return` gives the result, as JSON of 4 MiB at most (else `too_large`)
   * @param timeoutMs 600 000 at most; the script may go on after it
   */
  evaluate(body: string, timeoutMs: number): Promise<ScriptResult>;
  /**
   * Sends JSON of 1 MiB at most to the page; resolves when its listeners have run. Messages arrive in order; 16 may
   * wait, further ones are `busy`.
   */
  send(channel: number, message: unknown): Promise<void>;
  /**
   * Lets the page send this many more messages, 16 at a time at most. A channel has no credits when it opens and loses
   * them with the connection to the agent; without credits the page's messages wait in the page.
   */
  credit(channel: number, messages: number): void;
}
