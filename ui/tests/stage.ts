/** The app in Debian's Chromium, with an agent from source and a browser for it that shows nothing. */
import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { buildUi } from '../../ci/build-ui.ts';
import { type Client, createClient } from '../../client/client.ts';
import { httpTransport } from '../../client/http.ts';
import { type RunningAgent, startAgent } from '../../testing/running-agent.ts';
import { FakePage } from './fake-page.ts';
import { Gate } from './gate.ts';

const require = createRequire(import.meta.url);
const SCREENSHOTS = fileURLToPath(new URL('../../build/ui-screenshots/', import.meta.url));
/** Chromium, axe and the agent share few processors with other tests. */
const TIMEOUT_MS = 60_000;
const PICTURE = { width: 1280, height: 720 };
/** What the screen of the device shows in the pictures. */
const SLIDE = `<!doctype html><style>
  body { margin: 0; height: 100vh; display: grid; place-content: center; gap: 24px; text-align: center;
    font: 40px system-ui; color: #fff; background: linear-gradient(135deg, #14324a, #1d6a6a); }
  b { font-size: 110px; letter-spacing: -3px; }
</style><b>Welcome</b><span>Reception is on the second floor</span>`;

export interface OpenOptions {
  path?: string;
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  language?: string;
}

export class Stage {
  readonly agent: RunningAgent;
  readonly gate: Gate;
  readonly page: FakePage;
  /** The device, by another way than the app. */
  readonly client: Client;
  readonly #chromium: Browser;
  /** What pages have reported that should not be: exceptions, violations of the policy. */
  readonly #complaints: string[] = [];

  private constructor(agent: RunningAgent, gate: Gate, page: FakePage, browser: Browser) {
    this.agent = agent;
    this.gate = gate;
    this.page = page;
    this.client = createClient({ transport: httpTransport(agent.api) });
    this.#chromium = browser;
  }

  static async create(): Promise<Stage> {
    await buildUi();
    const [agent, browser] = await Promise.all([
      startAgent({ isQuiet: true, flags: ['--content-port', '0'] }),
      // Chromium has no sandbox for root.
      chromium.launch({ executablePath: '/usr/bin/chromium', chromiumSandbox: process.getuid?.() !== 0 }),
    ]);
    const slide = await browser.newPage({ viewport: PICTURE });
    await slide.setContent(SLIDE);
    const page = new FakePage(agent.folder, await slide.screenshot());
    await slide.close();
    const gate = await Gate.open(Number(new URL(agent.api).port));
    return new Stage(agent, gate, page, browser);
  }

  /** Opens the app in a browser without memory of earlier visits, and waits until it is connected. */
  async open({ path = '/', width = 1440, height = 900, theme = 'light', language = 'en' }: OpenOptions = {}) {
    const options: BrowserContextOptions = {
      viewport: { width, height },
      colorScheme: theme,
      locale: language,
      reducedMotion: 'reduce',
    };
    const page = await this.#chromium.newPage(options);
    page.setDefaultTimeout(TIMEOUT_MS);
    page.on('pageerror', (error) => this.#complaints.push(String(error)));
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted/i.test(message.text())) this.#complaints.push(message.text());
    });
    await page.goto(this.gate.origin + path);
    await page.locator('.brand-online').first().waitFor({ state: 'attached' });
    return page;
  }

  /** Fails if a page has thrown, or broken the policy. */
  checkComplaints(): void {
    assert.deepEqual(this.#complaints, []);
  }

  async close(): Promise<void> {
    this.page.close();
    await this.#chromium.close();
    await this.gate.close();
    await this.agent.stop();
  }
}

/** Fails if axe finds anything, of any severity. */
export async function checkAccessibility(page: Page, where: string): Promise<void> {
  await page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const found: string[] = await page.evaluate(`axe.run().then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`);
  assert.deepEqual(found, [], where);
}

/** Fails if the page is wider than the window, or a text is cut off. */
export async function checkWidth(page: Page, where: string): Promise<void> {
  const wide: string[] = await page.evaluate(`[...document.querySelectorAll('body, body *')]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 0.5 && !one.closest('.hidden-text'))
    .map((one) => one.outerHTML.slice(0, 150))`);
  assert.deepEqual(wide, [], where);
  assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), where);
}

/** Fails if something that can be pressed is lower than 44 px, or a button narrower; links in a text may be. */
export async function checkTargets(page: Page, where: string): Promise<void> {
  const small: string[] =
    await page.evaluate(`[...document.querySelectorAll('button, select, input, a[class]:not(.skip)')]
    .map((one) => [one, one.getBoundingClientRect()])
    .filter(([one, { width, height }]) => width > 0 && (height < 43.5 || (width < 43.5 && one.matches('button'))))
    .map(([one, { width, height }]) => one.outerHTML.slice(0, 100) + ' ' + width + '×' + height)`);
  assert.deepEqual(small, [], where);
}

/** Writes a picture of the whole page to build/ui-screenshots. */
export async function savePicture(page: Page, name: string): Promise<void> {
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.evaluate('scrollTo(0, 0)');
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}
