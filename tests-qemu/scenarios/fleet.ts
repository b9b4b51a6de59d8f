/**
 * A fleet update on the device: gooseBit offers a bundle, RAUC streams it over a network that breaks, the agent applies it,
 * and the result reaches the server after the reboot. The bundle contains a megabyte of random bytes instead of a system, so
 * the result is a rollback. Without PyPI there is no gooseBit; then the bundle is sent to the device instead.
 */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { field } from '../../ci/client/events.ts';
import { runtimeFolder } from '../../ci/lib/places.ts';
import { waitFor } from '../../ci/lib/wait.ts';
import { HOST_ADDRESS } from '../../ci/qemu/arguments.ts';
import { freePort } from '../../ci/qemu/ports.ts';
import { BreakingProxy } from '../harness/breaking-proxy.ts';
import type { Device } from '../harness/device.ts';
import { GooseBit } from '../harness/goosebit/goosebit.ts';
import { installGooseBit } from '../harness/goosebit/install.ts';
import { scenario } from '../harness/suite.ts';
import { applyAndWait, bootVariables, developmentUpdates, install, resultAfter } from '../harness/updates.ts';

const LONG_MS = 30 * 60_000;
const WAIT_MS = 300_000;
const VERSION = '9.0.1';
const ID = 'display-1';
const TOKEN = 'its-token';
const BREAKS = 5;
/** Bytes between two breaks: all of them together are half of the bundle, which is not fetched twice. */
const BREAK_AFTER = 100_000;

/** Installs and applies by the server; returns `GET /update` after the rollback. */
async function fleetRound(device: Device, python: string, bundle: Buffer): Promise<unknown> {
  const port = await freePort(0);
  const folder = join(runtimeFolder(`test-fleet-${process.pid}`), 'goosebit');
  // A second attempt must not find the devices of the first one.
  await rm(folder, { recursive: true, force: true });
  const server = await GooseBit.start({ python, folder, port, strict: true });
  const proxy = new BreakingProxy({ host: '127.0.0.1', port });
  const stateIs = (state: string) =>
    waitFor(async () => (await server.device(ID)).state === state, {
      timeoutMs: WAIT_MS,
      what: `gooseBit to call the device ${state}`,
      intervalMs: 500,
    });
  try {
    await server.setToken(ID, TOKEN);
    const url = `http://${HOST_ADDRESS}:${await proxy.start()}`;
    const hawkbit = { url, controller_id: ID, target_token: TOKEN };
    return await resultAfter(device, async () => {
      await device.act('PATCH', '/config', { update: { hawkbit } });
      await stateIs('Registered');
      proxy.breakAfter(BREAK_AFTER);
      await server.createRollout(await server.upload(`vitrine-${VERSION}.raucb`, bundle));
      for (let breaks = 1; breaks <= BREAKS; breaks += 1) {
        await waitFor(() => proxy.breaks === breaks, {
          timeoutMs: WAIT_MS,
          what: `break ${breaks} of the network`,
        });
        proxy.restore();
        if (breaks < BREAKS) proxy.breakAfter(BREAK_AFTER);
      }
    });
  } finally {
    await stateIs('Error').catch((error: unknown) => device.say(String(error)));
    device.say(`fetched ${proxy.bytesToClients} bytes, of a bundle of ${bundle.length}`);
    device.say(await server.log(ID).catch(String));
    await proxy.stop();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

export default scenario({
  title: 'fleet: an update from gooseBit over a network that breaks, and its true result',
  machine: 'restored',
  run: async ({ device, test }) => {
    const [{ bytes }] = await developmentUpdates(runtimeFolder(`test-fleet-bundle-${process.pid}`), [
      VERSION,
    ]);
    const installed = await installGooseBit();
    if ('unavailable' in installed) device.say(installed.unavailable);

    await test(
      'a slot without a system is given up after three attempts, and the server gets the reason',
      async () => {
        let status: unknown;
        if ('python' in installed) {
          status = await fleetRound(device, installed.python, bytes);
        } else {
          await install(device, bytes);
          status = await applyAndWait(device);
        }
        const text = JSON.stringify(status);
        assert.equal(field(status, 'active_slot'), 'a', text);
        assert.deepEqual(field(status, 'slots.b'), { version: VERSION, state: 'bad' }, text);
        assert.equal(field(status, 'last_result.outcome'), 'rolled_back', text);
        assert.equal(field(status, 'last_result.reason.code'), 'boot_failed', text);
        assert.match(String(field(status, 'last_result.reason.message')), /it never reached its initramfs/);
        assert.equal(field(status, 'last_result.reference') !== null, 'python' in installed, text);
        assert.equal((await bootVariables(device)).BOOT_B_LEFT, '0');
      },
      LONG_MS,
    );
  },
});
