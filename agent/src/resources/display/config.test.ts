/** `display.screens.<id>` in a patch: which ids it may name, and what is live. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { CONNECTOR, DisplayStage } from '../../../../testing/display-stage.ts';
import { ApiError } from '../../contract/errors.ts';
import type { ConfigStore } from '../config/store.ts';
import { openConfig } from '../config/tests/open-config.ts';
import { bindDisplay } from './apply-config.ts';
import { displayConfig } from './config.ts';

const FIRST = { ...CONNECTOR, id: 'HDMI-A-1' };
const SECOND = { ...CONNECTOR, id: 'HDMI-A-2', connected: false };

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-screens-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function open(connectors = [FIRST, SECOND]): Promise<ConfigStore> {
  const config = await openConfig(folder);
  const display = new DisplayStage().make({ connectors: { read: async () => connectors } });
  config.bind(bindDisplay(config, display, { check: () => undefined }));
  return config;
}

test('a screen that is no output is screen_not_found; one that is gone can still be removed', async () => {
  const config = await open();
  await assert.rejects(config.patch({ display: { screens: { 'DP-1': { rotation: 90 } } } }), {
    code: 'screen_not_found',
    details: { screen: 'DP-1', screens: ['HDMI-A-1', 'HDMI-A-2'] },
  });
  for (const id of ['x'.repeat(65), 'x'.repeat(100_000), '', '__proto__', 'HDMI-A-1\n']) {
    for (const entry of [{ rotation: 90 }, {}, null]) {
      const patch = { display: { screens: Object.fromEntries([[id, entry]]) } };
      await assert.rejects(config.patch(patch), (error) => {
        assert.ok(error instanceof ApiError && error.code === 'screen_not_found', `${id}: ${error}`);
        assert.ok(JSON.stringify(error.envelope).length < 500);
        return true;
      });
    }
  }
  // Nothing is stored for it, but it is there.
  await config.patch({ display: { screens: { 'HDMI-A-2': null } } });
  await config.patch({ display: { screens: { 'HDMI-A-2': { rotation: 90 } } } });
  const without = await open([FIRST]);
  await without.patch({ display: { screens: { 'HDMI-A-2': null } } });
  assert.deepEqual(without.get(displayConfig).screens, {});
  await assert.rejects(without.patch({ display: { screens: { 'HDMI-A-2': null } } }), {
    code: 'screen_not_found',
  });
});

test('languages are written as BCP 47 does', async () => {
  const config = await openConfig(folder);
  await config.patch({ browser: { languages: ['de-CH', 'zh-Hant-TW', 'sr-Latn', 'es-419', 'en'] } });
  for (const tag of ['de_CH', 'de-ch', 'DE', 'x', 'iw', 'en-US-US', '', '*']) {
    await assert.rejects(config.patch({ browser: { languages: ['fr', tag] } }), { code: 'bad_request' }, tag);
  }
  await assert.rejects(config.patch({ browser: { languages: ['fr', 'fr'] } }), { code: 'bad_request' });
});

test("only the primary screen's rotation is live", async () => {
  const config = await open();
  const { applied } = await config.patch({
    display: { screens: { 'HDMI-A-1': { rotation: 90 }, 'HDMI-A-2': { rotation: 90 } } },
  });
  assert.deepEqual(applied, {
    'display.screens.HDMI-A-1.rotation': 'live',
    'display.screens.HDMI-A-2.rotation': 'reboot_required',
  });
  // Also when all of them are reset at once, by an agent that has not looked at its screens yet.
  for (const patch of [{ display: { screens: null } }, { display: null }]) {
    const fresh = await open();
    await fresh.patch({ display: { screens: { 'HDMI-A-1': { rotation: 90 } } } });
    const reset = (await (await open()).patch(patch)).applied;
    assert.equal(reset['display.screens.HDMI-A-1.rotation'], 'live');
  }
});
