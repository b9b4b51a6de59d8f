/** Pages with the shims, and a fake agent, in Chromium, of which they have no own interfaces to peripherals. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Interface, PageDevice } from '../../agent/src/resources/peripherals/page-protocol.ts';
import { ROOT } from '../lib/places.ts';
import { openChromium } from '../test-browser.ts';
import { installFakeAgent } from './fake-agent.ts';

const TIMEOUT_MS = 60_000;

/** Chromium's own classes, by name, and the accessors of `navigator`. */
export interface NativeInterfaces {
  classes: Record<string, unknown>;
  accessors: Record<string, PropertyDescriptor | undefined>;
}

declare global {
  interface Window {
    native: NativeInterfaces;
  }
}

/** Runs in a page: takes Chromium's interfaces away, and keeps them in `window.native`. */
function removeNative(): void {
  window.native = { classes: {}, accessors: {} };
  for (const name of Object.getOwnPropertyNames(window)) {
    if (!/^(HID|Serial|USB)/.test(name)) continue;
    window.native.classes[name] = Reflect.get(window, name);
    Reflect.deleteProperty(window, name);
  }
  for (const name of ['hid', 'serial', 'usb']) {
    window.native.accessors[name] = Object.getOwnPropertyDescriptor(Navigator.prototype, name);
    Reflect.deleteProperty(Navigator.prototype, name);
  }
}

export class PeripheralStage {
  readonly #browser: Browser;
  readonly #server: Server;
  readonly #script: string;

  static async launch(): Promise<PeripheralStage> {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>page</title>');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const script = await readFile(join(ROOT, 'agent/page/peripherals.js'), 'utf8');
    return new PeripheralStage(await openChromium(), server, script);
  }

  private constructor(browser: Browser, server: Server, script: string) {
    this.#browser = browser;
    this.#server = server;
    this.#script = script;
  }

  /**
   * A page that has these interfaces, and a fake agent as `window.agent`. It closes with the stage.
   * @param isTimed whether `page.clock` can let time pass
   */
  async page(interfaces: readonly Interface[] = ['hid', 'serial', 'usb'], isTimed = false): Promise<Page> {
    const page = await this.#browser.newPage();
    if (isTimed) await page.clock.install();
    await page.addInitScript({ content: `(${installFakeAgent})();${this.#shims(interfaces)}` });
    return await this.#visit(page);
  }

  /** A page with all interfaces, and the fake agent in a world of its own, as in the image. */
  async isolatedPage(devices: readonly PageDevice[]): Promise<Page> {
    const page = await this.#browser.newPage();
    const session = await page.context().newCDPSession(page);
    await session.send('Page.enable');
    await session.send('Page.addScriptToEvaluateOnNewDocument', {
      source: `(${installFakeAgent})();window.agent.devices = ${JSON.stringify(devices)};`,
      worldName: 'device',
    });
    await page.addInitScript({ content: this.#shims(['hid', 'serial', 'usb']) });
    return await this.#visit(page);
  }

  #shims(interfaces: readonly Interface[]): string {
    return `(${removeNative})();(() => { const vitrineInterfaces = ${JSON.stringify(interfaces)};\n${this.#script}\n})();`;
  }

  async #visit(page: Page): Promise<Page> {
    const address = this.#server.address();
    if (typeof address !== 'object' || address === null) throw new Error('The server has no port.');
    page.setDefaultTimeout(TIMEOUT_MS);
    // Chromium has the interfaces in secure contexts.
    await page.goto(`http://localhost:${address.port}/`);
    return page;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    this.#server.close();
  }
}
