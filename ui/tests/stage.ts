/** The app in Chromium, with an agent from source and a browser for it that shows nothing. */
import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { buildUi, UI_IS_BUILT } from '../../ci/build-ui.ts';
import { type Client, createClient } from '../../client/client.ts';
import { httpTransport } from '../../client/http.ts';
import { FakePage } from '../../testing/fake-page.ts';
import { Gate } from '../../testing/gate.ts';
import { FULL_RUN } from '../../testing/long-runs.ts';
import { type RunningAgent, startAgent } from '../../testing/running-agent.ts';
import { AppBrowser, type OpenOptions } from './app-browser.ts';

const require = createRequire(import.meta.url);
const SCREENSHOTS = fileURLToPath(new URL('../../build/ui-screenshots/', import.meta.url));
/** What is looked at besides the whole views (looks.test.ts): the narrowest with long words, or everything in the full run. */
const isFull = process.env[FULL_RUN] !== undefined;
export const LANGUAGES = isFull ? ['en', 'de', 'fr', 'es'] : ['de'];
export const THEMES: readonly ('light' | 'dark')[] = isFull ? ['light', 'dark'] : ['dark'];
/** In px. */
export const WIDTHS = isFull ? [360, 768, 1440] : [360];
const PICTURE = { width: 1280, height: 720 };
/** What the screen of the device shows in the pictures. */
const SLIDE = `<!doctype html><style>
  body { margin: 0; height: 100vh; display: grid; place-content: center; gap: 24px; text-align: center;
    font: 40px system-ui; color: #fff; background: linear-gradient(135deg, #14324a, #1d6a6a); }
  b { font-size: 110px; letter-spacing: -3px; }
</style><b>Welcome</b><span>Reception is on the second floor</span>`;

export class Stage {
  readonly agent: RunningAgent;
  readonly gate: Gate;
  readonly page: FakePage;
  /** The device, by another way than the app. */
  readonly client: Client;
  readonly #browser: AppBrowser;

  private constructor(agent: RunningAgent, gate: Gate, page: FakePage, browser: AppBrowser) {
    this.agent = agent;
    this.gate = gate;
    this.page = page;
    this.client = createClient({ transport: httpTransport(agent.api) });
    this.#browser = browser;
  }

  /** @param start starts what is under test; the agent from source by default */
  static async create(start = startFromSource): Promise<Stage> {
    // `npm run test:unit` has built it once for all test files.
    if (process.env[UI_IS_BUILT] === undefined) await buildUi();
    const browser = await AppBrowser.launch();
    const agent = await start();
    const page = new FakePage(agent.folder, await browser.picture(SLIDE, PICTURE));
    const gate = await Gate.open(Number(new URL(agent.api).port));
    return new Stage(agent, gate, page, browser);
  }

  /** Opens the app behind the gate, or where `origin` says, and waits until it is connected. */
  async open(options: OpenOptions = {}): Promise<Page> {
    return await this.#browser.open({ origin: this.gate.origin, ...options });
  }

  /** Fails if a page has thrown, or broken the policy. */
  checkComplaints(): void {
    this.#browser.checkComplaints();
  }

  async close(): Promise<void> {
    this.page.close();
    await this.#browser.close();
    await this.gate.close();
    await this.agent.stop();
  }
}

function startFromSource(): Promise<RunningAgent> {
  return startAgent({ isQuiet: true, flags: ['--content-port', '0', '--listen-https', '127.0.0.1:0'] });
}

/** Fails if axe finds anything, of any severity. @param part selector of what is checked; the whole page by default */
export async function checkAccessibility(page: Page, where: string, part = 'html'): Promise<void> {
  // Not again in a page that has it: reading it takes about as long as a run.
  if (await page.evaluate('!("axe" in window)')) {
    await page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'));
  }
  // Without a description of what is in order.
  const only = "{ resultTypes: ['violations'] }";
  const found: string[] = await page.evaluate(`axe.run('${part}', ${only}).then(({ violations }) =>
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

/**
 * Fails if something that can be pressed is lower than 44 px, or a button narrower; links in a text may be. A checkbox is
 * pressed by its label.
 */
export async function checkTargets(page: Page, where: string): Promise<void> {
  const small: string[] =
    await page.evaluate(`[...document.querySelectorAll('button, select, textarea, summary, input:not(.hidden-text), a[class]:not(.skip)')]
    .map((one) => [one, (one.closest('label') ?? one).getBoundingClientRect()])
    .filter(([one, { width, height }]) => width > 0 && (height < 43.5 || (width < 43.5 && one.matches('button'))))
    .map(([one, { width, height }]) => one.outerHTML.slice(0, 100) + ' ' + width + '×' + height)`);
  assert.deepEqual(small, [], where);
}

/** Waits until a view shows its content, a failure or that there is nothing. */
export async function waitForView(page: Page): Promise<void> {
  await page.locator('.view').waitFor();
  // Not by a function, which the policy of the app forbids after its first call.
  await page.locator('.view .skeleton, .picture-none .spinner').first().waitFor({ state: 'detached' });
}

/** Writes a picture of the whole page to build/ui-screenshots. */
export async function savePicture(page: Page, name: string): Promise<void> {
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.evaluate('scrollTo(0, 0)');
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}
