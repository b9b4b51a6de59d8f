import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { DisplayStage } from '../../../../testing/display-stage.ts';
import { BrowserFolder } from '../../system/browser/data.ts';
import type { DisplayOptions } from './display.ts';
import type { Target } from './ports.ts';

const URL = 'http://192.0.2.1/';

let folder: string;
let stage: DisplayStage;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-clear-'));
  stage = new DisplayStage();
  await fill();
});
afterEach(async () => {
  stage.display.stop();
  await rm(folder, { recursive: true });
});

async function fill(): Promise<void> {
  await mkdir(join(folder, 'storage', 'origin'), { recursive: true });
  await writeFile(join(folder, 'storage', 'origin', 'IndexedDB.sqlite3'), 'x');
  await writeFile(join(folder, '.hidden'), 'x');
}

async function make(change: Partial<DisplayOptions> = {}): Promise<void> {
  await stage.make({ browserData: new BrowserFolder(folder), ...change }).start();
}

/** A browser that shows a page; its calls are forgotten. */
async function showing(): Promise<void> {
  stage.browser.plug();
  await stage.shown();
  stage.display.navigate(URL);
  await stage.shown();
  stage.browser.calls.length = 0;
}

test('clears between two browsers, answers when done, and shows the target again', async () => {
  await make();
  await showing();
  const answered = stage.display.clearData();
  await stage.until('the restart of the unit', () => stage.unitRestarts === 1);
  stage.browser.unplug();
  assert.ok((await readdir(folder)).length > 0, 'a browser that runs has its files open');
  // It may not take commands any more.
  assert.equal(stage.browser.count('quit'), 0);
  let found: string[] | undefined;
  stage.browser.configure = async () => {
    found = await readdir(folder);
    return false;
  };
  stage.browser.plug();
  const { mode, url } = await answered;
  assert.deepEqual([mode, url], ['url', URL]);
  await stage.shown();
  assert.deepEqual(found, [], 'the browser opens its files when it has its settings');
  assert.equal(stage.browser.count(`load ${URL}`), 1);
  // Not for the next browser.
  await fill();
  stage.browser.unplug();
  stage.browser.plug();
  await stage.shown();
  assert.ok((await readdir(folder)).length > 0);
});

test('a browser that only connects again keeps its data until it has ended', async () => {
  await make();
  await showing();
  const answered = stage.display.clearData();
  await stage.until('the restart of the unit', () => stage.unitRestarts === 1);
  stage.browser.unplug();
  stage.browser.plug(URL);
  await stage.until('its settings', () => stage.browser.count('configure') === 1);
  assert.ok((await readdir(folder)).length > 0);
  stage.browser.unplug();
  stage.browser.plug();
  await answered;
  assert.deepEqual(await readdir(folder), []);
});

test('concurrent requests share one restart', async () => {
  await make();
  await showing();
  const both = [stage.display.clearData(), stage.display.clearData()];
  await stage.until('the restart of the unit', () => stage.unitRestarts === 1);
  stage.browser.unplug();
  stage.browser.plug();
  await Promise.all(both);
  assert.equal(stage.unitRestarts, 1);
});

test('503 when no new browser connects in time, and nothing is cleared later', async () => {
  await make({ newBrowserMs: 20 });
  await showing();
  await assert.rejects(stage.display.clearData(), { code: 'unavailable' });
  stage.browser.unplug();
  stage.browser.plug();
  await stage.shown();
  assert.ok((await readdir(folder)).length > 0);
});

test('a browser that connects while the data of another one is being deleted waits for that', async () => {
  const deleted = Promise.withResolvers<void>();
  await make({ browserData: { clear: () => deleted.promise } });
  await showing();
  const answered = stage.display.clearData();
  await stage.until('the restart of the unit', () => stage.unitRestarts === 1);
  for (let browsers = 0; browsers < 2; browsers += 1) {
    stage.browser.unplug();
    stage.browser.plug();
    await new Promise(setImmediate);
  }
  assert.equal(stage.browser.count('configure'), 0);
  deleted.resolve();
  await answered;
  await stage.shown();
  assert.equal(stage.browser.count(`load ${URL}`), 1);
});

test('503 with the reason when clearing fails, and the target is shown again', async () => {
  const clear = () => Promise.reject(Object.assign(new Error('EROFS'), { code: 'EROFS' }));
  await make({ browserData: { clear } });
  await showing();
  const answered = stage.display.clearData();
  await stage.until('the restart of the unit', () => stage.unitRestarts === 1);
  stage.browser.unplug();
  stage.browser.plug();
  await assert.rejects(answered, { code: 'unavailable', message: /read-only/ });
  await stage.shown();
});

test('503 where the data does not belong to the device', async () => {
  await make({ browserData: undefined });
  await showing();
  await assert.rejects(stage.display.clearData(), { code: 'unavailable' });
  assert.equal(stage.unitRestarts, 0);
});

test('clears at boot when configured, and not when only the agent restarts', async () => {
  const store = (current: Target | undefined) => ({
    current: async () => current,
    last: async () => undefined,
    save: async () => undefined,
  });
  await make({ clearDataOnBoot: true, targetStore: store({ mode: 'waiting' }) });
  assert.ok((await readdir(folder)).length > 0);
  stage.display.stop();
  await make({ targetStore: store(undefined) });
  assert.ok((await readdir(folder)).length > 0);
  stage.display.stop();
  await make({ clearDataOnBoot: true, targetStore: store(undefined) });
  assert.deepEqual(await readdir(folder), []);
  await fill();
  await showing();
  stage.browser.unplug();
  stage.browser.plug();
  await stage.shown();
  assert.ok((await readdir(folder)).length > 0, 'not at each start of the browser');
});
