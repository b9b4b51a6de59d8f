import type { Logger } from '../../base/logger.ts';
import { errorMessage } from '../../base/system-error.ts';
import type { Browser } from './ports.ts';

export interface ScreenNoticeOptions {
  browser: Pick<Browser, 'connected' | 'notice' | 'on'>;
  log: Pick<Logger, 'warn'>;
}

/** A text that the browser shows above the page. The browser removes it by itself when the agent goes. */
export class ScreenNotice {
  readonly #options: ScreenNoticeOptions;
  #text: string | null = null;
  #stopListening = (): void => undefined;

  constructor(options: ScreenNoticeOptions) {
    this.#options = options;
  }

  start(): void {
    this.#stopListening = this.#options.browser.on(['connected'], () => {
      if (this.#text !== null) this.#send();
    });
  }

  stop(): void {
    this.#stopListening();
  }

  /**
   * Replaces the text; a browser that connects later shows it, too.
   * @param text at most 200 characters, shown in one or two lines; undefined removes it
   */
  show(text: string | undefined): void {
    const wanted = text ?? null;
    if (wanted === this.#text) return;
    this.#text = wanted;
    if (this.#options.browser.connected) this.#send();
  }

  /** The browser takes commands in their order, so the last text counts. */
  #send(): void {
    this.#options.browser.notice(this.#text).catch((error: unknown) => {
      this.#options.log.warn({ reason: errorMessage(error) }, 'the browser did not take a notice');
    });
  }
}
