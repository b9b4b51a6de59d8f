import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { DisplayStage } from '../../../../testing/display-stage.ts';
import { ApiError } from '../../contract/errors.ts';
import type { ScriptResult } from '../page/ports.ts';

const URL_A = 'http://a.example/';
const URL_B = 'http://b.example/';

let stage: DisplayStage;
beforeEach(() => {
  stage = new DisplayStage();
});
afterEach(() => stage.display.stop());

/** The value, or the code of the error. */
async function run(script: string): Promise<unknown> {
  try {
    return await stage.display.executeJs(script);
  } catch (error) {
    return error instanceof ApiError ? error.code : error;
  }
}

function fail(code: string): () => Promise<ScriptResult> {
  return async () => {
    throw Object.assign(new Error(code), { code });
  };
}

test('a script runs in the page, its exception is a script_error with its position', async () => {
  await stage.showing(URL_A);
  assert.equal(await run('a'), 'return a');
  stage.browser.runScript = async () => ({ exception: { message: 'TypeError: no', line: 1, column: 9 } });
  await assert.rejects(stage.display.executeJs('b.c'), {
    code: 'script_error',
    message: 'TypeError: no',
    details: { message: 'TypeError: no', line: 1, column: 2 },
  });
  assert.equal(await run('let let'), 'script_error');
  for (const [code, expected] of [
    ['timeout', 'script_timeout'],
    ['interrupted', 'conflict'],
    ['too_large', 'script_error'],
    ['broken', 'unavailable'],
  ] as const) {
    stage.browser.runScript = fail(code);
    assert.equal(await run('1'), expected);
  }
});

test('during a load it waits for the page, and never runs in the one before', async () => {
  await stage.showing(URL_A);
  stage.browser.behaviour = 'hold';
  await stage.navigate(URL_B);
  const waiting = run('x');
  const replaced = run('y');
  await setImmediate();
  assert.equal(stage.browser.count('evaluate'), 0);
  const load = stage.browser.lastLoad;
  stage.browser.emit({ event: 'load', state: 'committed', load, uri: URL_B, status: 200 });
  assert.equal(await waiting, 'return x');
  assert.equal(await replaced, 'return y');

  await stage.navigate(URL_A);
  const overtaken = run('z');
  await setImmediate();
  stage.browser.behaviour = 'finish';
  await stage.navigate(URL_B);
  assert.equal(await overtaken, 'conflict', 'another page was asked for');
  assert.equal(stage.browser.count('evaluate'), 2);
});

test('a page that does not come: conflict with the reason, or script_timeout', async () => {
  await stage.showing(URL_A);
  stage.browser.behaviour = 'hold';
  stage.scriptTimeoutMs = 5;
  await stage.navigate(URL_B);
  assert.equal(await run('1'), 'script_timeout');
  stage.browser.emit({
    event: 'load_failed',
    load: stage.browser.lastLoad,
    uri: URL_B,
    kind: 'network',
    message: 'Connection refused',
  });
  await assert.rejects(stage.display.executeJs('1'), { code: 'conflict', message: /Connection refused/ });
  assert.equal(stage.browser.count('evaluate'), 0);
});

/** Calls scripts that end when the test ends them, and waits until as many run as may. */
async function begin(count: number) {
  const running: PromiseWithResolvers<ScriptResult>[] = [];
  stage.browser.runScript = () => {
    const script = Promise.withResolvers<ScriptResult>();
    running.push(script);
    return script.promise;
  };
  const calls = Array.from({ length: count }, () => run('1'));
  await stage.until('eight scripts', () => running.length === 8);
  return { calls, running };
}

test('eight run, 32 wait, more are refused; those that wait do not run in the next page', async () => {
  await stage.showing(URL_A);
  const { calls, running } = await begin(40);
  assert.equal(await run('1'), 'too_many_requests');
  running[0]?.resolve({ value: 5 });
  assert.equal(await calls[0], 5);
  await stage.until('the ninth', () => running.length === 9);
  // In the order in which the browser tells it.
  for (const script of running) script.reject(Object.assign(new Error(), { code: 'interrupted' }));
  await setImmediate();
  stage.browser.emit({ event: 'load', state: 'committed', load: 0, uri: `${URL_A}next` });
  const codes = await Promise.all(calls);
  assert.deepEqual(new Set(codes.slice(1)), new Set(['conflict']));
  assert.equal(running.length, 9);

  stage.browser.runScript = async () => ({ value: 6 });
  assert.deepEqual(await Promise.all(Array.from({ length: 40 }, () => run('1'))), Array(40).fill(6));
});

test('a script whose turn does not come is late, and the next one gets the turn', async () => {
  await stage.showing(URL_A);
  const { calls, running } = await begin(8);
  stage.scriptTimeoutMs = 5;
  assert.equal(await run('2'), 'script_timeout');
  stage.scriptTimeoutMs = 60_000;
  const next = run('3');
  for (const script of running) script.resolve({ value: 1 });
  await stage.until('the last script', () => running.length === 9);
  running[8]?.resolve({ value: 3 });
  assert.equal(await next, 3);
  await Promise.all(calls);
});

test('without a browser it is unavailable', async () => {
  stage.make({ kiosk: { installed: false, restart: async () => undefined } });
  await stage.display.start();
  assert.equal(await run('1'), 'unavailable');
});
