import type { Browser, BrowserSettings } from './ports.ts';

/** Gives the browser its settings when it connects and when they change, and restarts it if that is necessary. */
export class SettingsSender {
  readonly #browser: Pick<Browser, 'configure' | 'connected'>;
  readonly #settings: () => BrowserSettings;
  readonly #restart: () => void;
  /** As JSON, what the browser has or is about to get; undefined before the first settings of a connection. */
  #sent: string | undefined;

  /** @param restart ends the browser, so that another one connects */
  constructor(
    browser: Pick<Browser, 'configure' | 'connected'>,
    settings: () => BrowserSettings,
    restart: () => void,
  ) {
    this.#browser = browser;
    this.#settings = settings;
    this.#restart = restart;
  }

  /** A browser has connected. It gets nothing before `send`. */
  connected(): void {
    this.#sent = undefined;
  }

  /** Sends the present settings. A browser that has run since before a change is restarted. */
  async send(): Promise<void> {
    const settings = this.#settings();
    const text = JSON.stringify(settings);
    this.#sent = text;
    try {
      if (await this.#browser.configure(settings)) this.#restart();
    } catch (error) {
      if (this.#sent === text) this.#sent = ''; // the next change sends them again, also the same ones
      throw error;
    }
  }

  /** Sends the settings if they have changed; several changes at a time lead to one restart. */
  async changed(): Promise<void> {
    if (!this.#browser.connected || this.#sent === undefined) return; // they are sent soon
    if (this.#sent !== JSON.stringify(this.#settings())) await this.send();
  }
}
