import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { DisplayStage, TIMING } from '../../../../testing/display-stage.ts';
import type { FakeBrowser } from '../../../../testing/fake-browser.ts';
import { createLogger } from '../../base/logger.ts';
import { createApp } from '../../links/app.ts';
import type { Display, DisplayOptions } from './display.ts';
import { displayRoutes } from './routes.ts';
import type { DisplayState } from './schema.ts';

const URL_A = 'http://a.example/';
const log = createLogger('silent');

let stage: DisplayStage;
let browser: FakeBrowser;
let events: DisplayState[];

const make = (change: Partial<DisplayOptions> = {}): Display => stage.make(change);
const until = (what: string, condition: () => boolean) => stage.until(what, condition);
const shown = () => stage.shown();

beforeEach(() => {
  stage = new DisplayStage();
  ({ browser, events } = stage);
});
afterEach(() => stage.display.stop());

async function showing(url: string, change: Partial<DisplayOptions> = {}): Promise<void> {
  await make(change).start();
  browser.plug();
  await shown();
  stage.display.navigate(url);
  await until('the load', () => browser.count(`load ${url}`) === 1);
  await shown();
}

test('shows the waiting page first, and reports the outputs of the compositor', async () => {
  await make().start();
  assert.equal(stage.display.state().error?.code, 'browser_unavailable');
  browser.plug();
  await until('the resolution', () => stage.display.state().resolution === '1280x720@75');
  await shown();
  assert.deepEqual(stage.display.state(), {
    mode: 'waiting',
    screen_on: true,
    rotation: 0,
    resolution: '1280x720@75',
    loading: false,
    error: null,
  });
  assert.equal(browser.html, 'waiting');
  assert.deepEqual(await stage.display.listScreens(), [
    {
      id: 'Virtual-1',
      primary: true,
      connected: true,
      resolution: '1280x720@75',
      modes: ['1280x720@75', '800x600@60'],
      rotation: 0,
      make: 'RHT',
      model: 'QEMU Monitor',
    },
  ]);
});

test('a target requested without a browser is shown when one connects', async () => {
  await make().start();
  assert.equal(stage.display.navigate(URL_A).loading, true);
  const before = events.length;
  stage.display.navigate(URL_A);
  assert.equal(events.length, before + 1, 'every request sends an event');
  assert.equal(browser.count('load'), 0);
  browser.plug();
  await shown();
  assert.deepEqual(
    browser.calls.filter((call) => call.startsWith('load')),
    [`load ${URL_A}`],
  );
  assert.equal(stage.display.state().url, URL_A);
});

test('every navigate sends an event, also for the target that is already shown', async () => {
  await showing(URL_A);
  const before = events.length;
  stage.display.navigate(URL_A);
  assert.ok(events.length > before);
  assert.equal(events.at(-1)?.loading, true);
  await shown();
  assert.equal(events.at(-1)?.loading, false);
});

test('a page that crashes comes back, and events say so', async () => {
  await showing(URL_A);
  browser.emit({ event: 'page_gone', reason: 'crashed' });
  assert.equal(stage.display.state().error?.code, 'page_crashed');
  await until('the second load', () => browser.count('load') === 2);
  await shown();
  assert.ok(events.some((event) => event.error?.code === 'page_crashed' && event.url === URL_A));
  assert.equal(events.at(-1)?.error, null);
});

test('a page that keeps crashing gets a notice, a new browser, a new compositor, and more retries', async () => {
  await showing(URL_A);
  for (let round = 1; round <= 8; round += 1) {
    const loads = browser.count('load');
    browser.emit({ event: 'page_gone', reason: round % 2 ? 'crashed' : 'memory' });
    if (round === 4) {
      await until('quit', () => browser.count('quit') === 1);
      browser.unplug();
      browser.plug();
    }
    if (round === 6) {
      await until('the restart of the unit', () => stage.unitRestarts === 1);
      browser.unplug();
      browser.plug();
    }
    if (round >= 3) await until('the notice', () => browser.html.startsWith(`notice ${URL_A}`));
    await until(`load after crash ${round}`, () => browser.count('load') > loads);
    await shown();
  }
  assert.equal(stage.unitRestarts, 1);
  assert.equal(stage.display.state().url, URL_A);
});

test('a browser that ends comes back with the target, without a restart of its unit', async () => {
  await showing(URL_A);
  browser.unplug();
  assert.equal(events.at(-1)?.error?.code, 'browser_unavailable');
  assert.equal(events.at(-1)?.url, URL_A);
  browser.plug();
  await shown();
  assert.equal(browser.count('load'), 2);
  assert.equal(stage.unitRestarts, 0);
  assert.deepEqual(await stage.display.browserHealth(), {
    running: true,
    restarts: 1,
    pid: 43,
    rss_bytes: 300e6,
    rss_trend_bytes_per_h: null,
    web_processes: 2,
    web_process_limit: 5,
    memory_restarts: 0,
  });
});

test('the unit of a browser that stays away is restarted again and again', async () => {
  await make({ timing: { ...TIMING, awayMs: 5 } }).start();
  await until('three restarts', () => stage.unitRestarts >= 3);
});

test('a page that cannot be fetched is retried behind a notice', async () => {
  await make().start();
  browser.plug();
  await shown();
  browser.behaviour = 'fail';
  stage.display.navigate(URL_A);
  await until('the failure', () => stage.display.state().error?.code === 'load_failed');
  await until('the notice', () => browser.html === `notice ${URL_A} Connection refused`);
  await until('a second try', () => browser.count('load') >= 2);
  assert.equal(browser.count('html'), 2, 'the same notice is not loaded again');
  browser.behaviour = 'finish';
  await shown();
  assert.equal(stage.unitRestarts, 0);
});

test('a new target ends the retries of the old one', async () => {
  await make().start();
  browser.plug();
  await shown();
  browser.behaviour = 'fail';
  stage.display.navigate(URL_A);
  await until('the failure', () => stage.display.state().error !== null);
  browser.behaviour = 'finish';
  const tries = browser.count(`load ${URL_A}`);
  stage.display.navigate('http://b.example/');
  await shown();
  assert.equal(stage.display.state().url, 'http://b.example/');
  assert.equal(browser.count(`load ${URL_A}`), tries);
});

test('a page that hangs is terminated and loaded again', async () => {
  await showing(URL_A, { timing: { ...TIMING, pingEveryMs: 3 } });
  browser.answersPings = false;
  await until('the end of the page', () => browser.count('terminate') === 1);
  browser.answersPings = true;
  await until('the second load', () => browser.count('load') === 2);
  await shown();
  assert.ok(events.some((event) => event.error?.code === 'page_unresponsive'));
});

test('a browser that takes no commands gets its unit restarted', async () => {
  await showing(URL_A);
  browser.takesCommands = false;
  stage.display.navigate('http://b.example/');
  await until('the restart', () => stage.unitRestarts === 1);
});

test('late events of a load that was replaced change nothing', async () => {
  await showing(URL_A);
  browser.behaviour = 'hold';
  stage.display.navigate('http://b.example/');
  browser.emit({ event: 'load_failed', load: 2, uri: URL_A, kind: 'network', message: 'late' });
  browser.emit({ event: 'load', state: 'finished', load: 2, uri: URL_A });
  assert.equal(stage.display.state().loading, true);
  assert.equal(stage.display.state().error, null);
});

test("follows the page's own navigation, and keeps the target", async () => {
  await showing(URL_A);
  browser.emit({ event: 'load', state: 'started', load: 0, uri: 'http://a.example/2' });
  browser.emit({ event: 'load', state: 'committed', load: 0, uri: 'http://a.example/2' });
  browser.emit({ event: 'load', state: 'finished', load: 0, uri: 'http://a.example/2' });
  assert.equal(stage.display.state().url, 'http://a.example/2');
  stage.display.reload();
  await until('the reload in place', () => browser.count('reload') === 1);
  browser.unplug();
  browser.plug();
  await shown();
  assert.equal(stage.display.state().url, URL_A);
});

test('a restarted agent does not reload a page that is still on the screen', async () => {
  const store = { current: async () => ({ mode: 'url', url: 'http://a.example' }) as const };
  const change = { targetStore: { ...store, last: async () => undefined, save: async () => undefined } };
  await make(change).start();
  browser.plug(URL_A);
  await shown();
  assert.equal(browser.count('load'), 0);
  assert.equal(stage.display.state().url, 'http://a.example');
  await stage.display.firstFrame;
  // Also by a display that starts when the browser has already come back.
  stage.display.stop();
  await make(change).start();
  await shown();
  assert.equal(browser.count('load'), 0);
  await stage.display.firstFrame;
});

test('saves targets, for the next boot only when configured', async () => {
  await showing(URL_A);
  assert.deepEqual(stage.saved, [
    { target: { mode: 'waiting' }, lasting: false },
    { target: { mode: 'url', url: URL_A }, lasting: false },
  ]);
});

test('the waiting page is rendered again when its facts change', async () => {
  let text = 'one';
  await make({ renderPage: async () => text }).start();
  browser.plug();
  await shown();
  stage.display.waitingPageChanged();
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  assert.equal(browser.count('html'), 1);
  text = 'two';
  stage.display.waitingPageChanged();
  await until('the new page', () => browser.html === 'two');
});

test('routes: screens, refusals and endpoints without a backend', async () => {
  await showing(URL_A);
  const routes = displayRoutes(stage.display);
  const app = createApp({ endpoints: routes.map(({ endpoint }) => endpoint), routes, log });
  const call = async (method: 'GET' | 'POST', path: string, payload?: object) => {
    const answer = await app.inject({
      method,
      url: `/api/v1/display${path}`,
      ...(payload ? { payload } : {}),
    });
    return [answer.statusCode, answer.json().error?.code];
  };
  assert.deepEqual(await call('GET', '?screen=Virtual-1'), [200, undefined]);
  for (const screen of [
    'HDMI-A-1',
    '',
    'A'.repeat(65),
    '%F0%9F',
    'Virtual-1&screen=Virtual-1',
    'a&screen=b',
  ]) {
    const refused = [400, 'screen_not_found'];
    assert.deepEqual(await call('GET', `?screen=${screen}`), refused, screen);
    assert.deepEqual(await call('POST', `/reload?screen=${screen}`), refused, screen);
  }
  const notUrls = ['file:///etc/passwd', 'vitrine://waiting/', 'javascript:1', 'http://', 'http://a b/'];
  const controls = ['\n', '\t', '\0', '\x7f', '\x85'].map((control) => `http://a.example/x${control}y`);
  for (const url of [...notUrls, ...controls, 'http://\x01a.example/', 'http://a.example/\n']) {
    assert.deepEqual(await call('POST', '/navigate', { url }), [400, 'bad_request'], JSON.stringify(url));
  }
  assert.deepEqual(await call('POST', '/screen', { on: false }), [503, 'unavailable']);
  assert.deepEqual(await call('POST', '/bundle', { name: 'Demo' }), [400, 'bad_request']);
  assert.deepEqual(await call('POST', '/bundle', { name: 'demo' }), [404, 'content_not_found']);
  stage.bundles.names.set('demo', 'a/b.js: the CRC-32 is wrong').set('menu', undefined);
  assert.deepEqual(await call('POST', '/bundle', { name: 'demo' }), [400, 'bundle_invalid']);
  assert.equal(stage.display.state().url, URL_A, 'a refusal leaves the screen as it is');
  assert.deepEqual(await call('POST', '/bundle', { name: 'menu' }), [200, undefined]);
  const picture = await app.inject('/api/v1/display/screenshot');
  assert.equal(picture.headers['content-type'], 'image/png');
  await app.close();
});

test('without browser and graphics the state says so, and actions are unavailable', async () => {
  await make({
    kiosk: { installed: false, restart: async () => undefined },
    connectors: { read: async () => [] },
  }).start();
  assert.deepEqual(stage.display.state(), {
    mode: 'waiting',
    screen_on: false,
    rotation: 0,
    resolution: null,
    loading: false,
    error: stage.display.state().error,
  });
  assert.equal(stage.display.state().error?.code, 'browser_unavailable');
  assert.throws(() => stage.display.navigate(URL_A), { code: 'unavailable' });
  assert.throws(() => stage.display.reload(), { code: 'unavailable' });
  await assert.rejects(stage.display.screenshot(), { code: 'unavailable' });
  await assert.rejects(stage.display.requireScreen('HDMI-A-1'), { code: 'screen_not_found' });
});
