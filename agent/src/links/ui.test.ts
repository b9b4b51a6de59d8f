import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../base/logger.ts';
import { createApp } from './app.ts';
import { createGuard } from './guard.ts';
import { serveUi } from './ui.ts';
import { WebApp, type WebAssets } from './web-app.ts';

const PAGE = '<!doctype html><title>Vitrine</title>';
const SCRIPT = '/ui/main-ABC.js';
const ASSETS: WebAssets = {
  paths: ['/', '/show', '/settings/raw'],
  index: '/ui/index.html',
  files: {
    '/ui/index.html': asset('index.html', 'text/html; charset=utf-8', { compressed: true }),
    [SCRIPT]: asset('main-ABC.js', 'text/javascript; charset=utf-8', { immutable: true, compressed: true }),
    '/favicon.ico': asset('favicon.ico', 'image/x-icon'),
    '/manifest.webmanifest': asset('manifest.webmanifest', 'application/manifest+json'),
  },
};
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'accept-encoding': 'gzip, deflate' };

function asset(file: string, type: string, given: { immutable?: boolean; compressed?: boolean } = {}) {
  return { file, type, hash: `hash-of-${file}`, immutable: false, compressed: false, ...given };
}

/** An app whose files contain their name. */
function uiApp(isEnabled: () => boolean = () => true) {
  const read = async (name: string) => Buffer.from(name === 'ui/app/index.html' ? PAGE : name);
  const webApp = new WebApp(ASSETS, { isEnabled, read });
  const guard = createGuard(() => ['vitrine']);
  const app = createApp({ endpoints: [], routes: [], log: createLogger('silent'), guard, webApp });
  serveUi(app, webApp, isEnabled);
  return app;
}

test('every view has the page, whatever its query, under a strict policy', async () => {
  const app = uiApp();
  for (const url of ['/', '/show', '/settings/raw', '/?at=1', '/show?unknown=%zz']) {
    const { statusCode, body, headers } = await app.inject(url);
    assert.deepEqual([statusCode, body, headers['cache-control']], [200, PAGE, 'no-cache'], url);
    const policy = String(headers['content-security-policy']);
    assert.match(
      policy,
      /^default-src 'none'; script-src 'self'; style-src 'self';.* require-trusted-types-for 'script'/,
    );
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.equal(headers['x-frame-options'], 'DENY');
  }
  await app.close();
});

test('files with a hash in their name never change, others are asked for again', async () => {
  const app = uiApp();
  const script = await app.inject(SCRIPT);
  assert.equal(script.headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.equal(script.headers['content-type'], 'text/javascript; charset=utf-8');
  const page = await app.inject('/');
  const etag = String(page.headers.etag);
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await app.inject({ url: '/', headers: { 'if-none-match': tag } });
    assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', etag], tag);
  }
  const other = await app.inject({ url: '/', headers: { 'if-none-match': '"other"' } });
  assert.equal(other.statusCode, 200);
  await app.close();
});

test('a file is sent in the best encoding that the browser accepts', async () => {
  const app = uiApp();
  const cases = [
    ['gzip, deflate', 'gzip', 'ui/app/main-ABC.js.gz'],
    ['gzip, deflate, BR', 'br', 'ui/app/main-ABC.js.br'],
    ['br;q=0, gzip;q=0.5', 'gzip', 'ui/app/main-ABC.js.gz'],
    ['gzip;q=0.0', undefined, 'ui/app/main-ABC.js'],
    ['', undefined, 'ui/app/main-ABC.js'],
  ] as const;
  const tags = new Set<unknown>();
  for (const [accepted, encoding, file] of cases) {
    const answer = await app.inject({ url: SCRIPT, headers: { 'accept-encoding': accepted } });
    assert.deepEqual([answer.headers['content-encoding'], answer.body], [encoding, file], accepted);
    assert.equal(answer.headers.vary, 'accept-encoding');
    tags.add(answer.headers.etag);
  }
  assert.equal(tags.size, 3, 'one tag for each encoding');
  const icon = await app.inject({ url: '/favicon.ico', headers: { 'accept-encoding': 'br' } });
  assert.deepEqual([icon.headers['content-encoding'], icon.headers.vary], [undefined, undefined]);
  await app.close();
});

test('HEAD has the headers only; other methods are refused', async () => {
  const app = uiApp();
  for (const url of ['/', '/show', SCRIPT, '/favicon.ico']) {
    const head = await app.inject({ method: 'HEAD', url });
    assert.deepEqual([head.statusCode, head.body], [200, ''], url);
    const post = await app.inject({ method: 'POST', url, headers: BROWSER });
    assert.deepEqual([post.statusCode, post.headers.allow], [405, 'GET, HEAD'], url);
  }
  const unknown = await app.inject({ method: 'POST', url: '/ui/unknown.js' });
  assert.equal(unknown.statusCode, 404);
  await app.close();
});

test('a person at an unknown path gets the page with 404, everybody else JSON', async () => {
  const app = uiApp();
  for (const url of ['/nothing', '/show/', '/settings', '/Show']) {
    const page = await app.inject({ url, headers: BROWSER });
    assert.deepEqual([page.statusCode, page.headers.etag], [404, undefined], url);
    assert.equal(page.body, 'ui/app/index.html.gz');
    assert.ok(page.headers['content-security-policy']);
    assert.equal((await app.inject(url)).json().error.code, 'not_found', url);
  }
  for (const url of ['/api/v1/nothing', '/api/v1', '/api/x', '/ui/nothing.js', '/ui/']) {
    const answer = await app.inject({ url, headers: BROWSER });
    assert.deepEqual([answer.statusCode, answer.json().error.code], [404, 'not_found'], url);
  }
  const post = await app.inject({ method: 'POST', url: '/nothing', headers: BROWSER });
  assert.equal(post.json().error.code, 'not_found');
  await app.close();
});

test('names of files cannot leave the folder of the app', async () => {
  const app = uiApp();
  for (const url of ['/ui/..%2Fdocs.html', '/ui/__proto__', '/ui/constructor', '/ui/%2e%2e/index.html']) {
    assert.equal((await app.inject(url)).statusCode, 404, url);
  }
  await app.close();
});

test('pages of other sites get neither the page nor its files; a link to it works', async () => {
  const app = uiApp();
  const elsewhere = {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'no-cors',
    'sec-fetch-dest': 'script',
  };
  for (const url of ['/', SCRIPT, '/nothing']) {
    const answer = await app.inject({ url, headers: { ...BROWSER, ...elsewhere } });
    assert.equal(answer.json().error.code, 'forbidden', url);
  }
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  assert.equal((await app.inject({ url: '/', headers: { ...BROWSER, ...link } })).statusCode, 200);
  await app.close();
});

test('all of it is 404 as JSON as soon as it is disabled, and back when it is enabled', async () => {
  let enabled = true;
  const app = uiApp(() => enabled);
  const urls = ['/', '/show', SCRIPT, '/favicon.ico', '/nothing'];
  const answers = async (method: 'GET' | 'POST') =>
    await Promise.all(urls.map((url) => app.inject({ method, url, headers: BROWSER })));
  const statuses = async () => (await answers('GET')).map(({ statusCode }) => statusCode);
  assert.deepEqual(await statuses(), [200, 200, 200, 200, 404]);
  enabled = false;
  for (const answer of [...(await answers('GET')), ...(await answers('POST'))]) {
    assert.deepEqual([answer.statusCode, answer.json().error.code], [404, 'not_found']);
  }
  enabled = true;
  assert.deepEqual(await statuses(), [200, 200, 200, 200, 404]);
  await app.close();
});

test('an app that was not built says how to build it', async () => {
  const missing = async () => Promise.reject(new Error('missing'));
  const webApp = await WebApp.open({ isEnabled: () => true, read: missing });
  assert.equal(webApp, undefined);
  const app = createApp({ endpoints: [], routes: [], log: createLogger('silent') });
  serveUi(app, webApp, () => true);
  const answer = await app.inject({ url: '/', headers: BROWSER });
  assert.deepEqual([answer.statusCode, answer.json().error.code], [503, 'unavailable']);
  await app.close();
});
