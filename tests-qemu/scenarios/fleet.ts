/**
 * Fleet updates on the device: gooseBit offers a bundle by HTTPS, RAUC streams it over a network that breaks, the agent
 * applies it, and the result reaches the server after the reboot. The bundle contains a megabyte of random bytes instead of
 * a system, so the result is a rollback. Without PyPI there is no gooseBit: then these tests are skipped, and the same
 * bundle is sent to the device instead.
 *
 * `--long` adds a complete update that succeeds, of which only what has changed is fetched.
 */
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runtimeFolder } from '../../ci/lib/places.ts';
import { HOST_ADDRESS } from '../../ci/qemu/arguments.ts';
import { freePort } from '../../ci/qemu/ports.ts';
import { field } from '../../testing/field.ts';
import { authority, certificate } from '../../testing/make-certificates.ts';
import { waitFor } from '../../testing/wait.ts';
import { BreakingProxy } from '../harness/breaking-proxy.ts';
import { putCertificate } from '../harness/certificates.ts';
import type { Device } from '../harness/device.ts';
import { GooseBit } from '../harness/goosebit/goosebit.ts';
import { HttpsFront } from '../harness/goosebit/https-front.ts';
import { installGooseBit } from '../harness/goosebit/install.ts';
import { scenario } from '../harness/suite.ts';
import {
  applyAndWait,
  bootVariables,
  changedBundle,
  developmentUpdates,
  install,
  resultAfter,
} from '../harness/updates.ts';

const LONG_MS = 30 * 60_000;
const WAIT_MS = 300_000;
const VERSION = '9.0.1';
/** Of the complete update. */
const NEXT = '9.1.0';
const FAILED_UPDATE =
  'a bundle without a system comes over a network that breaks five times, is given up, and the server gets the reason';
const COMPLETE_UPDATE = 'a complete update is fetched in part, and the server gets its success';
const ID = 'display-1';
const TOKEN = 'its-token';
const BREAKS = 5;
/** Bytes between two breaks: all of them together are half of the bundle, which is not fetched twice. */
const BREAK_AFTER = 100_000;
/** The share of a complete bundle that may be fetched when a few files have changed. */
const CHANGED_SHARE = 0.1;

/** gooseBit, behind HTTPS and a network that can break. */
class Fleet {
  readonly #server: GooseBit;
  readonly #front: HttpsFront;
  readonly #folder: string;
  readonly #device: Device;
  readonly proxy: BreakingProxy;

  private constructor(server: GooseBit, front: HttpsFront, folder: string, device: Device) {
    this.#server = server;
    this.#front = front;
    this.#folder = folder;
    this.#device = device;
    this.proxy = new BreakingProxy({ host: '127.0.0.1', port: front.port });
  }

  /** Starts the server and registers the device with it. */
  static async start(python: string, device: Device): Promise<Fleet> {
    const port = await freePort(0);
    const folder = join(runtimeFolder(`test-fleet-${process.pid}`), 'goosebit');
    // A second attempt must not find the devices of the first one.
    await rm(folder, { recursive: true, force: true });
    const ca = authority('Fleet Root');
    const server = await GooseBit.start({ python, folder, port, strict: true });
    const front = await HttpsFront.start(certificate({ name: 'fleet', issuer: ca }), port);
    const fleet = new Fleet(server, front, folder, device);
    try {
      const url = `https://${HOST_ADDRESS}:${await fleet.proxy.start()}`;
      await server.setToken(ID, TOKEN);
      await putCertificate(device, 'ca', ca.cert);
      const hawkbit = { url, controller_id: ID, target_token: TOKEN };
      await device.act('PATCH', '/config', { update: { hawkbit } });
      await fleet.stateIs('Registered');
      return fleet;
    } catch (error) {
      await fleet.stop();
      throw error;
    }
  }

  async stateIs(state: string): Promise<void> {
    await waitFor(async () => (await this.#server.device(ID)).state === state, {
      timeoutMs: WAIT_MS,
      what: `gooseBit to call the device ${state}`,
      intervalMs: 500,
    });
  }

  async offer(version: string, bundle: Buffer): Promise<void> {
    await this.#server.createRollout(await this.#server.upload(`vitrine-${version}.raucb`, bundle));
  }

  /** As an operator does after a failure: without it, gooseBit offers nothing more to the device. */
  async offerAgain(version: string, bundle: Buffer): Promise<void> {
    await this.offer(version, bundle);
    await this.#server.force(ID);
  }

  async stop(): Promise<void> {
    this.#device.say(await this.#server.log(ID).catch(String));
    await this.proxy.stop();
    await this.#front.stop();
    await this.#server.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function breakRepeatedly(proxy: BreakingProxy): Promise<void> {
  for (let breaks = 1; breaks <= BREAKS; breaks += 1) {
    await waitFor(() => proxy.breaks === breaks, {
      timeoutMs: WAIT_MS,
      what: `break ${breaks} of the network`,
    });
    proxy.restore();
    if (breaks < BREAKS) proxy.breakAfter(BREAK_AFTER);
  }
}

export default scenario({
  title: 'fleet: an update from gooseBit over a network that breaks, and its true result',
  onlyNamed: true,
  needs: 'machine',
  parts: ['slots'],
  machine: 'restored',
  run: async ({ device, image, options, skip, test }) => {
    const [{ bytes }] = await developmentUpdates(runtimeFolder(`test-fleet-bundle-${process.pid}`), [
      VERSION,
    ]);
    /** The rest of both variants of the first test. */
    const gaveUp = async (status: unknown) => {
      const text = JSON.stringify(status);
      assert.equal(field(status, 'active_slot'), 'a', text);
      assert.deepEqual(field(status, 'slots.b'), { version: VERSION, state: 'bad' }, text);
      assert.equal(field(status, 'last_result.outcome'), 'rolled_back', text);
      assert.equal(field(status, 'last_result.reason.code'), 'boot_failed', text);
      assert.match(String(field(status, 'last_result.reason.message')), /it never reached its initramfs/);
      assert.equal((await bootVariables(device)).BOOT_B_LEFT, '0');
    };
    const installed = await installGooseBit();
    if ('unavailable' in installed) {
      await test(
        'a slot without a system is given up after three attempts',
        async () => {
          await install(device, bytes);
          const status = await applyAndWait(device);
          await gaveUp(status);
          assert.equal(field(status, 'last_result.reference'), null);
        },
        LONG_MS,
      );
      for (const title of options.long ? [FAILED_UPDATE, COMPLETE_UPDATE] : [FAILED_UPDATE]) {
        skip(title, installed.unavailable);
      }
      return;
    }
    const fleet = await Fleet.start(installed.python, device);
    try {
      await test(
        FAILED_UPDATE,
        async () => {
          const status = await resultAfter(device, async () => {
            fleet.proxy.breakAfter(BREAK_AFTER);
            await fleet.offer(VERSION, bytes);
            await breakRepeatedly(fleet.proxy);
          });
          await fleet.stateIs('Error');
          device.say(`fetched ${fleet.proxy.bytesToClients} bytes, of a bundle of ${bytes.length}`);
          await gaveUp(status);
          assert.notEqual(field(status, 'last_result.reference'), null, JSON.stringify(status));
        },
        LONG_MS,
      );

      if (!options.long) return;
      await test(
        COMPLETE_UPDATE,
        async () => {
          const bundle = await readFile(await changedBundle(image, NEXT));
          const before = fleet.proxy.bytesToClients;
          const status = await resultAfter(device, () => fleet.offerAgain(NEXT, bundle));
          const fetched = fleet.proxy.bytesToClients - before;
          device.say(`fetched ${fetched} bytes, of a bundle of ${bundle.length}`);
          const text = JSON.stringify(status);
          assert.equal(field(status, 'last_result.outcome'), 'success', text);
          assert.deepEqual(field(status, 'slots.b'), { version: NEXT, state: 'good' }, text);
          assert.equal(field(status, 'active_slot'), 'b', text);
          await fleet.stateIs('Finished');
          assert.ok(fetched < CHANGED_SHARE * bundle.length, `${fetched} of ${bundle.length} bytes`);
        },
        LONG_MS,
      );
    } finally {
      await fleet.stop();
    }
  },
});
