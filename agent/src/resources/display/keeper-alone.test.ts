/** The runner without a display around it: checks of frames, records in the log, start and stop. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { TIMING } from '../../../../testing/display-stage.ts';
import { FakeBrowser } from '../../../../testing/fake-browser.ts';
import { Keeper, type KeeperOptions } from './keeper.ts';

const URL_A = 'http://a.example/';

let browser: FakeBrowser;
let keeper: Keeper;
let hasScreen: boolean;
let unitRestarts: number;
let warnings: { fields: object; text: string }[];

beforeEach(() => {
  browser = new FakeBrowser();
  hasScreen = true;
  unitRestarts = 0;
  warnings = [];
});
afterEach(() => keeper.stop());

function make(change: Partial<KeeperOptions> = {}): void {
  keeper = new Keeper({
    browser,
    compositor: browser,
    kiosk: {
      installed: true,
      restart: async () => {
        unitRestarts += 1;
      },
    },
    renderPage: async () => 'waiting',
    log: { info: () => undefined, warn: (fields: object, text = '') => void warnings.push({ fields, text }) },
    // No test waits for a retry.
    timing: { ...TIMING, step: () => ({ delayMs: 60_000, stage: 'page', notice: false }) },
    configure: async () => undefined,
    hasScreen: () => hasScreen,
    changed: () => undefined,
    ...change,
  });
}

/** Until everything that was asked is answered; nothing of it takes time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
}

async function start(): Promise<void> {
  keeper.start({ mode: 'waiting' }, undefined);
  browser.plug();
  await settle();
}

/** The page is loaded, but the browser has not reported a frame of it. */
async function load(): Promise<void> {
  browser.behaviour = 'commit';
  keeper.dispatch({ event: 'show_target', target: { mode: 'url', url: URL_A } });
  await settle();
  browser.emit({ event: 'load', state: 'finished', load: browser.lastLoad, uri: URL_A });
  assert.deepEqual([keeper.state.loading, keeper.state.load.stage], [false, 'committed']);
}

/** @returns what it asks of browser and compositor, and the error that follows */
async function checkFrames(): Promise<[calls: string, error: string | undefined]> {
  const before = browser.calls.length;
  keeper.dispatch({ event: 'timer', timer: 'frame' });
  await settle();
  return [browser.calls.slice(before).join(' '), keeper.state.error?.code];
}

test('before it is started it has the waiting page as its target, loads nothing, and can be stopped', () => {
  make();
  assert.deepEqual([keeper.state.target, keeper.state.loading], [{ mode: 'waiting' }, false]);
  keeper.stop();
});

test('stop ends every timer', async (t) => {
  const made = t.mock.method(globalThis, 'setTimeout').mock;
  const ended = t.mock.method(globalThis, 'clearTimeout').mock;
  make();
  await start();
  await load();
  keeper.stop();
  const timers = made.calls.map(({ result }) => result);
  assert.ok(timers.length > 2);
  const left = timers.filter((timer) => !ended.calls.some(({ arguments: [given] }) => given === timer));
  assert.equal(left.length, 0);
});

test('why no frame reaches the screen is found out with browser, compositor and page, while there is a screen', async () => {
  make();
  await start();
  await load();
  hasScreen = false;
  assert.deepEqual(await checkFrames(), ['', undefined]);
  hasScreen = true;
  assert.deepEqual(await checkFrames(), ['frame', undefined]);

  browser.framesReachScreen = false;
  browser.answersPings = false;
  assert.deepEqual(await checkFrames(), ['frame outputs ping', undefined], 'that is for the pings');
  browser.answersPings = true;
  assert.deepEqual(await checkFrames(), ['frame outputs ping terminate', 'screen_frozen']);
  await load();
  assert.equal(keeper.state.error?.code, 'screen_frozen', 'there was no frame of the new page yet');
  browser.framesReachScreen = true;
  assert.deepEqual(await checkFrames(), ['frame', undefined]);

  browser.showsFrames = async () => {
    hasScreen = false;
    return false;
  };
  assert.deepEqual(await checkFrames(), ['', undefined], 'the screen was removed during the check');
  hasScreen = true;
  browser.showsFrames = async () => false;
  browser.outputs = async () => {
    throw new Error('timeout');
  };
  assert.deepEqual(await checkFrames(), ['', 'screen_frozen']);
  assert.equal(unitRestarts, 1, 'the compositor does not answer either');
});

test('a page that cannot be rendered and a unit that cannot be restarted are logged with the cause', async () => {
  const unreadable = new Error('EMFILE: too many open files');
  const late = new Error('systemctl: timed out');
  make({
    renderPage: () => Promise.reject(unreadable),
    kiosk: { installed: true, restart: () => Promise.reject(late) },
  });
  await start();
  keeper.dispatch({ event: 'restart_browser', stage: 'compositor' });
  await settle();
  const text = (cause: Error) => warnings.find(({ fields }) => 'err' in fields && fields.err === cause)?.text;
  assert.match(text(unreadable) ?? '', /page/);
  assert.match(text(late) ?? '', /unit/);
});
