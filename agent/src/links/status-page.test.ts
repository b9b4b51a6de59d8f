/** What the script of the status page asks the agent for. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { type RunningAgent, startAgent } from '../../../testing/running-agent.ts';
import { waitFor } from '../../../testing/wait.ts';
import { asset } from '../system/assets.ts';

let agent: RunningAgent;
before(async () => {
  agent = await startAgent();
});
after(() => agent.stop());

/** An element of the page, as far as the script uses it. */
class Element {
  id = '';
  textContent = '';
  hidden = false;
  width = 0;
  height = 0;
  drawn = 0;
  replaceChildren(): void {}
  replaceWith(): void {}
  getContext() {
    const drawImage = () => {
      this.drawn += 1;
    };
    return { drawImage };
  }
}

/**
 * Runs the script.
 * @param screenshot answers for a screen, which a computer without one does not have
 */
async function open(screenshot?: () => Response) {
  const origin = new URL(agent.api).origin;
  const [html, script] = await Promise.all(['ui/status/index.html', 'ui/status/status.js'].map(asset));
  const parts = new Map<string, Element>();
  for (const [, id = ''] of String(html).matchAll(/ id="([^"]+)"/g)) parts.set(id, new Element());
  const asked: string[] = [];
  const refused: string[] = [];
  const request = async (path: string, options?: RequestInit): Promise<Response> => {
    asked.push(path);
    const answer = await fetch(origin + path, options);
    if (answer.status >= 400 && answer.status !== 503) refused.push(`${path}: ${answer.status}`);
    return screenshot && path.endsWith('/screenshot') ? screenshot() : answer;
  };
  class Image extends Element {
    // An image is requested as soon as it has an address.
    set src(address: string) {
      void request(address);
    }
  }
  const sockets: WebSocket[] = [];
  class Socket extends WebSocket {
    constructor(address: string) {
      super(address);
      sockets.push(this);
    }
  }
  let isOpen = true;
  runInNewContext(String(script), {
    document: {
      title: '',
      getElementById: (id: string) => parts.get(id) ?? assert.fail(`the page has no element ${id}`),
      createElement: () => new Element(),
    },
    location: { origin },
    fetch: request,
    Image,
    WebSocket: Socket,
    AbortSignal,
    createImageBitmap: async () => ({ width: 3, height: 2, close: () => undefined }),
    setTimeout: (work: (argument: unknown) => void, ms: number, argument: unknown) =>
      setTimeout(() => isOpen && work(argument), ms).unref(),
  });
  const close = () => {
    isOpen = false;
    for (const socket of sockets) socket.close();
  };
  return { asked, refused, part: (id: string) => parts.get(id) ?? assert.fail(id), close };
}

const hasAskedForPicture = (asked: readonly string[]) => asked.some((path) => path.includes('screenshot'));
const SOON = { timeoutMs: 30_000, intervalMs: 10 };

test('the agent accepts every request of the page, that for the screenshot too', async (t) => {
  const page = await open();
  t.after(page.close);
  await waitFor(() => page.part('link').textContent === 'connected', { ...SOON, what: 'the socket' });
  await waitFor(() => hasAskedForPicture(page.asked), { ...SOON, what: 'the screenshot to be asked for' });
  await waitFor(() => page.part('uptime').textContent !== '', { ...SOON, what: 'the health to be shown' });
  assert.deepEqual(page.refused, []);
  assert.equal(page.part('picture').drawn, 0);
});

test('the screenshot is drawn', async (t) => {
  const page = await open(
    () => new Response(new Uint8Array(8), { headers: { 'content-type': 'image/png' } }),
  );
  t.after(page.close);
  await waitFor(() => page.part('picture').drawn > 0, { ...SOON, what: 'the picture' });
  const { width, height, hidden } = page.part('picture');
  assert.deepEqual([width, height, hidden], [3, 2, false]);
  assert.deepEqual(page.refused, []);
});
