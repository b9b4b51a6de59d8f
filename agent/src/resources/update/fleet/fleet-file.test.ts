/** What the fleet client makes of a file that it cannot use. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FleetStage, until } from '../../../../../testing/fleet-stage.ts';
import { HawkbitServer } from '../../../../../testing/hawkbit-server.ts';

/** Puts something in the place of the file. */
const UNUSABLE: readonly [what: string, place: (path: string) => void, reason: RegExp][] = [
  ['a newer schema', (path) => writeFileSync(path, '{"schema":2,"server":"x"}'), /it has schema 2, but/],
  ['another form', (path) => writeFileSync(path, '{"action":{"id":8,"phase":"verifying"}}'), /another form/],
  ['half of it', (path) => writeFileSync(path, '{"action":'), /it is not JSON/],
  ['an empty file', (path) => writeFileSync(path, ''), /it is not JSON/],
  ['zeros', (path) => writeFileSync(path, Buffer.alloc(4096)), /it is not JSON/],
  ['a list', (path) => writeFileSync(path, '[]'), /it is not a JSON object/],
  ['a folder', (path) => mkdirSync(join(path, 'sub'), { recursive: true }), /it is not a regular file/],
  ['a pipe', (path) => execFileSync('mkfifo', [path]), /it is not a regular file/],
];

/** An update that was applied; the server still waits for its result. */
async function applied(t: TestContext) {
  const server = await HawkbitServer.start(t);
  server.bundle = Buffer.alloc(1000, 7);
  const device = new FleetStage(t, server.url, { token: 'its-token' });
  const action = server.offer();
  await device.start();
  await until('the reboot', () => device.updater.applied.length === 1);
  device.client.stop();
  return { server, device, action, path: join(device.folder, 'hawkbit.json') };
}

for (const [what, place, reason] of UNUSABLE) {
  test(`an update that was rolled back is not installed again if the file is ${what}`, async (t) => {
    const { server, device, action, path } = await applied(t);
    rmSync(path);
    place(path);
    device.updater.boot();
    device.updater.endTrial('rolled_back');
    await device.start();
    await until('the result', () => action.state === 'error');
    assert.match(action.reports.at(-1) ?? '', /painted no frame/);
    assert.equal(device.updater.sources.length, 1);
    // It is set aside and reported.
    assert.match(device.client.problems().join(), reason);
    const kept = readdirSync(device.folder).filter((name) => name !== 'hawkbit.json');
    assert.match(kept.join(), /^hawkbit\.(v2|damaged-[-\dTZ]+)\.json$/);
    device.configure({ url: null });
    assert.match(device.client.problems().join(), reason, 'also while it is off');
    // The next update is carried out.
    device.configure({ url: server.url });
    server.offer();
    await until('the next reboot', () => device.updater.applied.length === 2);
  });
}

test('after a loss of the file nothing is begun before it is known whether the running version is the update', async (t) => {
  const { server, device, action, path } = await applied(t);
  rmSync(path);
  device.updater.boot();
  server.received.length = 0;
  await device.start();
  device.updater.endTrial('success');
  await until('the result', () => action.state === 'finished');
  assert.equal(device.updater.sources.length, 1);
});

test('the end of an update of one server is not reported to another one', async (t) => {
  const { device, path } = await applied(t);
  rmSync(path);
  device.updater.endTrial('rolled_back');
  const other = await HawkbitServer.start(t);
  other.bundle = Buffer.alloc(1000, 8);
  device.config = { ...device.config, url: other.url };
  const action = other.offer();
  await device.start();
  await until('its reboot', () => device.updater.applied.length === 2);
  assert.equal(action.state, 'running');
});

test('an update that could not begin because the disk took no file begins when it does', async (t) => {
  const server = await HawkbitServer.start(t);
  server.bundle = Buffer.alloc(1000, 7);
  const device = new FleetStage(t, server.url, { token: 'its-token' });
  await device.start();
  await until('a poll', () => device.client.status().connected);
  renameSync(device.folder, `${device.folder}.away`);
  writeFileSync(device.folder, '');
  server.offer();
  await until('the problem', () => /cannot store/.test(device.client.problems().join()));
  assert.equal(device.updater.sources.length, 0);
  rmSync(device.folder);
  renameSync(`${device.folder}.away`, device.folder);
  // As the client does by itself half a minute later.
  await device.client.start();
  await until('the reboot', () => device.updater.applied.length === 1);
});
