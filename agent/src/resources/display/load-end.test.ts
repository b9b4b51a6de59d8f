/** Loads that end by a deadline, against the resistance of the previous page, or without a password. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { DisplayStage, TIMING } from '../../../../testing/display-stage.ts';
import type { FakeBrowser } from '../../../../testing/fake-browser.ts';

const URL_A = 'http://a.example/';
const URL_B = 'http://b.example/';

let stage: DisplayStage;
let browser: FakeBrowser;

beforeEach(() => {
  stage = new DisplayStage();
  ({ browser } = stage);
});
afterEach(() => stage.display.stop());

const own = (state: 'started' | 'committed' | 'finished', uri: string, denied = false) =>
  browser.emit({ event: 'load', state, load: 0, uri, authentication_required: denied });

const urlAndError = () => {
  const { url, loading, error } = stage.display.state();
  return [url, loading, error?.code];
};

test('a server that never answers is an error after a deadline, with a notice and retries', async () => {
  await stage.showing(URL_A, { timing: { ...TIMING, documentMs: 20 } });
  browser.behaviour = 'hold';
  await stage.navigate(URL_B);
  await stage.until('the error', () => stage.display.state().error?.code === 'load_timeout');
  assert.equal(stage.display.state().loading, false);
  await stage.until('the notice', () => browser.html.startsWith(`notice ${URL_B}`));
  await stage.until('a third try', () => browser.count(`load ${URL_B}`) >= 3);
  // Each time our own page replaces the load that timed out.
  assert.equal(browser.count('html'), browser.count(`load ${URL_B}`));
  browser.behaviour = 'finish';
  await stage.shown();
  assert.deepEqual(urlAndError(), [URL_B, false, undefined]);
});

test('a page that never finishes counts as loaded after a deadline, and stays', async () => {
  await stage.showing(URL_A, { timing: { ...TIMING, completeMs: 20 } });
  browser.behaviour = 'commit';
  await stage.navigate(URL_B);
  assert.deepEqual(urlAndError(), [URL_B, true, undefined]);
  await stage.shown();
  own('started', `${URL_B}2`);
  own('committed', `${URL_B}2`);
  assert.equal(stage.display.state().loading, true);
  await stage.shown();
  assert.deepEqual(urlAndError(), [`${URL_B}2`, false, undefined]);
  assert.equal(browser.count(`load ${URL_B}`), 1);
});

test('a page whose own navigation never ends, or is stopped, stays', async () => {
  await stage.showing(URL_A, { timing: { ...TIMING, documentMs: 20 } });
  own('started', URL_B);
  assert.equal(stage.display.state().loading, true);
  await stage.shown();
  own('started', URL_B);
  browser.emit({ event: 'load_failed', load: 0, uri: URL_B, kind: 'cancelled', message: 'stopped' });
  assert.deepEqual(urlAndError(), [URL_A, false, undefined]);
  assert.equal(browser.count('load '), 1);
});

test('a page that stops the load of the next one, or navigates meanwhile, is terminated', async () => {
  await stage.showing(URL_A);
  let load = 1;
  for (const resist of [
    () => browser.emit({ event: 'load_failed', load, uri: URL_B, kind: 'cancelled', message: 'stopped' }),
    () => own('started', `${URL_A}2`),
  ]) {
    browser.behaviour = 'hold';
    const ended = browser.count('terminate');
    const make = browser.load.bind(browser);
    browser.load = (uri) => {
      const made = make(uri);
      load = made.id;
      return made;
    };
    await stage.navigate(URL_B);
    browser.behaviour = 'finish';
    resist();
    // Until it is terminated.
    own('committed', `${URL_A}2`);
    own('finished', `${URL_A}2`);
    assert.deepEqual(urlAndError(), [URL_B, true, undefined]);
    await stage.until('its end', () => browser.count('terminate') === ended + 1);
    await stage.shown();
    assert.deepEqual(urlAndError(), [URL_B, false, undefined]);
    await stage.navigate(URL_A);
    await stage.shown();
  }
  assert.equal(browser.count(`load ${URL_B}`), 4);
  assert.ok(stage.events.every(({ error }) => error?.code !== 'page_unresponsive'));
});

test('a page that keeps the next load from starting is terminated once', async () => {
  await stage.showing(URL_A, { timing: { ...TIMING, beginMs: 20, documentMs: 20 } });
  browser.behaviour = 'silent';
  await stage.navigate(URL_B);
  await stage.until('its end', () => browser.count('terminate') === 1);
  await stage.until('a second load', () => browser.count(`load ${URL_B}`) === 2);
  await stage.until('the error', () => stage.display.state().error?.code === 'load_timeout');
  assert.equal(browser.count('terminate'), 1);
  browser.behaviour = 'finish';
  await stage.shown();
  assert.deepEqual(urlAndError(), [URL_B, false, undefined]);
});

test('the answer of a server that asks for a password is shown, with an error in the state', async () => {
  await stage.showing(URL_A);
  [browser.status, browser.denies] = [401, true];
  await stage.navigate(URL_B);
  assert.deepEqual(urlAndError(), [URL_B, false, 'authentication_required']);
  assert.match(stage.display.state().error?.message ?? '', /^The server asks/);
  browser.status = 407;
  stage.display.reload();
  await stage.until('the second load', () => browser.count(`load ${URL_B}`) === 2);
  await new Promise(setImmediate);
  assert.match(stage.display.state().error?.message ?? '', /^The proxy asks/);
  // It is not retried, and no notice replaces it.
  assert.equal(browser.count('html'), 1);
  for (const state of ['started', 'committed', 'finished'] as const) own(state, `${URL_B}2`);
  assert.deepEqual(urlAndError(), [`${URL_B}2`, false, undefined]);
  for (const state of ['started', 'committed', 'finished'] as const) own(state, `${URL_B}3`, true);
  assert.deepEqual(urlAndError(), [`${URL_B}3`, false, 'authentication_required']);
  browser.denies = false;
  await stage.navigate(URL_A);
  assert.deepEqual(urlAndError(), [URL_A, false, undefined]);
});
