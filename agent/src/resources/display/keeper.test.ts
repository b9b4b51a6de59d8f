/** The runner around the state machine: it carries out effects and reports their results. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { DisplayStage, TIMING } from '../../../../testing/display-stage.ts';

const URL_A = 'http://a.example/';

let stage: DisplayStage;

beforeEach(() => {
  stage = new DisplayStage();
});
afterEach(() => stage.display.stop());

test('after stop no timer runs, and neither late answers nor events of the browser lead to commands', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms);
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  };
  const answer = Promise.withResolvers<string>();
  await stage.make({ renderPage: async () => answer.promise }).start();
  stage.browser.plug();
  await pass(0);
  await pass(TIMING.pingEveryMs);
  assert.equal(stage.browser.count('ping'), 1);
  stage.display.stop();
  const before = stage.browser.calls.length;
  answer.resolve('waiting');
  await pass(TIMING.pingEveryMs);
  stage.browser.unplug();
  stage.browser.plug();
  await pass(TIMING.awayMs);
  assert.deepEqual(stage.browser.calls.slice(before), []);
  assert.equal(stage.unitRestarts, 0);
});

test('a page that is rendered after stop is not loaded', async () => {
  const answer = Promise.withResolvers<string>();
  let isRendering = false;
  const renderPage = () => {
    isRendering = true;
    return answer.promise;
  };
  await stage.make({ renderPage }).start();
  stage.browser.plug();
  await stage.until('the rendering', () => isRendering);
  stage.display.stop();
  answer.resolve('waiting');
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  assert.equal(stage.browser.count('html'), 0);
});

test('a page that ends again and again is reported by one rendering at a time, of the latest state', async () => {
  let running = 0;
  let most = 0;
  let rendered = 0;
  const warnings: unknown[] = [];
  await stage.showing(URL_A, {
    log: { info: () => undefined, warn: (fields: unknown) => void warnings.push(fields) },
    renderPage: async (notice) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      rendered += 1;
      return JSON.stringify(notice ?? null);
    },
  });
  for (let n = 0; n < 1000; n += 1) stage.browser.emit({ event: 'page_gone', reason: 'crashed' });
  stage.browser.emit({ event: 'page_gone', reason: 'memory' });
  await stage.until('the notice', () => stage.browser.html.includes('memory'));
  assert.equal(most, 1);
  assert.ok(rendered < 5, `${rendered} renderings`);
  assert.ok(warnings.length <= 50, `${warnings.length} records`);
});

test('an event that comes while effects are carried out waits until all of them are', async (t) => {
  await stage.showing(URL_A);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { browser } = stage;
  browser.load = () => {
    browser.unplug();
    return { id: 99, accepted: Promise.reject(new Error('not connected')) };
  };
  stage.display.navigate('http://b.example/');
  t.mock.timers.tick(TIMING.beginMs - 1);
  t.mock.timers.tick(1);
  assert.equal(stage.display.state().loading, true, 'the deadline of the load has ended with the browser');
});

test('a command that the browser refuses restarts its unit', async () => {
  const warnings: string[] = [];
  const log = { info: () => undefined, warn: (_: unknown, text = '') => void warnings.push(text) };
  await stage.showing(URL_A, { log });
  stage.browser.takesCommands = false;
  stage.display.reload();
  await stage.until('the restart', () => stage.unitRestarts === 1);
  assert.ok(warnings.includes('the browser does not take commands'));
});

test('a browser that does not quit is ended by its unit', async () => {
  await stage.showing(URL_A);
  stage.browser.quit = async () => {
    throw new Error('timeout');
  };
  stage.display.restartBrowser();
  await stage.until('the restart', () => stage.unitRestarts === 1);
});

test('the state that subscribers see is that after all effects, and only changes are sent', async () => {
  await stage.showing(URL_A);
  const before = stage.events.length;
  for (const state of ['started', 'committed', 'finished'] as const) {
    stage.browser.emit({ event: 'load', state, load: 0, uri: `${URL_A}2` });
  }
  stage.browser.emit({ event: 'painted', load: 0 });
  assert.deepEqual(
    stage.events.slice(before).map(({ url, loading }) => [url, loading]),
    [
      [URL_A, true],
      [`${URL_A}2`, true],
      [`${URL_A}2`, false],
    ],
  );
});

test('the first frame is reported when the browser has painted it, not before', async () => {
  await stage.make().start();
  let isPainted = false;
  void stage.display.firstFrame.then(() => {
    isPainted = true;
  });
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  assert.equal(isPainted, false);
  stage.browser.plug();
  await stage.until('the first frame', () => isPainted);
});
