import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { repetitions } from '../../../../testing/long-runs.ts';
import { ApiError } from '../../contract/errors.ts';
import { EventBus } from '../../events/bus.ts';
import { validator } from '../../validation/validator.ts';
import { bindGroup, READ_WHEN_NEEDED } from './group.ts';
import type { ConfigOptions, ConfigStore } from './store.ts';
import { BOARD, openStore } from './tests/open-store.ts';
import { contract, light, sound } from './tests/small-contract.ts';
import { type JsonObject, valueAt } from './tree.ts';

let folder: string;
let bus: EventBus;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-config-'));
  bus = new EventBus();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function open(options: Partial<ConfigOptions> = {}): Promise<ConfigStore> {
  return openStore(folder, contract, { bus, ...options });
}

async function stored(): Promise<unknown> {
  return JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'));
}

/** The paths of the issues for which a patch is refused. */
async function issuesOf(config: ConfigStore, patch: JsonObject): Promise<unknown[]> {
  try {
    await config.patch(patch);
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'bad_request');
    const found = error.details?.issues;
    return Array.isArray(found) ? found.map(({ path }) => path) : [];
  }
  assert.fail(`${JSON.stringify(patch)} was accepted`);
}

describe('reading', () => {
  test('a new device has every field at its default, and no file', async () => {
    const config = await open({ defaults: { sound: { output: 'own' } } });
    assert.ok(validator(contract.Config).fits(config.tree));
    assert.equal(config.get(sound).output, 'own');
    assert.equal(config.get(sound).volume, 80);
    assert.deepEqual(config.problems(), []);
    assert.deepEqual(await readdir(folder), []);
    await config.patch({ sound: { output: 'usb' } });
    await config.patch({ sound: null });
    assert.equal(config.get(sound).output, 'own', 'null resets to the default of the device');
  });

  test('invalid defaults of a device are an error', async () => {
    await assert.rejects(open({ defaults: { sound: { volume: 101 } } }), /\/sound\/volume must be/);
  });

  test('the result cannot be changed', async () => {
    const config = await open();
    assert.throws(() => config.get(light).scenes.push({ name: 'x', level: 1 }), TypeError);
  });
});

describe('patching', () => {
  test('stores, answers and publishes the leaves of the patch', async () => {
    const config = await open();
    const events: unknown[] = [];
    bus.on(contract.configChanged, (payload) => events.push(payload));
    const { config: answered, applied } = await config.patch({
      schema: 1,
      sound: { volume: 20, output: 'usb' },
      light: { on: false },
    });
    const leaves = {
      schema: 'live',
      'sound.volume': 'live',
      'sound.output': 'reboot_required',
      'light.on': 'live',
    };
    assert.deepEqual(applied, leaves);
    assert.equal(config.get(sound).volume, 20);
    assert.equal(answered, config.tree);
    assert.deepEqual(events, [{ paths: Object.keys(leaves), config: config.tree }]);
    assert.deepEqual((await open()).tree, config.tree);
  });

  test('null resets to the default and removes the value from the file', async () => {
    const config = await open();
    await config.patch({ sound: { volume: 10, mute: true }, light: { on: true } });
    const { applied } = await config.patch({ sound: { volume: null }, light: null });
    assert.deepEqual(
      [config.get(sound).volume, config.get(sound).mute, config.get(light).on],
      [80, true, false],
    );
    assert.ok('light.color' in applied);
    assert.deepEqual(await stored(), { schema: 1, sound: { mute: true } });
  });

  test('the configuration that was read can be sent back', async () => {
    const config = await open();
    await config.patch({ light: { lamps: { hall: { level: 3 } } } });
    const before = config.tree;
    await config.patch(before);
    assert.deepEqual(config.tree, before);
  });

  test('a list is replaced as a whole', async () => {
    const config = await open();
    await config.patch({ light: { scenes: [{ name: 'a' }, { name: 'b' }] } });
    await config.patch({ light: { scenes: [{ name: 'c' }] } });
    assert.deepEqual(config.get(light).scenes, [{ name: 'c', level: 5 }]);
  });

  test('an invalid result is refused with every issue, and changes nothing', async () => {
    const config = await open();
    await config.patch({ sound: { volume: 30 } });
    const events: unknown[] = [];
    bus.on(contract.configChanged, (payload) => events.push(payload));
    const before = config.tree;
    const lamps = Object.fromEntries(Array.from({ length: 301 }, (_, index) => [`l${index}`, {}]));
    assert.deepEqual(await issuesOf(config, { sound: { volume: 101, mute: 1 }, light: { lamps } }), [
      '/sound/volume',
      '/sound/mute',
      '/light/lamps',
    ]);
    assert.equal(config.tree, before);
    assert.deepEqual(events, []);
    assert.deepEqual(await stored(), { schema: 1, sound: { volume: 30 } });
  });

  test('a rule is checked against the result and the board, whichever patch set its fields', async () => {
    const config = await open({ board: { ...BOARD, dualBandRadio: true } });
    assert.deepEqual(await issuesOf(config, { sound: { output: 'radio' } }), ['/sound/volume']);
    await config.patch({ sound: { output: 'radio', volume: 50 } });
    await assert.rejects(config.patch({ sound: { volume: null } }), {
      details: { issues: [{ path: '/sound/volume', message: 'must be at most 50 for the radio' }] },
    });
    assert.deepEqual(await issuesOf(await open(), { sound: { output: 'radio' } }), ['/sound/output']);
  });

  test('concurrent patches take effect one after the other', async () => {
    const config = await open();
    const volumes = Array.from({ length: 30 }, (_, index) => index);
    const answers = await Promise.all(volumes.map((volume) => config.patch({ sound: { volume } })));
    assert.deepEqual(
      answers.map((answer) => valueAt(answer.config, 'sound.volume')),
      volumes,
    );
    assert.deepEqual(await stored(), { schema: 1, sound: { volume: 29 } });
  });

  test('too many waiting patches are 429', async () => {
    const config = await open();
    const answers = await Promise.allSettled(
      Array.from({ length: 100 }, () => config.patch({ sound: { mute: true } })),
    );
    const refused = answers.filter((answer) => answer.status === 'rejected');
    assert.equal(refused.length, 36);
    assert.ok(
      refused.every(({ reason }) => reason instanceof ApiError && reason.code === 'too_many_requests'),
    );
    assert.deepEqual(await issuesOf(config, { sound: { volume: 101 } }), ['/sound/volume']);
  });

  test('a file that cannot be written changes nothing', async () => {
    const config = await open({ folder: join(folder, 'config') });
    await writeFile(join(folder, 'config'), 'a file where the folder should be');
    await assert.rejects(config.patch({ sound: { mute: true } }));
    assert.equal(config.get(sound).mute, false);
    await rm(join(folder, 'config'));
    await config.patch({ sound: { mute: true } });
    assert.equal(config.get(sound).mute, true);
  });
});

/** Requests that wait or are under way. */
const MAX_WAITING = 64;
/** What a client does; `refused` by the group's check, and `unapplied` if the function that applies it fails. */
const request = fc.constantFrom('patch', 'patch', 'refused', 'unapplied', 'reapply', 'wait');

test('requests take effect one at a time, in order: checked, stored, applied, published, answered', async () => {
  let runs = 0;
  const run = async (requests: readonly string[]) => {
    runs += 1;
    const config = await open({ folder: join(folder, String(runs)) });
    /** What happens to the requests, and what should. */
    const steps: string[] = [];
    const expected: string[] = [];
    const answered: number[] = [];
    const volumeIn = (value: unknown) => Number(valueAt(value, 'sound.volume'));
    const kindOf = (volume: number) => requests[volume];
    bus.on(contract.configChanged, (payload) => steps.push(`published ${volumeIn(payload.config)}`));
    const apply = async ({ volume }: { volume: number }) => {
      const text = await readFile(join(folder, String(runs), 'config.json'), 'utf8').catch(() => '{}');
      const { sound: onDisk = {} } = JSON.parse(text);
      assert.equal(onDisk.volume ?? 80, volume, 'stored before it is applied');
      steps.push(`applied ${volume}`);
      if (kindOf(volume) === 'unapplied') throw new Error('no such card');
    };
    const check = async (patch: unknown) => {
      const { volume }: { volume?: unknown } = Object(patch);
      steps.push(`checked ${volume}`);
      await turn();
      if (kindOf(Number(volume)) === 'refused') throw new ApiError('conflict');
    };
    config.bind(bindGroup(sound, READ_WHEN_NEEDED, { volume: apply }, { check }));
    const accepted: number[] = [];
    const all: Promise<void>[] = [];
    let current = 80;
    let waiting = 0;
    for (const [index, kind] of requests.entries()) {
      if (kind === 'wait') {
        await Promise.all(all);
        waiting = 0;
        continue;
      }
      waiting += 1;
      if (kind === 'reapply') {
        if (waiting <= MAX_WAITING) expected.push(`applied ${current}`);
        all.push(config.applyStored('sound.volume'));
        continue;
      }
      const isBusy = waiting > MAX_WAITING;
      if (!isBusy) {
        accepted.push(index);
        expected.push(`checked ${index}`);
        if (kind !== 'refused') {
          expected.push(`applied ${index}`, `published ${index}`);
          current = index;
        }
      }
      const end = config.patch({ sound: { volume: index } }).then(
        ({ config: answer, applied }) => {
          assert.equal(volumeIn(answer), index);
          assert.equal(applied['sound.volume'], kind === 'unapplied' ? 'reboot_required' : 'live');
          assert.ok(steps.includes(`published ${index}`));
          answered.push(index);
        },
        (error: unknown) => {
          assert.ok(error instanceof ApiError);
          assert.equal(error.code, isBusy ? 'too_many_requests' : 'conflict');
          assert.ok(isBusy || kind === 'refused');
          if (!isBusy) answered.push(index);
        },
      );
      all.push(end);
    }
    await Promise.all(all);
    bus = new EventBus();
    assert.deepEqual(steps, expected);
    assert.deepEqual(answered, accepted);
    assert.equal(config.get(sound).volume, current);
  };
  await fc.assert(fc.asyncProperty(fc.array(request, { maxLength: 79, size: 'max' }), run), {
    numRuns: repetitions(20, 500),
  });
});
