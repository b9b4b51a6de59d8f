/** Archives that only their bytes tell are read when the device is up, and not before. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, test } from 'node:test';
import { createLogger } from '../../base/logger.ts';
import { EventBus } from '../../events/bus.ts';
import { FileSystemSpace } from '../../system/disk-space.ts';
import { Operations } from '../operations/operations.ts';
import { operationChanged } from '../operations/schema.ts';
import { ContentStore } from './store.ts';
import { bundle, sha256 } from './tests/content.ts';

/** Nobody reads that many bytes within the time of these tests; as holes they take no room. */
const ENDLESS_BYTES = 4 * 2 ** 40;
const TIMEOUT = { timeout: 30_000 };

let folder: string;
let bus: EventBus;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-unread-'));
  bus = new EventBus();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function open(): Promise<ContentStore> {
  return ContentStore.open({
    folder,
    operations: new Operations(bus),
    isActive: () => false,
    closeRemoved: async () => undefined,
    log: createLogger('silent'),
    disk: new FileSystemSpace(folder),
  });
}

async function endless(name: string): Promise<void> {
  await writeFile(join(folder, `${name}.zip`), '');
  await truncate(join(folder, `${name}.zip`), ENDLESS_BYTES);
}

const names = async (store: ContentStore) => (await store.list()).bundles.map(({ name }) => name);

test('an archive that takes for ever to read delays neither the start nor the end', TIMEOUT, async () => {
  await endless('big');
  const store = await open();
  const reading = store.start();
  assert.deepEqual(await names(store), []);
  assert.match(store.problems().join(), /^The content bundle big is still being read/);
  assert.equal((await store.problem('big'))?.code, 'bundle_missing');
  assert.match((await store.problem('big'))?.message ?? '', /is still being read/);
  await store.close();
  await reading;
});

test('a bundle whose description was lost is there when it has been read, and those who wait are told', async () => {
  const bytes = await bundle('a');
  await writeFile(join(folder, 'menu.zip'), bytes);
  const store = await open();
  const told: string[] = [];
  store.onRead((name) => told.push(name));
  assert.deepEqual(await names(store), []);
  await store.start();
  assert.deepEqual(await names(store), ['menu']);
  assert.deepEqual([told, store.problems()], [['menu'], []]);
  assert.equal(await store.problem('menu'), undefined);
  await store.close();
});

test('an upload of its name waits with its last step, so that a power cut leaves no wrong description', async () => {
  const [older, newer] = [await bundle('old'), await bundle('new')];
  assert.equal(older.length, newer.length);
  await writeFile(join(folder, 'menu.zip'), older);
  const store = await open();
  const ended = new Promise((resolve) => {
    bus.on(operationChanged, ({ state }) => {
      if (state !== 'running') resolve(state);
    });
  });
  await store.put('menu', Readable.from([newer]), newer.length);
  assert.equal(sha256(await readFile(join(folder, 'menu.zip'))), sha256(older), 'the old one is still there');
  await store.start();
  assert.equal(await ended, 'done');
  const [listed] = (await store.list()).bundles;
  assert.equal(listed?.sha256, sha256(newer));
  assert.equal(sha256(await readFile(join(folder, 'menu.zip'))), sha256(newer));
  await store.close();
});

test('an upload that waits for it ends with the agent', TIMEOUT, async () => {
  await endless('menu');
  const store = await open();
  const reading = store.start();
  const ended = new Promise((resolve) => {
    bus.on(operationChanged, ({ state }) => {
      if (state !== 'running') resolve(state);
    });
  });
  const bytes = await bundle('new');
  await store.put('menu', Readable.from([bytes]), bytes.length);
  await store.close();
  await reading;
  assert.equal(await ended, 'failed');
});
