import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createLogger } from '../../base/logger.ts';
import { EventBus } from '../../events/bus.ts';
import { createApp } from '../../links/app.ts';
import { Display, type DisplayOptions } from './display.ts';
import { FakeBrowser } from './fake-browser.ts';
import type { KeeperTiming } from './keeper.ts';
import type { BundleProblem, Bundles, Connector, Target } from './ports.ts';
import { recoveryStep, type Step } from './recovery.ts';
import { displayRoutes } from './routes.ts';
import { type DisplayState, displayEndpoints, displayState } from './schema.ts';

const CONNECTOR: Connector = {
  id: 'Virtual-1',
  connected: true,
  powered: true,
  modes: ['1280x720', '800x600'],
  make: 'RHT',
  model: 'QEMU Monitor',
};
const URL_A = 'http://a.example/';
const log = createLogger('silent');

/** The real steps, a hundred times as fast. */
const quick = (failures: number, kind: 'load' | 'crash'): Step => {
  const step = recoveryStep(failures, kind);
  return { ...step, delayMs: step.delayMs / 100 };
};
const TIMING: KeeperTiming = {
  wellMs: 60_000,
  awayMs: 60_000,
  pingEveryMs: 60_000,
  pongMs: 10,
  misses: 2,
  step: quick,
};

let browser: FakeBrowser;
let events: DisplayState[];
let saved: { target: Target; lasting: boolean }[];
let unitRestarts: number;
let display: Display;
/** The bundles that are there, with what is wrong with them. */
let stored: FakeBundles;

class FakeBundles implements Bundles {
  readonly names = new Map<string, string | undefined>();
  /** Runs while the bundle is looked at. */
  meanwhile = (): void => undefined;

  locate(name: string): unknown {
    return this.names.has(name) ? { path: name } : undefined;
  }

  async problem(name: string): Promise<BundleProblem | undefined> {
    const found = this.names.has(name);
    const damage = this.names.get(name);
    this.meanwhile();
    if (!found) return { code: 'bundle_missing', message: `There is no bundle ${name}.` };
    return damage === undefined ? undefined : { code: 'bundle_damaged', message: damage };
  }

  url(name: string): string {
    return `http://${name}.localhost:8081/`;
  }
}

function make(change: Partial<DisplayOptions> = {}): Display {
  const bus = new EventBus();
  bus.on(displayState, (state) => events.push(state));
  display = new Display({
    browser,
    compositor: browser,
    kiosk: {
      installed: true,
      restart: async () => {
        unitRestarts += 1;
      },
    },
    connectors: { read: async () => [CONNECTOR] },
    store: {
      current: async () => undefined,
      last: async () => undefined,
      save: async (target, lasting) => void saved.push({ target, lasting }),
    },
    page: { render: async (notice) => (notice ? `notice ${notice.what} ${notice.why}` : 'waiting') },
    bundles: stored,
    bus,
    settings: {
      rotation: 0,
      resumeOnBoot: false,
      bootBundle: null,
      screens: {},
      browser: { userAgent: null, ignoreTlsErrors: false, memoryLimitMb: 0 },
    },
    log,
    timing: TIMING,
    ...change,
  });
  return display;
}

async function until(what: string, condition: () => boolean): Promise<void> {
  const end = performance.now() + 5000;
  while (!condition()) {
    if (performance.now() > end) assert.fail(`${what} did not happen: ${JSON.stringify(display.state())}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

const shown = () =>
  until('the target to be shown', () => !display.state().loading && display.state().error === null);

async function showing(url: string, change: Partial<DisplayOptions> = {}): Promise<void> {
  await make(change).start();
  browser.plug();
  await shown();
  display.navigate(url);
  await until('the load', () => browser.count(`load ${url}`) === 1);
  await shown();
}

beforeEach(() => {
  browser = new FakeBrowser();
  events = [];
  saved = [];
  unitRestarts = 0;
  stored = new FakeBundles();
});
afterEach(() => display.stop());

test('shows the waiting page first, and tells what the compositor drives', async () => {
  await make().start();
  assert.equal(display.state().error?.code, 'browser_unavailable');
  browser.plug();
  await until('the resolution', () => display.state().resolution === '1280x720@75');
  await shown();
  assert.deepEqual(display.state(), {
    mode: 'waiting',
    screen_on: true,
    rotation: 0,
    resolution: '1280x720@75',
    loading: false,
    error: null,
  });
  assert.equal(browser.html, 'waiting');
  assert.deepEqual(await display.screens(), [
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

test('a target given before the browser is there is shown when it comes', async () => {
  await make().start();
  assert.equal(display.navigate(URL_A).loading, true);
  assert.equal(browser.count('load'), 0);
  browser.plug();
  await shown();
  assert.deepEqual(
    browser.calls.filter((call) => call.startsWith('load')),
    [`load ${URL_A}`],
  );
  assert.equal(display.state().url, URL_A);
});

test('every navigate sends an event, also to what is shown already', async () => {
  await showing(URL_A);
  const before = events.length;
  display.navigate(URL_A);
  assert.ok(events.length > before);
  assert.equal(events.at(-1)?.loading, true);
  await shown();
  assert.equal(events.at(-1)?.loading, false);
});

test('a page that crashes comes back, and events say so', async () => {
  await showing(URL_A);
  browser.emit({ event: 'page_gone', reason: 'crashed' });
  assert.equal(display.state().error?.code, 'page_crashed');
  await until('the second load', () => browser.count('load') === 2);
  await shown();
  assert.ok(events.some((event) => event.error?.code === 'page_crashed' && event.url === URL_A));
  assert.equal(events.at(-1)?.error, null);
});

test('a page that crashes again and again: notice, new browser, new compositor, never given up', async () => {
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
      await until('the restart of the unit', () => unitRestarts === 1);
      browser.unplug();
      browser.plug();
    }
    if (round >= 3) await until('the notice', () => browser.html.startsWith(`notice ${URL_A}`));
    await until(`load after crash ${round}`, () => browser.count('load') > loads);
    await shown();
  }
  assert.equal(unitRestarts, 1);
  assert.equal(display.state().url, URL_A);
});

test('a browser that ends comes back with the target, without the unit being touched', async () => {
  await showing(URL_A);
  browser.unplug();
  assert.equal(events.at(-1)?.error?.code, 'browser_unavailable');
  assert.equal(events.at(-1)?.url, URL_A);
  browser.plug();
  await shown();
  assert.equal(browser.count('load'), 2);
  assert.equal(unitRestarts, 0);
  assert.deepEqual(display.browserHealth, { running: true, restarts: 1, pid: 42 });
});

test('a browser that stays away gets its unit restarted, ever more seldom', async () => {
  await make({ timing: { ...TIMING, awayMs: 5 } }).start();
  await until('three restarts', () => unitRestarts >= 3);
});

test('a page that cannot be fetched is tried again, behind a notice', async () => {
  await make().start();
  browser.plug();
  await shown();
  browser.behaviour = 'fail';
  display.navigate(URL_A);
  await until('the failure', () => display.state().error?.code === 'load_failed');
  await until('the notice', () => browser.html === `notice ${URL_A} Connection refused`);
  await until('a second try', () => browser.count('load') >= 2);
  assert.equal(browser.count('html'), 2, 'a notice that says the same is not drawn again');
  browser.behaviour = 'finish';
  await shown();
  assert.equal(unitRestarts, 0);
});

test('a new target ends the tries for the old one', async () => {
  await make().start();
  browser.plug();
  await shown();
  browser.behaviour = 'fail';
  display.navigate(URL_A);
  await until('the failure', () => display.state().error !== null);
  browser.behaviour = 'finish';
  const tries = browser.count(`load ${URL_A}`);
  display.navigate('http://b.example/');
  await shown();
  assert.equal(display.state().url, 'http://b.example/');
  assert.equal(browser.count(`load ${URL_A}`), tries);
});

test('a page that hangs is ended and loaded again', async () => {
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
  display.navigate('http://b.example/');
  await until('the restart', () => unitRestarts === 1);
});

test('late events of a load that was replaced change nothing', async () => {
  await showing(URL_A);
  browser.behaviour = 'hold';
  display.navigate('http://b.example/');
  browser.emit({ event: 'load_failed', load: 2, uri: URL_A, kind: 'network', message: 'late' });
  browser.emit({ event: 'load', state: 'finished', load: 2, uri: URL_A });
  assert.equal(display.state().loading, true);
  assert.equal(display.state().error, null);
});

test("follows the page's own navigation, and keeps the target", async () => {
  await showing(URL_A);
  browser.emit({ event: 'load', state: 'started', load: 0, uri: 'http://a.example/2' });
  browser.emit({ event: 'load', state: 'committed', load: 0, uri: 'http://a.example/2' });
  browser.emit({ event: 'load', state: 'finished', load: 0, uri: 'http://a.example/2' });
  assert.equal(display.state().url, 'http://a.example/2');
  display.reload();
  await until('the reload in place', () => browser.count('reload') === 1);
  browser.unplug();
  browser.plug();
  await shown();
  assert.equal(display.state().url, URL_A);
});

test('after a restart of the agent a page that is still there is left alone', async () => {
  const store = { current: async () => ({ mode: 'url', url: 'http://a.example' }) as const };
  await make({ store: { ...store, last: async () => undefined, save: async () => undefined } }).start();
  browser.plug(URL_A);
  await shown();
  assert.equal(browser.count('load'), 0);
  assert.equal(display.state().url, 'http://a.example');
  await display.firstFrame;
});

const BUNDLE = { mode: 'bundle', name: 'menu' } as const;
const START = 'http://start/';

/** What is configured and remembered, which bundles there are, and what a boot makes of it. */
const BOOTS: {
  title: string;
  current?: Target;
  last?: Target;
  resume?: boolean;
  boot?: string;
  url?: string;
  bundles?: [string, string?][];
  shows: Target;
  error?: [string, string];
}[] = [
  { title: 'nothing', shows: { mode: 'waiting' } },
  { title: 'the startup URL', url: START, shows: { mode: 'url', url: START } },
  { title: 'the boot bundle before the URL', url: START, boot: 'menu', bundles: [['menu']], shows: BUNDLE },
  { title: 'no resuming unless wanted', last: BUNDLE, bundles: [['menu']], shows: { mode: 'waiting' } },
  {
    title: 'what was shown last before the boot bundle',
    last: { mode: 'url', url: URL_A },
    resume: true,
    boot: 'menu',
    bundles: [['menu']],
    shows: { mode: 'url', url: URL_A },
  },
  {
    title: 'the waiting page, when that was shown last',
    last: { mode: 'waiting' },
    resume: true,
    url: START,
    shows: { mode: 'waiting' },
  },
  {
    title: 'what a restart of the agent interrupted before all else',
    current: BUNDLE,
    last: { mode: 'url', url: URL_A },
    resume: true,
    boot: 'other',
    bundles: [['menu'], ['other']],
    shows: BUNDLE,
  },
  {
    title: 'a missing boot bundle falls through to the waiting page, not to the URL',
    boot: 'menu',
    url: START,
    shows: { mode: 'waiting' },
    error: ['bundle_missing', 'There is no bundle menu.'],
  },
  {
    title: 'so does a damaged one',
    boot: 'menu',
    bundles: [['menu', 'index.html: the data ends early']],
    shows: { mode: 'waiting' },
    error: ['bundle_damaged', 'index.html: the data ends early'],
  },
  {
    title: 'so does one to resume, though there is a boot bundle',
    last: BUNDLE,
    resume: true,
    boot: 'other',
    bundles: [['other']],
    shows: { mode: 'waiting' },
    error: ['bundle_missing', 'There is no bundle menu.'],
  },
  {
    title: 'so does one that a restart of the agent interrupted',
    current: BUNDLE,
    url: START,
    bundles: [['menu', 'broken']],
    shows: { mode: 'waiting' },
    error: ['bundle_damaged', 'broken'],
  },
];

for (const { title, current, last, resume, boot, url, bundles, shows, error } of BOOTS) {
  test(`at boot: ${title}`, async () => {
    for (const [name, damage] of bundles ?? []) stored.names.set(name, damage);
    await make({
      store: { current: async () => current, last: async () => last, save: async () => undefined },
      settings: {
        rotation: 0,
        resumeOnBoot: resume ?? false,
        bootBundle: boot ?? null,
        screens: { 'Virtual-1': { rotation: null, url: url ?? null } },
        browser: { userAgent: null, ignoreTlsErrors: false, memoryLimitMb: 0 },
      },
    }).start();
    browser.plug();
    await until('the end of loading', () => !display.state().loading);
    const { mode, url: shownUrl, bundle, error: told } = display.state();
    assert.equal(mode, shows.mode);
    assert.equal(shownUrl, shows.mode === 'url' ? shows.url : undefined);
    assert.equal(bundle, shows.mode === 'bundle' ? shows.name : undefined);
    assert.deepEqual(told, error ? { code: error[0], message: error[1] } : null);
    if (mode === 'waiting') assert.equal(browser.html, error ? `notice Bundle menu ${error[1]}` : 'waiting');
    assert.equal(display.activeBundle, mode === 'bundle' ? 'menu' : undefined);
  });
}

test('remembers targets, over boots only when that is wanted', async () => {
  await showing(URL_A);
  assert.deepEqual(saved, [
    { target: { mode: 'waiting' }, lasting: false },
    { target: { mode: 'url', url: URL_A }, lasting: false },
  ]);
});

async function showingBundle(name: string): Promise<void> {
  stored.names.set(name, undefined);
  await make().start();
  browser.plug();
  await shown();
  await display.showBundle(name);
  await until('the load', () => browser.count(`load http://${name}.localhost:8081/`) === 1);
  await shown();
}

test('shows a bundle, remembers it, and stays in its mode wherever its page goes', async () => {
  await showingBundle('menu');
  assert.deepEqual(saved.at(-1), { target: BUNDLE, lasting: false });
  for (const uri of ['http://menu.localhost:8081/two.html', 'http://elsewhere.example/']) {
    browser.emit({ event: 'load', state: 'committed', load: 0, uri });
    browser.emit({ event: 'load', state: 'finished', load: 0, uri });
    const { mode, bundle, url } = display.state();
    assert.deepEqual({ mode, bundle, url }, { mode: 'bundle', bundle: 'menu', url: undefined });
    assert.equal(display.activeBundle, 'menu');
  }
  assert.equal(events.at(-1)?.bundle, 'menu');
  display.showWaiting();
  assert.equal(display.activeBundle, undefined);
});

test('a bundle that is deleted while it is looked at is not shown', async () => {
  await showingBundle('menu');
  stored.names.set('other', undefined);
  stored.meanwhile = () => stored.names.delete('other');
  await assert.rejects(display.showBundle('other'), { code: 'content_not_found' });
  assert.equal(display.activeBundle, 'menu');
  assert.equal(browser.count('load'), 1);
});

test('a new version of the bundle on the screen is loaded, of another one it is not', async () => {
  await showingBundle('menu');
  browser.emit({ event: 'load', state: 'committed', load: 0, uri: 'http://menu.localhost:8081/gone.html' });
  const before = events.length;
  display.bundleReplaced('other');
  assert.equal(events.length, before);
  display.bundleReplaced('menu');
  assert.equal(events.at(-1)?.loading, true);
  await until('the load', () => browser.count('load http://menu.localhost:8081/') === 2);
  await shown();
});

test('a bundle whose server does not answer is tried again, behind a notice', async () => {
  stored.names.set('menu', undefined);
  await make().start();
  browser.plug();
  await shown();
  browser.behaviour = 'fail';
  await display.showBundle('menu');
  await until('the notice', () => browser.html === 'notice Bundle menu Connection refused');
  await until('a second try', () => browser.count('load') >= 2);
  browser.behaviour = 'finish';
  await shown();
  assert.equal(display.activeBundle, 'menu');
});

test('a bundle whose start page cannot be read is no page; of a URL an HTTP error is one', async () => {
  stored.names.set('menu', undefined);
  await make().start();
  browser.plug();
  await shown();
  browser.status = 500;
  display.navigate(URL_A);
  await shown();
  assert.equal(display.state().url, URL_A);
  await display.showBundle('menu');
  await until('the notice', () => browser.html.startsWith('notice Bundle menu'));
  assert.equal(display.state().error?.code, 'bundle_damaged');
  assert.equal(display.activeBundle, 'menu');
  browser.status = 200;
  await shown();
});

test('a reload at an address that the bundle does not have goes to its start page', async () => {
  await showingBundle('menu');
  browser.status = 404;
  display.reload();
  await until('the reload', () => browser.count('reload') === 1);
  browser.status = 200;
  await until('the start page', () => browser.count('load http://menu.localhost:8081/') === 2);
  await shown();
  assert.ok(events.every(({ error }) => error === null || error.code === 'browser_unavailable'));
});

test('a restart of the agent leaves a bundle alone, on whichever of its pages it is', async () => {
  stored.names.set('menu', undefined);
  const store = { current: async () => BUNDLE, last: async () => undefined, save: async () => undefined };
  await make({ store }).start();
  browser.plug('http://menu.localhost:8081/two.html');
  await shown();
  assert.equal(browser.count('load'), 0);
  display.stop();
  await make({ store }).start();
  browser.unplug();
  browser.plug('http://other.localhost:8081/');
  await until('the load', () => browser.count('load http://menu.localhost:8081/') === 1);
});

test('the reason for the waiting page goes with the next thing that is shown', async () => {
  const settings = {
    rotation: 0,
    resumeOnBoot: false,
    bootBundle: 'menu',
    screens: {},
    browser: { userAgent: null, ignoreTlsErrors: false, memoryLimitMb: 0 },
  } as const;
  await make({ settings }).start();
  browser.plug();
  await until('the notice', () => browser.html.startsWith('notice Bundle menu'));
  display.showWaiting();
  await shown();
  assert.equal(browser.html, 'waiting');
  display.apply({ ...settings, bootBundle: 'other' });
  assert.equal(display.state().mode, 'waiting');
});

test('a boot bundle that comes later is no longer missed, not shown, and remembered for the next boot', async () => {
  const settings = {
    rotation: 0,
    resumeOnBoot: false,
    bootBundle: 'menu',
    screens: {},
    browser: { userAgent: null, ignoreTlsErrors: false, memoryLimitMb: 0 },
  } as const;
  await make({ settings }).start();
  browser.plug();
  await until('the notice', () => browser.html.startsWith('notice Bundle menu'));
  await until('the end of loading', () => !display.state().loading);
  display.bundleReplaced('other');
  assert.equal(display.state().error?.code, 'bundle_missing');
  stored.names.set('menu', undefined);
  display.bundleReplaced('menu');
  assert.equal(events.at(-1)?.error, null);
  await until('the plain waiting page', () => browser.html === 'waiting');
  assert.equal(display.state().mode, 'waiting');
  display.apply({ ...settings, resumeOnBoot: true });
  assert.deepEqual(saved.at(-1), { target: BUNDLE, lasting: true });
});

test('turns the screen live and again after the compositor came anew', async () => {
  await showing(URL_A);
  const settings = {
    rotation: 180,
    resumeOnBoot: false,
    bootBundle: null,
    screens: { 'Virtual-1': { rotation: 90, url: null } },
    browser: { userAgent: null, ignoreTlsErrors: false, memoryLimitMb: 0 },
  } as const;
  display.apply(settings);
  await until('the turn', () => browser.calls.includes('rotate Virtual-1 90'));
  assert.equal(display.state().rotation, 90);
  browser.unplug();
  browser.plug();
  await until('the second turn', () => browser.count('rotate Virtual-1 90') === 2);
});

test('the waiting page is drawn anew when what it tells changes', async () => {
  let text = 'one';
  await make({ page: { render: async () => text } }).start();
  browser.plug();
  await shown();
  await display.waitingPageChanged();
  assert.equal(browser.count('html'), 1);
  text = 'two';
  await display.waitingPageChanged();
  await shown();
  assert.equal(browser.html, 'two');
});

test('routes: screens, refusals and what has no backend', async () => {
  await showing(URL_A);
  const app = createApp({ endpoints: displayEndpoints, routes: displayRoutes(display), log });
  const call = async (method: 'GET' | 'POST', path: string, payload?: object) => {
    const answer = await app.inject({
      method,
      url: `/api/v1/display${path}`,
      ...(payload ? { payload } : {}),
    });
    return [answer.statusCode, answer.json().error?.code];
  };
  assert.deepEqual(await call('GET', '?screen=Virtual-1'), [200, undefined]);
  assert.deepEqual(await call('GET', '?screen=HDMI-A-1'), [400, 'screen_not_found']);
  for (const url of ['file:///etc/passwd', 'vitrine://waiting/', 'javascript:1', 'http://', 'http://a b/']) {
    assert.deepEqual(await call('POST', '/navigate', { url }), [400, 'bad_request'], url);
  }
  assert.deepEqual(await call('POST', '/screen', { on: false }), [503, 'unavailable']);
  assert.deepEqual(await call('POST', '/bundle', { name: 'Demo' }), [400, 'bad_request']);
  assert.deepEqual(await call('POST', '/bundle', { name: 'demo' }), [404, 'content_not_found']);
  stored.names.set('demo', 'a/b.js: the CRC-32 is wrong').set('menu', undefined);
  assert.deepEqual(await call('POST', '/bundle', { name: 'demo' }), [400, 'bundle_invalid']);
  assert.equal(display.state().url, URL_A, 'a refusal leaves the screen as it is');
  assert.deepEqual(await call('POST', '/bundle', { name: 'menu' }), [200, undefined]);
  assert.deepEqual(await call('POST', '/execute-js', { script: '1' }), [501, 'not_implemented']);
  const picture = await app.inject('/api/v1/display/screenshot');
  assert.equal(picture.headers['content-type'], 'image/png');
  await app.close();
});

test('without browser and graphics: the state tells, actions are unavailable', async () => {
  await make({
    kiosk: { installed: false, restart: async () => undefined },
    connectors: { read: async () => [] },
  }).start();
  assert.deepEqual(display.state(), {
    mode: 'waiting',
    screen_on: false,
    rotation: 0,
    resolution: null,
    loading: false,
    error: display.state().error,
  });
  assert.equal(display.state().error?.code, 'browser_unavailable');
  assert.throws(() => display.navigate(URL_A), { code: 'unavailable' });
  assert.throws(() => display.reload(), { code: 'unavailable' });
  await assert.rejects(display.screenshot(), { code: 'unavailable' });
  await assert.rejects(display.requireScreen('HDMI-A-1'), { code: 'screen_not_found' });
});
