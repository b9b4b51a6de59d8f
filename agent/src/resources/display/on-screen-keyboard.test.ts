import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeBrowser } from '../../../../testing/fake-browser.ts';
import { waitFor } from '../../../../testing/wait.ts';
import { createLogger } from '../../base/logger.ts';
import { OnScreenKeyboard, type OnScreenKeyboardOptions } from './on-screen-keyboard.ts';

type Config = ReturnType<OnScreenKeyboardOptions['config']>;

/** An on-screen keyboard with a fake browser, whose configuration and input devices a test changes. */
function stage(mode: Config['on_screen_keyboard']) {
  const browser = new FakeBrowser();
  const config: Config = { on_screen_keyboard: mode, keyboard_layouts: [] };
  const kinds = { touch: true, keyboard: false };
  const keyboard = new OnScreenKeyboard({
    browser,
    config: () => config,
    inputKinds: async () => ({ ...kinds }),
    log: createLogger('silent'),
    checkEveryMs: 5,
  });
  const told = () => browser.calls.map((call) => JSON.parse(call.replace('keyboard ', '')));
  return { browser, config, kinds, keyboard, told };
}

const enabled = (value: boolean) => ({ enabled: value, layouts: [] });
const until = (condition: () => boolean) =>
  waitFor(async () => condition(), { timeoutMs: 5000, what: 'a command', intervalMs: 2 });

test('on and off reach the browser at once and after each connection', async (t) => {
  const { browser, config, keyboard, told } = stage('on');
  keyboard.start();
  t.after(() => keyboard.stop());
  assert.deepEqual(told(), []);
  browser.plug();
  await until(() => told().length === 1);
  assert.deepEqual(told(), [enabled(true)]);
  config.on_screen_keyboard = 'off';
  await keyboard.apply();
  config.keyboard_layouts = ['de', 'fr'];
  await keyboard.apply();
  await keyboard.apply();
  assert.deepEqual(told().slice(1), [enabled(false), { enabled: false, layouts: ['de', 'fr'] }]);
  browser.unplug();
  await keyboard.apply();
  browser.plug('http://same/');
  await until(() => told().length === 4);
});

test('auto follows the input devices', async (t) => {
  const { browser, kinds, keyboard, told } = stage('auto');
  keyboard.start();
  t.after(() => keyboard.stop());
  browser.plug();
  await until(() => told().length === 1);
  kinds.keyboard = true;
  await until(() => told().length === 2);
  kinds.keyboard = false;
  await until(() => told().length === 3);
  kinds.touch = false;
  await until(() => told().length === 4);
  assert.deepEqual(told(), [enabled(true), enabled(false), enabled(true), enabled(false)]);
});

test('a browser that refuses is told again', async () => {
  const { browser, keyboard, told } = stage('on');
  browser.plug();
  browser.takesCommands = false;
  await assert.rejects(keyboard.apply());
  browser.takesCommands = true;
  await keyboard.apply();
  assert.deepEqual(told().at(-1), enabled(true));
});
