/** The web app in Chromium, which shows no window. */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import type { Browser, BrowserContextOptions, Download, Page } from 'playwright-core';
import { openChromium } from '../../ci/test-browser.ts';

/** The browser and what it talks to share few processors with other tests. */
const TIMEOUT_MS = 60_000;

export interface OpenOptions {
  /** Where the app comes from. */
  origin?: string;
  path?: string;
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  language?: string;
  /** Whether pages may run scripts; they may by default. */
  scripts?: boolean;
  /** Of everything that the page waits for, in ms. */
  timeoutMs?: number;
  /** Prepares the page before it loads the app. */
  prepare?: (page: Page) => Promise<void>;
}

/** The bytes of a downloaded file. A shared browser gives no path of it. */
export async function contentOf(download: Download): Promise<Buffer> {
  return await buffer(await download.createReadStream());
}

export class AppBrowser {
  readonly #browser: Browser;
  /** What pages have reported that should not be: exceptions, violations of the policy. */
  readonly #complaints: string[] = [];

  static async launch(): Promise<AppBrowser> {
    return new AppBrowser(await openChromium());
  }

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Opens the app in a browser without memory of earlier visits, and waits until it is connected. */
  async open(options: OpenOptions & { origin: string }): Promise<Page> {
    const page = await this.visit(options);
    await page.locator('.brand-online').first().waitFor({ state: 'attached' });
    return page;
  }

  /** Opens any page, likewise without memory. */
  async visit({
    origin,
    path = '/',
    width = 1440,
    height = 900,
    theme = 'light',
    language = 'en',
    scripts = true,
    timeoutMs = TIMEOUT_MS,
    prepare,
  }: OpenOptions & { origin: string }): Promise<Page> {
    const options: BrowserContextOptions = {
      viewport: { width, height },
      colorScheme: theme,
      locale: language,
      javaScriptEnabled: scripts,
      reducedMotion: 'reduce',
    };
    const page = await this.#browser.newPage(options);
    page.setDefaultTimeout(timeoutMs);
    page.on('pageerror', (error) => this.#complaints.push(String(error)));
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted/i.test(message.text())) this.#complaints.push(message.text());
    });
    await prepare?.(page);
    await page.goto(origin + path);
    return page;
  }

  /** A page of the given HTML as PNG. @param viewport in px */
  async picture(html: string, viewport: { width: number; height: number }): Promise<Buffer> {
    const page = await this.#browser.newPage({ viewport });
    await page.setContent(html);
    const picture = await page.screenshot();
    await page.close();
    return picture;
  }

  /** Fails if a page has thrown, or broken the policy. */
  checkComplaints(): void {
    assert.deepEqual(this.#complaints, []);
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}
