/** How changes take effect: through the store, with a resource of the test. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { ApiError } from '../../contract/errors.ts';
import { EventBus } from '../../events/bus.ts';
import {
  type Apply,
  type BindingHooks,
  bindGroup,
  bindNothing,
  type GroupValue,
  type LiveFields,
  NOT_APPLIED_HERE,
  READ_WHEN_NEEDED,
} from './group.ts';
import type { ConfigStore } from './store.ts';
import { openStore } from './tests/open-store.ts';
import { contract, light, sound } from './tests/small-contract.ts';

let folder: string;
let bus: EventBus;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-appliers-'));
  bus = new EventBus();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function stored(): Promise<unknown> {
  return JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'));
}

interface Sounds {
  volume?: LiveSound['volume'];
  mute?: LiveSound['mute'];
  tone?: LiveSound['tone'];
  hooks?: BindingHooks;
}
type LiveSound = LiveFields<(typeof sound)['schema']['properties']>;

async function openSound({ hooks, ...how }: Sounds = {}): Promise<ConfigStore> {
  const config = await openStore(folder, contract, { bus });
  config.bind(bindGroup(sound, READ_WHEN_NEEDED, how, hooks));
  return config;
}

test('a function is called with the group before and after, once for all fields that it applies', async () => {
  const calls: unknown[] = [];
  const apply: Apply<GroupValue<typeof sound>> = async (now, before) => {
    calls.push([before.volume, now.volume, now.mute, await stored()]);
  };
  const config = await openSound({ volume: apply, mute: apply });
  await config.patch({ light: { on: true }, sound: { output: 'usb', tone: { bass: 3 } } });
  await config.patch({ sound: { volume: 80, mute: false } });
  await config.patch({ sound: { volume: 5, mute: true } });
  await config.patch({ sound: { mute: false } });
  const kept = { output: 'usb', tone: { bass: 3 }, volume: 5 };
  assert.deepEqual(calls, [
    [80, 5, true, { schema: 1, light: { on: true }, sound: { ...kept, mute: true } }],
    [5, 5, false, { schema: 1, light: { on: true }, sound: { ...kept, mute: false } }],
  ]);
});

test('one function applies all live fields that are no exception', async () => {
  const calls: unknown[] = [];
  const config = await openStore(folder, contract, { bus });
  const apply = () => void calls.push('sound');
  config.bind(bindGroup(sound, apply, { mute: () => void calls.push('mute') }));
  config.bind(bindGroup(light, () => void calls.push('light')));
  await config.patch({ sound: { volume: 1, tone: { bass: 1 }, output: 'usb' } });
  await config.patch({ sound: { mute: true }, light: { lamps: { hall: { level: 1 } } } });
  await config.patch({ sound: { output: 'hdmi' } });
  assert.deepEqual(calls, ['sound', 'mute', 'light']);
});

test('live is answered after it succeeded; a failure stays stored, is answered, and is a problem', async () => {
  let works = false;
  let calls = 0;
  const config = await openSound({
    volume: () => {
      calls += 1;
      if (!works) throw new Error('no such card');
    },
  });
  const again = async () => {
    const { applied } = await config.patch({ sound: { volume: 7, tone: { bass: 0 } } });
    return { 'sound.volume': applied['sound.volume'] };
  };
  assert.deepEqual((await config.patch({ sound: { volume: 7, mute: true } })).applied, {
    'sound.volume': 'reboot_required',
    'sound.mute': 'live',
  });
  assert.deepEqual(config.problems(), [
    'The configuration of sound.volume is stored and could not be applied.',
  ]);
  assert.deepEqual(
    await again(),
    { 'sound.volume': 'reboot_required' },
    'tried again although the value is the same',
  );
  await config.patch({ sound: { mute: false } });
  assert.equal(calls, 2, 'a patch of another field does not try it again');
  works = true;
  assert.deepEqual(await again(), { 'sound.volume': 'live' });
  assert.deepEqual(await again(), { 'sound.volume': 'live' });
  assert.equal(calls, 3);
  assert.deepEqual(config.problems(), []);
});

test('nothing is applied, published or answered when the file cannot be written', async () => {
  const calls: string[] = [];
  const config = await openSound({
    volume: () => void calls.push('applied'),
    hooks: { changed: () => void calls.push('changed') },
  });
  bus.listen('config_changed', () => calls.push('published'));
  await rm(folder, { recursive: true });
  await writeFile(folder, 'a file where the folder should be');
  await assert.rejects(config.patch({ sound: { volume: 1 } }));
  assert.deepEqual(calls, []);
  assert.equal(config.get(sound).volume, 80);
  await rm(folder);
  await config.patch({ sound: { volume: 1 } });
  assert.deepEqual(calls, ['changed', 'applied', 'published']);
});

test('a function that takes too long does not block the patches', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const started = Promise.withResolvers<void>();
  const config = await openSound({
    volume: () => {
      started.resolve();
      return new Promise(() => undefined);
    },
  });
  const patched = config.patch({ sound: { volume: 1 } });
  await started.promise;
  t.mock.timers.tick(10_000);
  assert.deepEqual((await patched).applied, { 'sound.volume': 'reboot_required' });
});

test('a stored field is applied on request, and a failure is remembered', async () => {
  const volumes: number[] = [];
  let works = false;
  const config = await openSound({
    volume: ({ volume }) => {
      volumes.push(volume);
      if (!works) throw new Error('no such card');
    },
  });
  await config.applyStored('sound.mute');
  await config.applyStored('sound.volume');
  const applied = async () => (await config.patch({ sound: { volume: 80 } })).applied;
  assert.deepEqual(await applied(), { 'sound.volume': 'reboot_required' });
  works = true;
  await config.applyStored('sound.volume');
  assert.deepEqual(await applied(), { 'sound.volume': 'live' });
  assert.deepEqual(volumes, [80, 80, 80]);
});

test('a field that is never applied here, or not now, is answered reboot_required', async () => {
  const config = await openSound({
    volume: NOT_APPLIED_HERE,
    mute: READ_WHEN_NEEDED,
    hooks: { isLive: (path) => path !== 'tone.bass' },
  });
  for (const volume of [80, 3, null]) {
    const { applied } = await config.patch({ sound: { volume, mute: true, tone: null } });
    assert.deepEqual(applied, {
      'sound.volume': 'reboot_required',
      'sound.mute': 'live',
      'sound.tone.bass': 'reboot_required',
      'sound.tone.mode': 'reboot_required',
    });
  }
});

test('a resource can refuse a patch of its group; then nothing changes', async () => {
  const seen: unknown[] = [];
  const config = await openSound({
    hooks: {
      check: async (patch) => {
        seen.push(patch);
        throw new ApiError('conflict', 'Not now.');
      },
    },
  });
  await config.patch({ light: { on: true } });
  await assert.rejects(config.patch({ sound: null }), { code: 'conflict' });
  await assert.rejects(config.patch({ sound: { mute: true } }), { code: 'conflict' });
  assert.deepEqual(seen, [null, { mute: true }]);
  assert.deepEqual(await stored(), { schema: 1, light: { on: true } });
});

test('a resource is called for every change of its group, and its failure has no effect', async () => {
  let changes = 0;
  const config = await openSound({
    hooks: {
      changed: () => {
        changes += 1;
        throw new Error('confused');
      },
    },
  });
  await config.patch({ light: { on: true } });
  assert.equal(changes, 0);
  const { applied } = await config.patch({ sound: { output: 'usb' } });
  assert.deepEqual([changes, applied], [1, { 'sound.output': 'reboot_required' }]);
});

test('a group can be bound only once', async () => {
  const config = await openSound();
  assert.throws(() => config.bind(bindNothing(sound)), /sound is bound twice/);
});
