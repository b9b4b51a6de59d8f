/**
 * Runs in the guest in place of the agent: does with the real browser what POST requests ask for, each with its argument
 * as JSON. `node browser-driver.mjs SOCKET PORT`
 */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { createLogger } from '../../agent/src/base/logger.ts';
import { BrowserSocket } from '../../agent/src/system/browser/socket.ts';
import { SETTINGS } from '../../testing/fake-browser.ts';
import { waitFor } from '../../testing/wait.ts';

const WAIT_MS = 60_000;
const SCRIPT_MS = 30_000;

const [path = '', port] = process.argv.slice(2);
const browser = new BrowserSocket(path, createLogger('info'));

/** Loads a document, and waits until it is on the screen. */
async function finished(load: { id: number; accepted: Promise<void> }): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = browser.on(['load'], (event) => {
    if (event.load === load.id && event.state === 'finished') resolve();
  });
  await load.accepted;
  await promise;
  stop();
}

const ACTIONS: Record<string, (argument: unknown) => Promise<unknown>> = {
  '/show': (url) => finished(browser.load(String(url))),
  '/reload': () => finished(browser.reload()),
  '/script': (body) => browser.evaluate(String(body), SCRIPT_MS),
  '/crash': () => browser.terminatePage(),
  '/keyboard': (enabled) => browser.keyboard({ enabled: enabled === true, layouts: [] }),
  '/notice': (notice) => browser.notice(notice === null ? null : String(notice)),
};

await browser.start();
await waitFor(() => browser.connected, { timeoutMs: WAIT_MS, what: 'the browser' });
await browser.configure(SETTINGS);
createServer(async (request, response) => {
  try {
    const argument: unknown = JSON.parse(await text(request));
    const result = await ACTIONS[request.url ?? '']?.(argument);
    response.end(JSON.stringify(result ?? null));
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}).listen(Number(port), '127.0.0.1');
