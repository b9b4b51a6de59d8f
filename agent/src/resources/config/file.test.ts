import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { pino } from 'pino';
import { repetitions } from '../../../../testing/long-runs.ts';
import { validator } from '../../validation/validator.ts';
import type { ConfigFormat } from './file.ts';
import type { ConfigStore } from './store.ts';
import { BOARD, openStore } from './tests/open-store.ts';
import { contract, light, sound } from './tests/small-contract.ts';
import { isObject } from './tree.ts';

/** A release in whose documents volume 11 is called 100. */
const SECOND: ConfigFormat = {
  schema: 2,
  migrations: {
    1: ({ sound: stored, ...rest }) => ({
      ...rest,
      sound: isObject(stored) && stored.volume === 11 ? { volume: 100 } : (stored ?? {}),
    }),
  },
};

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-config-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function open(format?: ConfigFormat): Promise<ConfigStore> {
  return openStore(folder, contract, format ? { format } : {});
}

const put = (name: string, content: unknown) => writeFile(join(folder, name), JSON.stringify(content));
const get = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(folder, name), 'utf8'));
const names = async () => (await readdir(folder)).sort();

describe('an update', () => {
  test('migrates an older document; the old file stays until the first write', async () => {
    await put('config.json', { schema: 1, sound: { volume: 11 } });
    const config = await open(SECOND);
    assert.equal(config.get(sound).volume, 100);
    assert.deepEqual(config.problems(), []);
    assert.deepEqual(await names(), ['config.json']);
    await config.patch({ sound: { output: 'new' } });
    assert.deepEqual(await get('config.v1.json'), { schema: 1, sound: { volume: 11 } });
    assert.deepEqual(await get('config.json'), { schema: 2, sound: { volume: 100, output: 'new' } });
    await rm(join(folder, 'config.v1.json'));
    await config.patch({ sound: null });
    assert.deepEqual(await names(), ['config.json'], 'it is written once');
  });

  test('migrates step by step', async () => {
    await put('config.json', { schema: 1, sound: { volume: 11 } });
    const third: ConfigFormat = {
      schema: 3,
      migrations: { ...SECOND.migrations, 2: (document) => ({ ...document, light: { on: true } }) },
    };
    const config = await open(third);
    assert.deepEqual([config.get(sound).volume, config.get(light).on], [100, true]);
  });

  test('after a rollback the old configuration is used, and the new one is not lost', async () => {
    await put('config.json', { schema: 1, sound: { volume: 11 } });
    await (await open(SECOND)).patch({ sound: { output: 'new' } });

    const rolledBack = await open();
    assert.equal(rolledBack.get(sound).volume, 11);
    assert.deepEqual(rolledBack.problems(), [
      'The configuration file cannot be used: it has schema 2, but this firmware supports only schema 1. ' +
        'It was kept as config.v2.json. The configuration in config.v1.json is used instead.',
    ]);
    assert.deepEqual(await names(), ['config.v1.json', 'config.v2.json']);
    assert.equal((await open()).get(sound).volume, 11, 'also at the next boot');

    const again = await open(SECOND);
    assert.equal(again.get(sound).output, 'new', 'the update that is tried again uses its own settings');
  });

  test('that is tried again after a rollback and a patch migrates the patched document', async () => {
    await put('config.json', { schema: 1, sound: { volume: 11 } });
    await (await open(SECOND)).patch({ sound: { output: 'new' } });
    await (await open()).patch({ sound: { output: 'old' } });
    const again = await open(SECOND);
    assert.equal(again.get(sound).volume, 100);
    await (await open()).patch({ light: { on: true } });
    assert.equal((await open(SECOND)).get(light).on, true);
  });

  test('within one schema keeps fields that only the other version knows', async () => {
    await put('config.json', { schema: 1, sauna: { heat: 80 }, light: { hue: 'red', on: true } });
    const logged: string[] = [];
    const sink = { write: (line: string) => void logged.push(line) };
    const config = await openStore(folder, contract, { log: pino({}, sink) });
    assert.equal(config.get(light).on, true);
    assert.deepEqual(config.problems(), []);
    assert.match(logged.join(), /"fields":\["sauna","light.hue"\]/);
    assert.ok(validator(contract.Config).fits(config.tree));
    await config.patch({ light: { on: false } });
    assert.deepEqual(await get('config.json'), {
      schema: 1,
      sauna: { heat: 80 },
      light: { hue: 'red', on: false },
    });
  });

  test('without a migration from the old schema sets the file aside', async () => {
    await put('config.json', { schema: 1, sound: { volume: 11 } });
    const config = await open({ schema: 3, migrations: {} });
    assert.match(
      config.problems().join(),
      /cannot be used: there is no migration from schema 1 to 2\..*defaults are used/,
    );
    assert.equal(config.get(sound).volume, 80);
    assert.equal((await names()).length, 1);
  });

  test('a kept file that is damaged is skipped', async () => {
    await writeFile(join(folder, 'config.v2.json'), 'junk');
    await put('config.v1.json', { schema: 1, sound: { volume: 5 } });
    assert.equal((await open({ ...SECOND, schema: 2 })).get(sound).volume, 5);
    await put('config.v1.json', { schema: 7 });
    assert.equal((await open()).get(sound).volume, 80, 'so is one of another schema than its name says');
  });
});

describe('a damaged file', () => {
  const damaged: [string, string][] = [
    ['truncated', '{"schema": 1, "sound": {"vol'],
    ['empty', ''],
    ['zeros', '\0'.repeat(512)],
    ['a list', '[]'],
    ['of schema "1"', '{"schema": "1"}'],
    ['of schema 0', '{"schema": 0}'],
    ['of schema 1.5', '{"schema": 1.5}'],
    ['of schema 1e300', '{"schema": 1e300}'],
    ['too large', `{"x": "${'x'.repeat(8 * 1024 * 1024)}"}`],
  ];
  for (const [what, text] of damaged) {
    test(`${what} is set aside, and the device starts`, async () => {
      await writeFile(join(folder, 'config.json'), text);
      const config = await open();
      assert.ok(validator(contract.Config).fits(config.tree));
      const [kept = ''] = await names();
      assert.match(kept, /^config\.damaged-/);
      const [problem = ''] = config.problems();
      assert.match(problem, /^The configuration file cannot be used: .*The defaults are used instead\.$/);
      assert.ok(problem.includes(`It was kept as ${kept}.`));
      assert.ok((await readFile(join(folder, kept), 'utf8')) === text);
      await config.patch({ sound: { mute: true } });
      assert.deepEqual((await open()).problems(), []);
    });
  }

  test('that is a folder is set aside too', async () => {
    await mkdir(join(folder, 'config.json'));
    const config = await open();
    assert.match(config.problems().join(), /not a regular file/);
    await config.patch({ sound: { mute: true } });
    assert.deepEqual(await get('config.json'), { schema: 1, sound: { mute: true } });
  });

  test('does not fill the disk: three are kept', async () => {
    for (let index = 0; index < 6; index++) {
      await put(`config.damaged-2020-01-0${index}.json`, index);
    }
    await writeFile(join(folder, 'config.json'), 'junk');
    const [problem = ''] = (await open()).problems();
    const kept = await names();
    assert.deepEqual(kept.slice(0, 2), ['config.damaged-2020-01-04.json', 'config.damaged-2020-01-05.json']);
    assert.equal(kept.length, 3);
    assert.ok(problem.includes(String(kept[2])));
  });

  test('is not quoted in the problem', async () => {
    await writeFile(join(folder, 'config.json'), '{"psk": hunter22');
    const { 0: problem = '', length } = (await open()).problems();
    assert.equal(length, 1);
    assert.match(problem, /it is not JSON/);
    assert.doesNotMatch(problem, /hunter22/);
  });

  test('never keeps the device from starting, whatever it contains', async () => {
    const tree = fc.dictionary(
      fc.constantFrom('schema', 'sound', 'light', 'x', '__proto__'),
      fc.oneof(
        fc.jsonValue({ maxDepth: 3 }),
        fc.constantFrom<unknown>(
          { volume: 101, output: 'radio', tone: { bass: null, mode: 1 } },
          { mute: 1, tone: 5 },
          { lamps: { a: 1, b: { level: 'x' }, 'a long name of a lamp': {} }, scenes: [{ name: 1 }] },
          { scenes: [1, 2, 3, 4], color: '', on: null },
          1,
        ),
      ),
      { maxKeys: 5, noNullPrototype: true },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(tree, fc.string()), async (junk) => {
        await writeFile(join(folder, 'config.json'), typeof junk === 'string' ? junk : JSON.stringify(junk));
        const config = await open();
        assert.ok(validator(contract.Config).fits(config.tree));
        await config.patch({ sound: { mute: true } });
        assert.deepEqual((await open()).problems(), [], 'the next file is valid again');
      }),
      { numRuns: repetitions(100, 3000) },
    );
  });
});

describe('the file', () => {
  test('loses only its invalid values', async () => {
    await put('config.json', {
      schema: 1,
      sound: { volume: 101, mute: true, tone: { bass: 2 }, output: 'radio' },
      light: { on: null, scenes: [{ name: 'a' }, { level: 1 }], lamps: { hall: { level: 2, name: 3 } } },
    });
    const config = await open();
    assert.deepEqual(config.get(sound), {
      volume: 80,
      mute: true,
      tone: { bass: 2, mode: 'a' },
      output: 'hdmi',
    });
    assert.deepEqual(config.get(light).lamps, { hall: { level: 2, name: 'lamp' } });
    assert.deepEqual(config.get(light).scenes, []);
    assert.deepEqual(config.problems(), [
      'Invalid stored values were replaced by their defaults: ' +
        '/sound/volume, /light/lamps/hall/name, /light/scenes/1/name, /sound/output.',
    ]);
  });

  test('loses the field that a broken rule names', async () => {
    await put('config.json', { schema: 1, sound: { volume: 60, output: 'radio' } });
    const config = await openStore(folder, contract, { board: { ...BOARD, dualBandRadio: true } });
    assert.deepEqual([config.get(sound).volume, config.get(sound).output], [60, 'hdmi']);
    assert.match(config.problems().join(), /: \/sound\/output\.$/);
  });

  test('has the default of the device for a null', async () => {
    await put('config.json', { schema: 1, sound: null, light: { on: null } });
    const config = await openStore(folder, contract, { defaults: { sound: { output: 'own' } } });
    assert.deepEqual([config.get(sound).output, config.get(light).on], ['own', false]);
    assert.deepEqual(config.problems(), []);
  });

  test('with very many invalid values is not used', async () => {
    const document = (lamps: number) => ({
      schema: 1,
      sound: { mute: true },
      light: { lamps: Object.fromEntries(Array.from({ length: lamps }, (_, index) => [`l${index}`, 1])) },
    });
    await put('config.json', document(150));
    assert.equal((await open()).get(sound).mute, true);
    await put('config.json', document(300));
    const config = await open();
    assert.ok(validator(contract.Config).fits(config.tree));
    assert.equal(config.get(sound).mute, false);
    const listed = config.problems().join().split(',');
    assert.equal(listed.length, 20);
  });

  test('is readable by the agent only: passphrases are in it', async () => {
    await (await open()).patch({ sound: { mute: true } });
    assert.equal((await stat(join(folder, 'config.json'))).mode & 0o777, 0o600);
  });
});
