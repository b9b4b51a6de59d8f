import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '../base/logger.ts';
import { asset } from '../system/assets.ts';
import { createApp } from './app.ts';
import { serveUi } from './ui.ts';

function uiApp(isEnabled: () => boolean) {
  const app = createApp({ endpoints: [], routes: [], log: createLogger('silent') });
  serveUi(app, { isEnabled, read: asset });
  return app;
}

test('serves the page and every file that it loads', async () => {
  const app = uiApp(() => true);
  const page = await app.inject('/');
  assert.equal(page.statusCode, 200);
  assert.match(String(page.headers['content-type']), /^text\/html/);
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/);
  const loaded = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? '');
  assert.ok(loaded.includes('/ui/status.js') && loaded.includes('/api/v1/docs'));
  for (const address of loaded) {
    assert.match(address, /^(?:\/[a-z]|data:,$)/, 'an address on the device itself');
    if (address.startsWith('/ui/')) assert.equal((await app.inject(address)).statusCode, 200, address);
  }
  assert.doesNotMatch(
    page.body,
    /<(?:script|style)>| (?:style|on\w+)=/,
    'nothing inline: the policy forbids it',
  );
  await app.close();
});

test('is 404 as soon as it is disabled, and back when it is enabled', async () => {
  let enabled = true;
  const app = uiApp(() => enabled);
  const statuses = async () => {
    const answers = await Promise.all(
      ['/', '/ui/status.css', '/ui/status.js'].map((path) => app.inject(path)),
    );
    return answers.map((answer) => answer.statusCode);
  };
  assert.deepEqual(await statuses(), [200, 200, 200]);
  const post = await app.inject({ method: 'POST', url: '/' });
  assert.equal(post.statusCode, 405);
  assert.equal(post.headers.allow, 'GET, HEAD');
  const head = await app.inject({ method: 'HEAD', url: '/' });
  assert.deepEqual([head.statusCode, head.body], [200, '']);
  assert.equal(post.json().error.code, 'method_not_allowed');
  enabled = false;
  assert.equal((await app.inject({ method: 'POST', url: '/' })).statusCode, 404);
  assert.deepEqual(await statuses(), [404, 404, 404]);
  assert.equal((await app.inject('/')).json().error.code, 'not_found');
  enabled = true;
  assert.deepEqual(await statuses(), [200, 200, 200]);
  await app.close();
});
