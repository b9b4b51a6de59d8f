/** The fleet client as the agent creates it, and its configuration. */

import assert from 'node:assert/strict';
import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeUpdater } from '../../../../../testing/fake-updater.ts';
import { until } from '../../../../../testing/fleet-stage.ts';
import { HawkbitServer } from '../../../../../testing/hawkbit-server.ts';
import { validator } from '../../../validation/validator.ts';
import { fleetRules, fleetSection } from './config.ts';
import { FleetClient } from './fleet-client.ts';
import { FleetStatus } from './schema.ts';

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
  const client = new FleetClient({
    installation: updater,
    trial: updater,
    board: { dataFolder: folder, runtimeFolder: folder },
    identity: { serial: 'device-1', model: 'virt', version: '1.0.0' },
    compatible: async () => 'vitrine-virt',
    config: () => config,
    log: { info: () => undefined, warn: () => undefined },
  });
  t.after(() => client.stop());
  await client.start();
  assert.equal(client.status().enabled, false);

  config = Object.assign({}, OFF, { url: server.url, target_token: 'its-token' });
  server.offer();
  client.configChanged();
  await until('the reboot', () => updater.applied.length === 1);
  const expected = { hw_boardname: 'vitrine-virt', sw_version: '1.0.0', serial: 'device-1', model: 'virt' };
  assert.deepEqual(server.attributes, expected);
  assert.equal(updater.sources[0]?.tlsCa, join(folder, 'ca-certificates.crt'));
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.ok(validator(FleetStatus).fits(client.status()), JSON.stringify(client.status()));
  assert.deepEqual(client.problems(), []);
});

test('refuses settings that would send requests elsewhere', () => {
  const url = 'https://updates.example/hawkbit';
  assert.ok(validator(fleetSection).fits(OFF));
  for (const id of ['.', '..', 'a/b', 'a?b', '', 'x'.repeat(129)]) {
    assert.ok(!validator(fleetSection).fits({ ...OFF, controller_id: id }), id);
    assert.ok(!validator(fleetSection).fits({ ...OFF, tenant: id }), id);
  }
  for (const token of ['', 'a b', 'a\nb', 'x'.repeat(257)]) {
    assert.ok(!validator(fleetSection).fits({ ...OFF, target_token: token }), token);
  }
  assert.deepEqual(fleetRules({ ...OFF, url, target_token: 'a' }, '/hawkbit'), []);
  const broken = (change: object) =>
    fleetRules({ ...OFF, url, ...change }, '/hawkbit').map(({ path }) => path);
  for (const other of ['https://user:pw@updates.example', `${url}?a=b`, `${url}#a`, 'https://[']) {
    assert.deepEqual(broken({ url: other }), ['/hawkbit/url']);
  }
  assert.deepEqual(broken({ target_token: 'a', gateway_token: 'b' }), ['/hawkbit/gateway_token']);
});
