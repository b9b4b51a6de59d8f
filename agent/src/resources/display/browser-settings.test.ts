/** How `browser.*` and `proxy.*` reach the browser. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { DisplayStage } from '../../../../testing/display-stage.ts';
import { SETTINGS } from '../../../../testing/fake-browser.ts';
import { openConfig } from '../config/tests/open-config.ts';
import { browserSettings, hostServicesHint } from './apply-config.ts';

const URL = 'http://one.example/';
let folder: string;
let stage: DisplayStage;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-settings-'));
  stage = new DisplayStage();
  stage.make();
});
afterEach(async () => {
  stage.display.stop();
  await rm(folder, { recursive: true });
});

const configured = () => stage.browser.count('configure');

test('settings from the configuration; the inspector only where a firewall guards it', async () => {
  const config = await openConfig(folder);
  const settings = () => browserSettings(config, true);
  const { memory_limit_mb, ...rest } = settings();
  assert.ok(memory_limit_mb >= 256);
  assert.deepEqual({ ...rest, memory_limit_mb: 0 }, SETTINGS);

  await config.patch({
    browser: { memory_limit_mb: 300, remote_debugging: true, zoom: true },
    proxy: { mode: 'manual', https: 'http://proxy.example:3128', no_proxy: ['.intranet.example'] },
  });
  const own = [hostname().toLowerCase(), 'vitrine'].flatMap((name) => [name, `${name}.local`]);
  own.push('10.55.77.0/24', '10.55.128.0/17');
  const proxy = { http: null, https: 'http://proxy.example:3128', pac: null };
  assert.deepEqual(settings(), {
    ...SETTINGS,
    memory_limit_mb: 300,
    inspector_port: 9222,
    zoom: true,
    proxy: { ...proxy, exceptions: [...own, '.intranet.example'] },
  });
  assert.equal(browserSettings(config, false).inspector_port, 0);
  await config.patch({ proxy: { mode: 'pac', pac_url: 'http://proxy.example/p.pac' } });
  const pac = settings().proxy;
  assert.deepEqual([pac?.https, pac?.pac], [null, 'http://proxy.example/p.pac']);
});

test('a page that could not be loaded from the cable, or perhaps from there, says what allows it', () => {
  const rule = 'pages reach it only while browser.allow_host_services is true';
  for (const [url, hint] of [
    ['http://10.55.77.2:8000/', `this is the USB cable: ${rule}`],
    ['https://10.55.201.198/', `this is the USB cable: ${rule}`],
    ['http://my-laptop.local:5173/', `if this is the host at the USB cable, ${rule}`],
    ['http://10.55.78.2/', undefined],
    ['http://10.55.77.1/', undefined],
    ['http://vitrine.local/', undefined],
    ['http://10.55.127.255/', undefined],
    ['http://a.example/', undefined],
    ['http://[fe80::1]/', undefined],
  ]) {
    assert.equal(hostServicesHint(url ?? ''), hint, url);
  }
});

test('values that the browser would not understand are refused', async () => {
  const config = await openConfig(folder);
  const permission = { origin: 'https://a.example', kind: 'camera' };
  const permissions = (change: object) => ({
    browser: { permissions: [permission, { ...permission, ...change }] },
  });
  const cases: [Parameters<typeof config.patch>[0], string][] = [
    ...['a b', 'a,b', 'a\n', ''].map((host): (typeof cases)[number] => [
      { proxy: { no_proxy: [host] } },
      '/proxy/no_proxy/0',
    ]),
    [permissions({ origin: 'https://a.example:443' }), '/browser/permissions/1/origin'],
    [permissions({ origin: 'https://A.example' }), '/browser/permissions/1/origin'],
    [permissions({ kind: 'midi' }), '/browser/permissions/1/kind'],
  ];
  for (const [patch, path] of cases) {
    await assert.rejects(config.patch(patch), (error) => {
      assert.match(JSON.stringify(error), new RegExp(`"path":"${path}"`));
      return true;
    });
  }
  await config.patch({ browser: { permissions: [permission] }, proxy: { no_proxy: ['10.0.0.0/8', '::1'] } });
});

test('a changed setting is sent at once, and restarts the browser once if it needs a new process', async () => {
  await stage.showing(URL);
  assert.equal(configured(), 1);
  await stage.display.browserSettingsChanged();
  assert.equal(configured(), 1, 'nothing has changed');

  stage.settings = { ...SETTINGS, zoom: true };
  await stage.display.browserSettingsChanged();
  assert.deepEqual([stage.browser.settings?.zoom, stage.unitRestarts], [true, 0]);

  stage.browser.needsRestart = true;
  stage.settings = { ...SETTINGS, user_agent: 'Kiosk/1' };
  // As when a patch contains fields of two groups.
  await stage.display.browserSettingsChanged();
  await stage.display.browserSettingsChanged();
  assert.deepEqual([configured(), stage.unitRestarts], [3, 1]);
  stage.browser.unplug();
  stage.settings = { ...SETTINGS, user_agent: 'Kiosk/2' };
  await stage.display.browserSettingsChanged();
  assert.equal(configured(), 3, 'without a browser');
  stage.browser.needsRestart = false;
  stage.browser.plug();
  await stage.shown();
  assert.equal(stage.browser.settings?.user_agent, 'Kiosk/2');
  assert.deepEqual([configured(), stage.unitRestarts, stage.display.state().url], [4, 1, URL]);
});

test('a browser that has run since before a change is restarted when the agent finds it', async () => {
  stage.browser.needsRestart = true;
  await stage.make().start();
  stage.browser.plug(URL);
  await stage.until('the restart', () => stage.unitRestarts === 1);
});

test('settings that the browser did not take are sent again with the next patch', async () => {
  await stage.showing(URL);
  stage.settings = { ...SETTINGS, zoom: true };
  stage.browser.takesCommands = false;
  await assert.rejects(stage.display.browserSettingsChanged());
  stage.browser.takesCommands = true;
  await stage.display.browserSettingsChanged();
  assert.equal(stage.browser.settings?.zoom, true);
});

test('a browser whose data is being deleted gets no settings before that is done', async () => {
  const cleared = Promise.withResolvers<void>();
  await stage.showing(URL, { browserData: { clear: () => cleared.promise } });
  const answer = stage.display.clearData();
  await stage.until('the restart', () => stage.unitRestarts === 1);
  stage.browser.unplug();
  stage.browser.plug();
  stage.settings = { ...SETTINGS, zoom: true };
  await stage.display.browserSettingsChanged();
  assert.equal(configured(), 1);
  cleared.resolve();
  await answer;
  await stage.shown();
  assert.deepEqual([configured(), stage.browser.settings?.zoom], [2, true]);
});
