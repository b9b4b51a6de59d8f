import type { Browser, DisplayLog, Load, Notice, WaitingPage } from './ports.ts';

/** Under what the waiting page and the notices are loaded; no page can navigate there. */
export const OWN_URI = 'vitrine://waiting/';

/** Our own document, the waiting page or a notice, in the browser. */
export class OwnPage {
  readonly #browser: Browser;
  readonly #page: WaitingPage;
  readonly #log: DisplayLog;
  /** What it says while it is what the screen shows. */
  shown: string | undefined;

  constructor({ browser, page, log }: { browser: Browser; page: WaitingPage; log: DisplayLog }) {
    this.#browser = browser;
    this.#page = page;
    this.#log = log;
  }

  /** As it should be now; undefined when it cannot be read. */
  async render(notice: Notice | undefined): Promise<string | undefined> {
    try {
      return await this.#page.render(notice);
    } catch (error) {
      this.#log.warn({ err: error }, 'our own page cannot be drawn');
      return undefined;
    }
  }

  show(html: string): Load {
    this.shown = html;
    return this.#browser.loadHtml(html, OWN_URI);
  }
}
