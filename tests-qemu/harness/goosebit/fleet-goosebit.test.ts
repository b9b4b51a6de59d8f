/** The whole round with a real server: gooseBit from PyPI. Only the updater is not real. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { freePort } from '../../../ci/qemu/ports.ts';
import { FleetStage, until } from '../../../testing/fleet-stage.ts';
import { BreakingProxy } from '../breaking-proxy.ts';
import { GooseBit } from './goosebit.ts';
import { installGooseBit } from './install.ts';

const MIB = 2 ** 20;
const installed = await installGooseBit();
/** Without PyPI these tests are skipped, and say so; fleet-hawkbit.test.ts needs nothing of it. */
const options = { skip: 'unavailable' in installed ? installed.unavailable : false };

/**
 * The file system of a RAUC bundle, without compression and signature: gooseBit reads its manifest. Made with
 * `mksquashfs FOLDER FILE -noI -noD -noF -noX -nopad -all-root -no-xattrs -mkfs-time 0 -all-time 0`.
 */
const BUNDLE = `aHNxcwIAAAAAAAAAAAACAAEAAAABABEAywMBAAQAAAAgAAAAAAAAADcBAAAAAAAALwEAAAAAAAD//////////48AAAAAAAAA0QAAAAAAAAAHAQAA
AAAAACEBAAAAAAAAW3VwZGF0ZV0KY29tcGF0aWJsZT12aXRyaW5lLXRlc3QKdmVyc2lvbj0xLjAuMApAgAIApAEAAAAAAAAAAAEAAAAAAAAAAAAA
AAAAAAAvAAAAAQDtAQAAAAAAAAAAAgAAAAAAAAACAAAAJQAAAAMAAAAigAAAAAAAAAAAAQAAAAAAAAACAA0AbWFuaWZlc3QucmF1Y20QgGAAAAAA
AAAALwAAAQAAAAD1AAAAAAAAABCAAAAAAAAAAAAgAAAAAAAAAA8BAAAAAAAABIAAAAAAKQEAAAAAAAA=`;

/** A bundle for `vitrine-test`. @param version of the form 1.2.3 @param bytes size, of which most are zeros */
function smallBundle(version: string, bytes: number): Buffer {
  const squashfs = Buffer.from(BUNDLE, 'base64');
  squashfs.write(`version=${version}`, squashfs.indexOf('version=1.0.0'), 'latin1');
  return Buffer.concat([squashfs], Math.max(bytes, squashfs.length));
}

/** A gooseBit, and a device that reaches it through a proxy. */
async function rollouts(t: TestContext) {
  const port = await freePort(0);
  const proxy = new BreakingProxy({ host: '127.0.0.1', port });
  const device = new FleetStage(t, `http://127.0.0.1:${await proxy.start()}`, { token: 'its-token' });
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-goosebit-'));
  assert.ok('python' in installed);
  const { python } = installed;
  const server = await GooseBit.start({ python, folder, port, strict: true });
  t.after(async () => {
    device.client.stop();
    await proxy.stop();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const offer = async (version: string) => {
    device.updater.version = version;
    const bundle = smallBundle(version, 2 * MIB);
    return await server.createRollout(await server.upload(`vitrine-${version}.raucb`, bundle));
  };
  const isState = (state: string) => async () => (await server.device('device-1')).state === state;
  return { server, proxy, device, offer, isState };
}

test('registers, installs, and reports the result only after the reboot', options, async (t) => {
  const { server, device, offer, isState } = await rollouts(t);
  const { updater } = device;
  await device.start();
  await until('the refusal', () => device.client.status().error?.code === 'unauthorized');
  await server.setToken('device-1', 'its-token');
  await until('the registration', isState('Registered'));
  const { model, version } = await server.device('device-1');
  assert.deepEqual([model, version], ['vitrine-test', '1.0.0']);

  const half = Promise.withResolvers<void>();
  updater.onPart = (fraction) => (fraction === 0.5 ? half.promise : undefined);
  await offer('1.1.0');
  await until('half of the installation', async () => (await server.device('device-1')).progress === 50);
  half.resolve();
  await until('the reboot', () => updater.applied.length === 1);

  updater.boot();
  await device.start();
  await until('a poll', () => device.client.status().connected === true);
  assert.notEqual((await server.device('device-1')).state, 'Finished');
  updater.endTrial('success');
  await until('the result', isState('Finished'));
  await until('the version', async () => (await server.device('device-1')).version === '1.1.0');
  await until('the end', () => device.client.status().action === null);
  assert.equal(updater.sources.length, 1);
});

test(
  'reports a rollback with its reason, and tries again only when the operator asks',
  options,
  async (t) => {
    const { server, device, offer, isState } = await rollouts(t);
    const { updater } = device;
    await server.setToken('device-1', 'its-token');
    await device.start();
    await offer('1.2.0');
    await until('the reboot', () => updater.applied.length === 1);
    updater.boot();
    updater.endTrial('rolled_back');
    await device.start();
    await until('the result', isState('Error'));
    await until('the reason', async () => (await server.log('device-1')).includes('painted no frame.'));
    // gooseBit has one id for all offers of a bundle: only one after a poll without offer is a new one.
    await until('a poll without offer', () => !device.stored.includes('"result"'));
    assert.equal(updater.sources.length, 1);

    await server.force('device-1');
    await until('the second reboot', () => updater.applied.length === 2);
    updater.endTrial('success');
    await device.start();
    await until('the second result', isState('Finished'));
  },
);

test('goes on after each of five breaks of the network', options, async (t) => {
  const { server, proxy, device, offer, isState } = await rollouts(t);
  const { updater } = device;
  await server.setToken('device-1', 'its-token');
  await device.start();
  await until('the registration', isState('Registered'));
  const before = proxy.bytesToClients;
  updater.onPart = (fraction) => {
    if (fraction <= 5 / 8) proxy.break();
  };
  await offer('1.1.0');
  for (let breaks = 1; breaks <= 5; breaks += 1) {
    await until(`break ${breaks}`, () => proxy.breaks === breaks);
    await until('the loss', () => device.client.status().error !== null);
    proxy.restore();
  }
  await until('the reboot', () => updater.applied.length === 1);
  assert.ok(proxy.bytesToClients - before < 2.5 * MIB, 'what was fetched is not fetched again');
  updater.endTrial('success');
  await device.start();
  await until('the result', isState('Finished'));
});
