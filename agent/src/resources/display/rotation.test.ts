/** A rotation that the compositor refuses: in the answer to the patch, in health, and in the state. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { CONFIG, CONNECTOR, DisplayStage } from '../../../../testing/display-stage.ts';
import type { ConfigStore } from '../config/store.ts';
import { openConfig } from '../config/tests/open-config.ts';
import { bindDisplay } from './apply-config.ts';
import { displayConfig } from './config.ts';
import type { Compositor } from './ports.ts';
import { Screens } from './screens.ts';

let folder: string;
let stage: DisplayStage;
let config: ConfigStore;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-rotation-'));
  stage = new DisplayStage();
  stage.make();
  config = await openConfig(folder);
});
afterEach(async () => {
  stage.display.stop();
  await rm(folder, { recursive: true });
});

test('a refused rotation is saved, reported as not live, and a problem until it works', async () => {
  const warnings: string[] = [];
  const log = { info: () => undefined, warn: (_: unknown, text = '') => void warnings.push(text) };
  const display = stage.make({ log, config: () => config.get(displayConfig) });
  config.bind(bindDisplay(config, display, { check: () => undefined }));
  await display.start();
  stage.browser.plug();
  await stage.until('the first turn', () => stage.browser.count('drive') > 0);
  const problems: string[] = [];
  for (const refusal of ['failed to apply configuration', 'silent']) {
    stage.browser.refusal = refusal;
    const { applied } = await config.patch({
      display: { rotation: 90, screens: { 'Virtual-1': { url: null } } },
    });
    assert.deepEqual(applied, {
      'display.rotation': 'reboot_required',
      'display.screens.Virtual-1.url': 'reboot_required',
    });
    assert.equal(config.get(displayConfig).rotation, 90);
    assert.equal(display.state().rotation, 0);
    assert.equal((await display.listScreens())[0]?.rotation, 0);
    problems.push(...display.screens.problems());
    stage.browser.refusal = undefined;
    const other = await config.patch({ display: { rotation: 180 } });
    assert.deepEqual(other.applied, { 'display.rotation': 'live' });
    assert.equal(display.state().rotation, 180);
    assert.deepEqual(display.screens.problems(), []);
    await config.patch({ display: { rotation: null } });
  }
  assert.deepEqual(problems, [
    'The screen is not used as configured: failed to apply configuration',
    'The screen is not used as configured: the compositor shows it rotated by 0 degrees',
  ]);
  assert.deepEqual(warnings, Array(2).fill('the screen could not be used as configured'));
});

test('an answer of the compositor from before a change does not count after it', async () => {
  const answer = Promise.withResolvers<void>();
  let rotation: 0 | 90 = 0;
  let asked = 0;
  const compositor: Compositor = {
    outputs: async () => {
      asked += 1;
      const output = {
        name: 'Virtual-1',
        mode: null,
        rotation,
        scale: 1,
        modes: [],
        make: null,
        model: null,
      };
      if (asked === 1) await answer.promise;
      return [output];
    },
    drive: async () => undefined,
  };
  const known = { ...CONNECTOR, modes: [] };
  const screens = new Screens({
    browser: Object.assign(stage.browser, { connected: true }),
    connectors: { read: async () => [known] },
    compositor,
    config: () => CONFIG,
    changed: () => undefined,
    screenCameLate: () => undefined,
    turnTouches: async () => undefined,
    checkEveryMs: 60_000,
    log: { info: () => undefined, warn: () => undefined },
  });
  const before = screens.refresh();
  await new Promise(setImmediate);
  rotation = 90;
  const after = screens.refresh(true);
  await new Promise(setImmediate);
  answer.resolve();
  await Promise.all([before, after]);
  assert.equal(screens.rotation, 90);
});
