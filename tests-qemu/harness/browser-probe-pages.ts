/** The pages of the browser's probe, and their server. */
import { createServer, type Server } from 'node:http';

const STRICT = { 'content-security-policy': "default-src 'none'; require-trusted-types-for 'script'" };
/** Everything that a script would use to write JSON or to wait is replaced before any other script runs. */
const HOSTILE = `<script>
  const bad = () => { throw new Error('replaced'); };
  JSON.stringify = JSON.parse = String.prototype.slice = bad;
  Array.prototype.map = Array.prototype.join = Function.prototype.apply = Function.prototype.call = bad;
  window.Promise = window.String = window.CustomEvent = window.TextEncoder = window.webkit = undefined;
  EventTarget.prototype.addEventListener = bad;
  try { __vitrineReport = bad; } catch {}
  try { Object.defineProperty(window, '__vitrineReport', { value: bad }); } catch {}
</script>`;
/** What the client library will do: keeps messages until the browser takes them. */
export const CLIENT = `<script>
  const got = [];
  let taken = 0;
  addEventListener('vitrine-message', (event) => got.push(JSON.parse(event.detail)));
  const take = (message) => !dispatchEvent(new CustomEvent('vitrine-send', { detail: JSON.stringify(message), cancelable: true }));
  const open = () => dispatchEvent(new CustomEvent('vitrine-open', { cancelable: true }));
</script>`;
const NOISE = `<canvas></canvas><script>
  const canvas = document.querySelector('canvas');
  canvas.style.cssText = 'position:fixed;inset:0';
  [canvas.width, canvas.height] = [innerWidth, innerHeight];
  const context = canvas.getContext('2d');
  const image = context.createImageData(innerWidth, innerHeight);
  for (let i = 0; i < image.data.length; i++) image.data[i] = i % 4 === 3 ? 255 : Math.random() * 256;
  context.putImageData(image, 0, 0);
</script>`;

interface Page {
  html: string;
  headers?: Record<string, string>;
}
/** More than libsoup reads to guess the type before it passes anything on. */
const PADDING = `<!--${'-'.repeat(4096)}-->`;

const PAGES: Record<string, Page> = {
  '/plain': { html: CLIENT },
  '/strict': { html: '<p>strict', headers: STRICT },
  '/hostile': { html: HOSTILE },
  '/sandboxed': { html: CLIENT, headers: { 'content-security-policy': 'sandbox allow-scripts' } },
  '/framed': { html: `${CLIENT}<iframe src="http://localhost:PORT/frame"></iframe>` },
  '/frame': {
    html: `${CLIENT}<script>open(); onload = () => parent.postMessage([take({ forged: true }), typeof webkit], '*');</script>`,
  },
  '/parts': {
    html: `<script>parent.postMessage(typeof device + ' ' + dispatchEvent(new CustomEvent('vitrine-devices-open', { cancelable: true })), '*');</script>`,
  },
  '/noise': { html: NOISE },
  '/slow': { html: PADDING },
};

/** Serves the pages on a free port. `/slow` is complete after a request for `/release`. */
export async function servePages(): Promise<{ server: Server; origin: string }> {
  const unfinished: (() => void)[] = [];
  const server = createServer(({ url = '', headers: { host = '' } }, response) => {
    if (url === '/release') for (const finish of unfinished.splice(0)) finish();
    const { html, headers } = PAGES[url.replace(/\?.*/, '')] ?? { html: '' };
    response.writeHead(200, { 'content-type': 'text/html', ...headers });
    response.write(
      `<!doctype html><title>${url}</title>${html.replaceAll('PORT', host.split(':')[1] ?? '')}`,
    );
    if (url === '/slow') unfinished.push(() => response.end());
    else response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the page server does not listen');
  return { server, origin: `http://127.0.0.1:${address.port}` };
}
