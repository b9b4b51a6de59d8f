/** What the agent creates, and its configuration. */
import assert from 'node:assert/strict';
import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeUpdater } from '../../../../../lib/fake-updater.ts';
import { until } from '../../../../../lib/fleet-stage.ts';
import { fits } from '../../../contract/validate.ts';
import { hawkbitRules, hawkbitSection } from './config.ts';
import { createHawkbit } from './index.ts';
import { HawkbitStatus } from './schema.ts';
import { HawkbitServer } from './tests/hawkbit-server.ts';

const OFF = { url: null, tenant: 'DEFAULT', controller_id: null, target_token: null, gateway_token: null };

test('is off by default, and works with an authority of its own', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-fleet-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'update/hawkbit.json');
  writeFileSync(join(folder, 'ca-certificates.crt'), '');
  const server = await HawkbitServer.start(t);
  server.bundle = Buffer.alloc(1000);
  const updater = new FakeUpdater();
  let config = OFF;
  const hawkbit = createHawkbit({
    updater,
    board: { dataFolder: folder, runtimeFolder: folder },
    identity: { serial: 'device-1', model: 'virt', version: '1.0.0' },
    compatible: async () => 'vitrine-virt',
    config: () => config,
    log: { info: () => undefined, warn: () => undefined },
  });
  t.after(() => hawkbit.stop());
  await hawkbit.start();
  assert.equal(hawkbit.status().enabled, false);

  config = Object.assign({}, OFF, { url: server.url, target_token: 'its-token' });
  server.offer();
  hawkbit.configChanged();
  await until('the reboot', () => updater.applied.length === 1);
  const expected = { hw_boardname: 'vitrine-virt', sw_version: '1.0.0', serial: 'device-1', model: 'virt' };
  assert.deepEqual(server.attributes, expected);
  assert.equal(updater.sources[0]?.tlsCa, join(folder, 'ca-certificates.crt'));
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.ok(fits(HawkbitStatus, hawkbit.status()), JSON.stringify(hawkbit.status()));
  assert.deepEqual(hawkbit.problems(), []);
});

test('refuses settings that would send requests elsewhere', () => {
  const url = 'https://updates.example/hawkbit';
  assert.ok(fits(hawkbitSection, OFF));
  for (const id of ['.', '..', 'a/b', 'a?b', '', 'x'.repeat(129)]) {
    assert.ok(!fits(hawkbitSection, { ...OFF, controller_id: id }), id);
    assert.ok(!fits(hawkbitSection, { ...OFF, tenant: id }), id);
  }
  for (const token of ['', 'a b', 'a\nb', 'x'.repeat(257)]) {
    assert.ok(!fits(hawkbitSection, { ...OFF, target_token: token }), token);
  }
  assert.deepEqual(hawkbitRules({ ...OFF, url, target_token: 'a' }, '/hawkbit'), []);
  const broken = (change: object) =>
    hawkbitRules({ ...OFF, url, ...change }, '/hawkbit').map(({ path }) => path);
  for (const other of ['https://user:pw@updates.example', `${url}?a=b`, `${url}#a`, 'https://[']) {
    assert.deepEqual(broken({ url: other }), ['/hawkbit/url']);
  }
  assert.deepEqual(broken({ target_token: 'a', gateway_token: 'b' }), ['/hawkbit/gateway_token']);
});
