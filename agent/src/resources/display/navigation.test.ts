/** Which loads of the browser count for the target, and which are navigations of the page itself. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { DisplayStage, TIMING } from '../../../../testing/display-stage.ts';
import type { FakeBrowser } from '../../../../testing/fake-browser.ts';
import type { Stage } from './timing.ts';

const URL_A = 'http://a.example/';
const URL_B = 'http://b.example/';

let stage: DisplayStage;
let browser: FakeBrowser;

beforeEach(() => {
  stage = new DisplayStage();
  ({ browser } = stage);
});
afterEach(() => stage.display.stop());

const own = (state: 'started' | 'committed' | 'finished', uri: string) =>
  browser.emit({ event: 'load', state, load: 0, uri });

test('navigations of the previous page do not count for the requested target', async () => {
  await stage.showing(URL_A);
  own('started', `${URL_A}2`);
  stage.display.navigate(URL_B);
  // On their way when the host asked.
  own('committed', `${URL_A}2`);
  own('finished', `${URL_A}2`);
  browser.emit({ event: 'load_failed', load: 0, uri: `${URL_A}3`, kind: 'network', message: 'late' });
  assert.deepEqual(
    [stage.display.state().url, stage.display.state().loading, stage.display.state().error],
    [URL_B, true, null],
  );
  await stage.shown();
  assert.equal(stage.display.state().url, URL_B);
  own('started', `${URL_B}2`);
  assert.equal(stage.display.state().loading, true);
  own('committed', `${URL_B}2`);
  own('finished', `${URL_B}2`);
  assert.deepEqual([stage.display.state().url, stage.display.state().loading], [`${URL_B}2`, false]);
});

test('`url` follows a page that changes its own address, `target_url` does not', async () => {
  await stage.showing(URL_A);
  browser.emit({ event: 'moved', uri: `${URL_A}#/b` });
  const { url, target_url } = stage.display.state();
  assert.deepEqual([url, target_url], [`${URL_A}#/b`, URL_A]);
  browser.behaviour = 'hold';
  await stage.navigate(URL_B);
  browser.emit({ event: 'moved', uri: `${URL_A}#/c` });
  assert.equal(stage.display.state().url, URL_B);
});

test('a failed reload by the page itself is no error of the target', async () => {
  await stage.showing(URL_A);
  own('started', URL_A);
  browser.emit({ event: 'load_failed', load: 0, uri: URL_A, kind: 'network', message: 'Connection refused' });
  assert.deepEqual([stage.display.state().loading, stage.display.state().error], [false, null]);
  assert.equal(browser.count(`load ${URL_A}`), 1);
});

test('a reload while the page navigates itself loads the target', async () => {
  await stage.showing(URL_A);
  for (const state of ['started', 'committed', 'finished'] as const) own(state, `${URL_A}2`);
  own('started', `${URL_A}3`);
  stage.display.reload();
  await stage.until('the load', () => browser.count(`load ${URL_A}`) === 2);
  await stage.shown();
  assert.equal(stage.display.state().url, URL_A);
});

test('the end of the previous load is not the end of a waiting page that is still being rendered', async () => {
  const rendered = Promise.withResolvers<void>();
  let text = 'waiting';
  const renderPage = async () => {
    if (text !== 'waiting') await rendered.promise;
    return text;
  };
  await stage.make({ renderPage }).start();
  browser.plug();
  await stage.shown();
  browser.behaviour = 'hold';
  await stage.navigate(URL_A);
  text = 'rendered';
  stage.display.showWaiting();
  browser.emit({ event: 'load', state: 'finished', load: 2, uri: URL_A });
  assert.equal(stage.display.state().loading, true);
  rendered.resolve();
  await stage.shown();
  assert.equal(browser.html, 'rendered');
});

test('a notice that is rendered late does not replace the target that is being retried', async () => {
  const rendered = Promise.withResolvers<void>();
  const renderPage = async (notice: object | undefined) => {
    if (notice) await rendered.promise;
    return notice ? 'notice' : 'waiting';
  };
  await stage.make({ renderPage }).start();
  browser.plug();
  await stage.shown();
  browser.behaviour = 'fail';
  await stage.navigate(URL_A);
  assert.equal(stage.display.state().error?.code, 'load_failed');
  browser.behaviour = 'hold';
  await stage.until('a second try', () => browser.count(`load ${URL_A}`) === 2);
  rendered.resolve();
  await new Promise(setImmediate);
  assert.equal(browser.html, 'waiting');
});

test('a waiting page that cannot be read is retried', async () => {
  let failures = 2;
  const renderPage = async () => {
    if (failures-- > 0) throw new Error('EMFILE: too many open files');
    return 'waiting';
  };
  await stage.make({ renderPage }).start();
  browser.plug();
  await stage.until('the failure', () => stage.events.some(({ error }) => error?.code === 'load_failed'));
  await stage.shown();
  assert.equal(browser.html, 'waiting');
});

test('a page requested while another one is terminated does not count as unresponsive', async () => {
  const terminate = Promise.withResolvers<void>();
  await stage.showing(URL_A, { timing: { ...TIMING, pingEveryMs: 3 } });
  let ended = false;
  browser.terminatePage = async () => {
    ended = true;
    await terminate.promise;
    browser.emit({ event: 'page_gone', reason: 'terminated' });
  };
  browser.answersPings = false;
  await stage.until('the end of the page', () => ended);
  browser.answersPings = true;
  stage.display.navigate(URL_B);
  terminate.resolve();
  await stage.shown();
  assert.equal(browser.count(`load ${URL_B}`), 1);
  assert.ok(stage.events.every(({ error }) => error?.code !== 'page_unresponsive'));
});

test('a browser that cannot be restarted gets the target again', async () => {
  let next: Stage = 'compositor';
  const step = () => ({ delayMs: 1, stage: next, notice: false });
  for (const installed of [true, false]) {
    next = 'compositor';
    const kiosk = {
      installed,
      restart: async () => {
        next = 'page';
        if (installed) throw new Error('systemctl: timed out');
      },
    };
    browser.unplug();
    await stage.showing(URL_A, { kiosk, timing: { ...TIMING, step } });
    browser.emit({ event: 'page_gone', reason: 'crashed' });
    const loads = browser.count(`load ${URL_A}`);
    await stage.until('another load', () => browser.count(`load ${URL_A}`) > loads);
    await stage.shown();
    stage.display.stop();
  }
});

test('a target requested while a new browser takes its settings is loaded once', async () => {
  await stage.make().start();
  browser.plug();
  stage.display.navigate(URL_A);
  await stage.shown();
  await new Promise(setImmediate);
  assert.equal(browser.count('configure'), 1);
  assert.equal(browser.count(`load ${URL_A}`), 1);
});
