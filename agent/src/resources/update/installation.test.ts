import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { createLogger } from '../../base/logger.ts';
import { ApiError } from '../../contract/errors.ts';
import { EventBus } from '../../events/bus.ts';
import { Operations } from '../operations/operations.ts';
import { Installation } from './installation.ts';
import type { BundleInstaller, InstallRequest, SlotFacts } from './ports.ts';
import { Slots } from './slots.ts';
import { StateFile } from './state-file.ts';

const log = createLogger('silent');
/** Its superblock is all that the agent looks at. */
const BUNDLE = Buffer.alloc(500_000, 'hsqs');
BUNDLE.writeBigUInt64LE(400_000n, 40);
const hasCode = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;
const EMPTY: SlotFacts = {
  bootable: true,
  content: 'unknown',
  version: null,
  installations: 4,
  activations: 0,
};

/** RAUC, whose installation ends when the test says so. It outlives the agents of the test. */
class Rauc implements BundleInstaller {
  requests: InstallRequest[] = [];
  slot = EMPTY;
  #running = Promise.withResolvers<string>();

  async compatible() {
    return 'test';
  }

  async begin(request: InstallRequest) {
    this.requests.push(request);
    this.slot = { ...EMPTY, bootable: false, content: 'incomplete' };
  }

  async untilIdle(progress: (fraction: number) => void, signal: AbortSignal) {
    progress(0.5);
    const stopped = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason)),
    );
    return await Promise.race([this.#running.promise, stopped]);
  }

  finish(): void {
    this.slot = { ...this.slot, content: 'complete', installations: this.slot.installations + 1 };
    this.#running.resolve('');
  }

  /** @param message its last error; empty if it was restarted */
  fail(message: string): void {
    this.#running.resolve(message);
  }
}

async function device(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-installation-'));
  t.after(() => rm(folder, { recursive: true }));
  const rauc = new Rauc();
  /** A new agent. */
  const start = async () => {
    const bus = new EventBus();
    const ended = Promise.withResolvers<void>();
    const operations = new Operations(bus);
    bus.listen('operation', ({ payload: operation }) => {
      if (Object(operation).state !== 'running') ended.resolve();
    });
    const state = await StateFile.open(folder, log);
    const service = {
      read: async () => ({ booted: 'a' as const, slots: { a: EMPTY, b: rauc.slot } }),
      versions: async () => ({ a: null, b: null }),
    };
    const slots = new Slots(service, 'a', log);
    const installation = new Installation({
      folder,
      serviceFolder: join(folder, 'rauc'),
      disk: {
        reserve: async () => undefined,
        free: async () => ({ free_bytes: 0, total_bytes: 0 }),
      },
      operations,
      slots,
      trial: { requireNoTrial: () => undefined, requireSlots: async () => undefined },
      installer: rauc,
      state,
      allowDowngrade: () => false,
      log,
    });
    t.after(() => installation.stop());
    await installation.prepare();
    const put = (body: Readable | Buffer = BUNDLE) =>
      installation.put(Buffer.isBuffer(body) ? Readable.from([body]) : body, undefined);
    return { installation, operations, slots, state, put, ended: ended.promise };
  };
  const files = () => readdir(folder);
  /** Resolves when RAUC has been asked to install. */
  const begun = async () => {
    while (rauc.requests.length === 0) await new Promise(setImmediate);
  };
  return { folder, rauc, start, files, begun };
}

test('a bundle is received and installed; its file is removed', async (t) => {
  const { rauc, start, files, begun } = await device(t);
  const { put, operations, state, ended } = await start();
  const { operation_id: id, kind, state: first } = await put();
  assert.deepEqual([kind, first], ['update_install', 'running']);
  await begun();
  const [request] = rauc.requests;
  assert.equal(request?.transaction, id);
  rauc.finish();
  await ended;
  const { state: last, progress } = operations.get(id);
  assert.deepEqual([last, progress], ['done', 1]);
  assert.deepEqual(state.current.installed, { installations: 5, reference: null });
  assert.equal(state.current.operation, null);
  await t.waitFor(async () => assert.deepEqual(await files(), ['state.json']));
});

test('one at a time; only the writing of a slot counts as an installation', async (t) => {
  const { start, begun } = await device(t);
  const { installation, slots, put } = await start();
  const body = new Readable({ read: () => undefined });
  body.push(BUNDLE.subarray(0, 100));
  const receiving = put(body);
  await assert.rejects(put(), hasCode('conflict'));
  await assert.rejects(
    installation.installFrom({ url: 'x', headers: [], reference: 'y' }, () => undefined),
    hasCode('conflict'),
  );
  assert.equal(slots.installing, false);
  body.push(BUNDLE.subarray(100));
  body.push(null);
  await receiving;
  await begun();
  await assert.rejects(put(), hasCode('conflict'));
  assert.equal(slots.installing, true);
});

test('a bundle is taken at once after one that broke off', async (t) => {
  const { start, begun } = await device(t);
  const { put } = await start();
  const body = new Readable({ read: () => undefined }).on('error', () => undefined);
  body.push(BUNDLE.subarray(0, 100));
  const broken = put(body);
  await new Promise(setImmediate);
  body.destroy(new Error('gone'));
  const next = put();
  await assert.rejects(broken, hasCode('bad_request'));
  assert.equal((await next).state, 'running');
  await begun();
});

const FAILURES: readonly [what: string, message: string, code: string][] = [
  ['the error of the update service', "Compatible mismatch: Expected 'a' but", 'bundle_invalid'],
  ['a restart of the update service', '', 'unavailable'],
];
for (const [what, message, code] of FAILURES) {
  test(`${what} ends the operation`, async (t) => {
    const { rauc, start, files, begun } = await device(t);
    const { slots, put, operations, state, ended } = await start();
    const { operation_id: id } = await put();
    await begun();
    rauc.fail(message);
    await ended;
    assert.equal(operations.get(id).error?.error.code, code);
    assert.deepEqual([state.current.installed, state.current.operation], [null, null]);
    await t.waitFor(async () => assert.deepEqual(await files(), ['state.json']));
    slots.requireUnused();
  });
}

test('a body that is no bundle or breaks off is never given to the update service', async (t) => {
  const { rauc, start, files } = await device(t);
  const agent = await start();
  await assert.rejects(agent.put(Buffer.from('PK')), hasCode('bundle_invalid'));
  const broken = new Readable({ read: () => undefined });
  broken.push(BUNDLE.subarray(0, 100_000));
  setImmediate(() => broken.destroy());
  await assert.rejects((await start()).put(broken), hasCode('bad_request'));
  assert.deepEqual(rauc.requests, []);
  await t.waitFor(async () => assert.deepEqual(await files(), ['state.json']));
});

test('an agent that starts while a slot is written picks the operation up again', async (t) => {
  const { rauc, start, begun } = await device(t);
  const first = await start();
  const { operation_id: id } = await first.put();
  await begun();
  first.installation.stop();
  const second = await start();
  const resumed = second.installation.proceed();
  assert.equal(second.operations.get(id).state, 'running');
  assert.throws(() => second.slots.requireUnused(), hasCode('conflict'));
  rauc.finish();
  await resumed;
  assert.equal(second.operations.get(id).state, 'done');
  assert.equal(second.state.current.installed?.installations, 5);
});

test('an agent that starts after a reboot in the middle ends the operation', async (t) => {
  const { folder, rauc, start, begun } = await device(t);
  const first = await start();
  const { operation_id: id } = await first.put();
  await begun();
  first.installation.stop();
  rauc.fail('');
  await mkdir(join(folder, 'rauc'));
  await writeFile(join(folder, 'rauc/central.raucs.A1B2C3'), '');
  const second = await start();
  await second.installation.proceed();
  assert.deepEqual(await readdir(join(folder, 'rauc')), []);
  assert.equal(second.operations.get(id).error?.error.code, 'unavailable');
  // The next agent knows nothing of it any more.
  const third = await start();
  await third.installation.proceed();
  assert.throws(() => third.operations.get(id), hasCode('operation_not_found'));
});

test('a bundle that an agent was receiving when it ended is to be sent again', async (t) => {
  const { start, files } = await device(t);
  const first = await start();
  const body = new Readable({ read: () => undefined });
  body.push(BUNDLE.subarray(0, 100_000));
  first.put(body).catch(() => undefined);
  await t.waitFor(() => assert.ok(first.state.current.operation));
  const id = String(first.state.current.operation?.id);
  const second = await start();
  await second.installation.proceed();
  assert.match(String(second.operations.get(id).error?.error.message), /send it again/);
  assert.deepEqual(await files(), ['state.json']);
});
