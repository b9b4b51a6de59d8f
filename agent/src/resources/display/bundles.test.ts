import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { CONFIG, DisplayStage, screenConfig } from '../../../../testing/display-stage.ts';
import type { FakeBrowser } from '../../../../testing/fake-browser.ts';
import type { Display, DisplayOptions } from './display.ts';
import type { Target } from './ports.ts';
import type { DisplayState } from './schema.ts';

const URL_A = 'http://a.example/';

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

const BUNDLE = { mode: 'bundle', name: 'menu' } as const;
const START = 'http://start/';

/** Configuration, saved targets and stored bundles, with the target that they lead to at boot. */
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
  { title: 'no resuming unless configured', last: BUNDLE, bundles: [['menu']], shows: { mode: 'waiting' } },
  {
    title: 'the last target before the boot bundle',
    last: { mode: 'url', url: URL_A },
    resume: true,
    boot: 'menu',
    bundles: [['menu']],
    shows: { mode: 'url', url: URL_A },
  },
  {
    title: 'the waiting page when that was the last target',
    last: { mode: 'waiting' },
    resume: true,
    url: START,
    shows: { mode: 'waiting' },
  },
  {
    title: 'the target of a restarted agent before all else',
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
    title: 'so does one to resume, even with a boot bundle',
    last: BUNDLE,
    resume: true,
    boot: 'other',
    bundles: [['other']],
    shows: { mode: 'waiting' },
    error: ['bundle_missing', 'There is no bundle menu.'],
  },
  {
    title: 'so does the one of a restarted agent',
    current: BUNDLE,
    url: START,
    bundles: [['menu', 'broken']],
    shows: { mode: 'waiting' },
    error: ['bundle_damaged', 'broken'],
  },
];

for (const { title, current, last, resume, boot, url, bundles, shows, error } of BOOTS) {
  test(`at boot: ${title}`, async () => {
    for (const [name, damage] of bundles ?? []) stage.bundles.names.set(name, damage);
    await make({
      targetStore: { current: async () => current, last: async () => last, save: async () => undefined },
      config: () => ({
        ...CONFIG,
        resume_on_boot: resume ?? false,
        boot_bundle: boot ?? null,
        screens: { 'Virtual-1': screenConfig(null, url ?? null) },
      }),
    }).start();
    browser.plug();
    await until('the end of loading', () => !stage.display.state().loading);
    const { mode, url: shownUrl, bundle, error: actual } = stage.display.state();
    assert.equal(mode, shows.mode);
    assert.equal(shownUrl, shows.mode === 'url' ? shows.url : undefined);
    assert.equal(bundle, shows.mode === 'bundle' ? shows.name : undefined);
    assert.deepEqual(actual, error ? { code: error[0], message: error[1] } : null);
    if (mode === 'waiting') assert.equal(browser.html, error ? `notice Bundle menu ${error[1]}` : 'waiting');
    assert.equal(stage.display.activeBundle, mode === 'bundle' ? 'menu' : undefined);
  });
}

test('at boot: the startup URL also before the graphics driver is loaded, and none of another screen', async () => {
  stage.config = { ...CONFIG, screens: { 'HDMI-A-1': screenConfig(null, START) } };
  await make({ connectors: { read: async () => [] } }).start();
  assert.equal(stage.display.state().url, START);
  stage.display.stop();
  await make().start(); // has Virtual-1
  assert.equal(stage.display.state().mode, 'waiting');
});

async function showingBundle(name: string): Promise<void> {
  stage.bundles.names.set(name, undefined);
  await make().start();
  browser.plug();
  await shown();
  await stage.display.showBundle(name);
  await until('the load', () => browser.count(`load http://${name}.localhost:8081/`) === 1);
  await shown();
}

test('shows a bundle, remembers it, and stays in its mode wherever its page goes', async () => {
  await showingBundle('menu');
  assert.deepEqual(stage.saved.at(-1), { target: BUNDLE, lasting: false });
  for (const uri of ['http://menu.localhost:8081/two.html', 'http://elsewhere.example/']) {
    browser.emit({ event: 'load', state: 'committed', load: 0, uri });
    browser.emit({ event: 'load', state: 'finished', load: 0, uri });
    const { mode, bundle, url } = stage.display.state();
    assert.deepEqual({ mode, bundle, url }, { mode: 'bundle', bundle: 'menu', url: undefined });
    assert.equal(stage.display.activeBundle, 'menu');
  }
  assert.equal(events.at(-1)?.bundle, 'menu');
  stage.display.showWaiting();
  assert.equal(stage.display.activeBundle, undefined);
});

test('a bundle that is deleted while it is checked is not shown', async () => {
  await showingBundle('menu');
  stage.bundles.names.set('other', undefined);
  stage.bundles.meanwhile = () => stage.bundles.names.delete('other');
  await assert.rejects(stage.display.showBundle('other'), { code: 'content_not_found' });
  assert.equal(stage.display.activeBundle, 'menu');
  assert.equal(browser.count('load'), 1);
});

test('a request during the check of a bundle wins over that bundle', async () => {
  await showingBundle('menu');
  stage.bundles.names.set('other', undefined);
  stage.bundles.meanwhile = () => stage.display.navigate(URL_A);
  assert.equal((await stage.display.showBundle('other')).url, URL_A);
  await shown();
  assert.equal(stage.display.state().url, URL_A);
  assert.equal(browser.count('load http://other'), 0);
  stage.bundles.meanwhile = () => undefined;
  assert.equal((await stage.display.showBundle('other')).bundle, 'other');
});

test('a new version of the bundle on the screen is loaded, a new version of another is not', async () => {
  await showingBundle('menu');
  browser.emit({ event: 'load', state: 'committed', load: 0, uri: 'http://menu.localhost:8081/gone.html' });
  const before = events.length;
  stage.display.bundleReplaced('other');
  assert.equal(events.length, before);
  stage.display.bundleReplaced('menu');
  assert.equal(events.at(-1)?.loading, true);
  await until('the load', () => browser.count('load http://menu.localhost:8081/') === 2);
  await shown();
});

test('a bundle whose server does not answer is retried behind a notice', async () => {
  stage.bundles.names.set('menu', undefined);
  await make().start();
  browser.plug();
  await shown();
  browser.behaviour = 'fail';
  await stage.display.showBundle('menu');
  await until('the notice', () => browser.html === 'notice Bundle menu Connection refused');
  await until('a second try', () => browser.count('load') >= 2);
  browser.behaviour = 'finish';
  await shown();
  assert.equal(stage.display.activeBundle, 'menu');
});

test('an HTTP error of a start page is an error, that of a URL is a page', async () => {
  stage.bundles.names.set('menu', undefined);
  await make().start();
  browser.plug();
  await shown();
  browser.status = 500;
  stage.display.navigate(URL_A);
  await shown();
  assert.equal(stage.display.state().url, URL_A);
  await stage.display.showBundle('menu');
  await until('the notice', () => browser.html.startsWith('notice Bundle menu'));
  assert.equal(stage.display.state().error?.code, 'bundle_damaged');
  assert.equal(stage.display.activeBundle, 'menu');
  await until('a second try', () => browser.count('load http://menu') >= 2);
  await until('the notice again', () => browser.count('html') >= 3);
  browser.status = 200;
  await shown();
});

test('a reload at an address that the bundle does not have loads its start page', async () => {
  await showingBundle('menu');
  browser.status = 404;
  stage.display.reload();
  await until('the reload', () => browser.count('reload') === 1);
  browser.status = 200;
  await until('the start page', () => browser.count('load http://menu.localhost:8081/') === 2);
  await shown();
  assert.ok(events.every(({ error }) => error === null || error.code === 'browser_unavailable'));
});

test('a restarted agent does not reload a bundle, whichever of its pages is shown', async () => {
  stage.bundles.names.set('menu', undefined);
  const targetStore = {
    current: async () => BUNDLE,
    last: async () => undefined,
    save: async () => undefined,
  };
  await make({ targetStore }).start();
  browser.plug('http://menu.localhost:8081/two.html');
  await shown();
  assert.equal(browser.count('load'), 0);
  stage.display.stop();
  await make({ targetStore }).start();
  browser.unplug();
  browser.plug('http://other.localhost:8081/');
  await until('the load', () => browser.count('load http://menu.localhost:8081/') === 1);
});

test('the reason for the waiting page ends with the next target', async () => {
  stage.config = { ...CONFIG, boot_bundle: 'menu' };
  await make().start();
  browser.plug();
  await until('the notice', () => browser.html.startsWith('notice Bundle menu'));
  stage.display.showWaiting();
  await shown();
  assert.equal(browser.html, 'waiting');
  stage.config = { ...CONFIG, boot_bundle: 'other' };
  stage.display.configChanged();
  assert.equal(stage.display.state().mode, 'waiting');
});

test('a boot bundle that is stored later is not shown, not reported as missing, and saved for the next boot', async () => {
  stage.config = { ...CONFIG, boot_bundle: 'menu' };
  await make().start();
  browser.plug();
  await until('the notice', () => browser.html.startsWith('notice Bundle menu'));
  await until('the end of loading', () => !stage.display.state().loading);
  stage.display.bundleReplaced('other');
  assert.equal(stage.display.state().error?.code, 'bundle_missing');
  stage.bundles.names.set('menu', undefined);
  stage.display.bundleReplaced('menu');
  assert.equal(events.at(-1)?.error, null);
  await until('the plain waiting page', () => browser.html === 'waiting');
  assert.equal(stage.display.state().mode, 'waiting');
  stage.config = { ...stage.config, resume_on_boot: true };
  stage.display.configChanged();
  assert.deepEqual(stage.saved.at(-1), { target: BUNDLE, lasting: true });
});
