import type { Logger } from '../../base/logger.ts';
import { Mutex } from '../../base/mutex.ts';
import { errorMessage } from '../../base/system-error.ts';
import type { BrowserConfig } from './config.ts';
import type { Browser, DisplayPorts, KeyboardSettings } from './ports.ts';

export interface OnScreenKeyboardOptions extends Pick<DisplayPorts, 'inputKinds'> {
  browser: Pick<Browser, 'connected' | 'keyboard' | 'on'>;
  config: () => Pick<BrowserConfig, 'on_screen_keyboard' | 'keyboard_layouts'>;
  log: Pick<Logger, 'warn'>;
  /** How often the input devices are read in mode `auto`, in ms. */
  checkEveryMs?: number;
}

/** Tells the browser whether it has an on-screen keyboard, and with which layouts. */
export class OnScreenKeyboard {
  readonly #options: OnScreenKeyboardOptions;
  /** Keeps the order of changes. */
  readonly #applying = new Mutex();
  /** What this browser was told last, as JSON. */
  #told = '';
  #timer: NodeJS.Timeout | undefined;
  #stopListening = (): void => undefined;

  constructor(options: OnScreenKeyboardOptions) {
    this.#options = options;
  }

  start(): void {
    const { browser, checkEveryMs = 2000, config } = this.#options;
    this.#stopListening = browser.on(['connected'], () => {
      this.#told = '';
      this.#update();
    });
    this.#timer = setInterval(() => {
      if (config().on_screen_keyboard === 'auto') this.#update();
    }, checkEveryMs).unref();
    this.#update();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#stopListening();
  }

  /** Does nothing without a browser: it is told when it connects. @throws Error when the browser did not take it */
  apply(): Promise<void> {
    return this.#applying.run(() => this.#apply());
  }

  async #apply(): Promise<void> {
    const settings = await this.#settings();
    const text = JSON.stringify(settings);
    if (!this.#options.browser.connected || text === this.#told) return;
    this.#told = text;
    await this.#options.browser.keyboard(settings).catch((error: unknown) => {
      this.#told = '';
      throw error;
    });
  }

  #update(): void {
    this.apply().catch((error: unknown) => {
      this.#options.log.warn({ reason: errorMessage(error) }, 'the on-screen keyboard could not be set');
    });
  }

  async #settings(): Promise<KeyboardSettings> {
    const { on_screen_keyboard: mode, keyboard_layouts: layouts } = this.#options.config();
    if (mode !== 'auto') return { enabled: mode === 'on', layouts };
    const { touch, keyboard } = await this.#options.inputKinds();
    return { enabled: touch && !keyboard, layouts };
  }
}
