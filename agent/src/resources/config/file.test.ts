import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../ci/lib/long-runs.ts';
import { fits } from '../../contract/validate.ts';
import { configuration } from '../all.ts';
import { audioConfig } from '../audio/config.ts';
import { deviceConfig } from '../device/config.ts';
import { uiConfig } from '../ui/config.ts';
import { wifiConfig } from '../wifi/config.ts';
import type { ConfigFormat } from './file.ts';
import type { ConfigStore } from './store.ts';
import { openConfig } from './tests/open-config.ts';
import { isObject } from './tree.ts';

/** A release whose documents spell `audio` another way; its agent turns the old spelling into its own. */
const SECOND: ConfigFormat = {
  schema: 2,
  migrations: {
    1: ({ audio, ...rest }) => ({
      ...rest,
      audio: isObject(audio) && audio.volume === 11 ? { volume: 100 } : (audio ?? {}),
    }),
  },
};

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-config-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function open(format?: ConfigFormat): Promise<ConfigStore> {
  return openConfig(folder, format ? { format } : {});
}

const put = (name: string, content: unknown) => writeFile(join(folder, name), JSON.stringify(content));
const get = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(folder, name), 'utf8'));
const names = async () => (await readdir(folder)).sort();

describe('an update', () => {
  test('brings an older document up; the old file stays until the first write', async () => {
    await put('config.json', { schema: 1, audio: { volume: 11 } });
    const config = await open(SECOND);
    assert.equal(config.get(audioConfig).volume, 100);
    assert.equal(config.problem, undefined);
    assert.deepEqual(await names(), ['config.json']);
    await config.patch({ device: { name: 'new' } });
    assert.deepEqual(await get('config.v1.json'), { schema: 1, audio: { volume: 11 } });
    assert.deepEqual(await get('config.json'), {
      schema: 2,
      audio: { volume: 100 },
      device: { name: 'new' },
    });
  });

  test('and a rollback come up with what the old agent had, and lose nothing of the new one', async () => {
    await put('config.json', { schema: 1, audio: { volume: 11 } });
    await (await open(SECOND)).patch({ device: { name: 'new' } });

    const rolledBack = await open();
    assert.equal(rolledBack.get(audioConfig).volume, 11);
    assert.equal(rolledBack.problem?.code, 'config_newer');
    assert.equal(rolledBack.problem?.kept, 'config.v2.json');
    assert.deepEqual(await names(), ['config.v1.json', 'config.v2.json']);
    assert.equal((await open()).get(audioConfig).volume, 11, 'still there at the next boot');

    const again = await open(SECOND);
    assert.equal(again.get(deviceConfig).name, 'new', 'the update tried again has its own settings back');
  });

  test('after a rollback in which something was set goes on from that', async () => {
    await put('config.json', { schema: 1, audio: { volume: 11 } });
    await (await open(SECOND)).patch({ device: { name: 'new' } });
    await (await open()).patch({ device: { name: 'old' } });
    const again = await open(SECOND);
    assert.deepEqual([again.get(deviceConfig).name, again.get(audioConfig).volume], ['old', 100]);
  });

  test('within one schema keeps what only the other version knows', async () => {
    await put('config.json', { schema: 1, sauna: { heat: 80 }, ui: { colour: 'red', enabled: false } });
    const config = await open();
    assert.equal(config.get(uiConfig).enabled, false);
    assert.equal(config.problem, undefined);
    assert.ok(fits(configuration.Config, config.tree));
    await config.patch({ ui: { enabled: true } });
    assert.deepEqual(await get('config.json'), {
      schema: 1,
      sauna: { heat: 80 },
      ui: { colour: 'red', enabled: true },
    });
  });

  test('without a way from the old schema sets the file aside', async () => {
    await put('config.json', { schema: 1, audio: { volume: 11 } });
    const config = await open({ schema: 3, migrations: {} });
    assert.equal(config.problem?.code, 'config_damaged');
    assert.equal(config.get(audioConfig).volume, 80);
    assert.equal((await names()).length, 1);
  });
});

describe('a damaged file', () => {
  const damaged: [string, string][] = [
    ['cut off', '{"schema": 1, "audio": {"vol'],
    ['empty', ''],
    ['zeros', '\0'.repeat(512)],
    ['a list', '[]'],
    ['of schema "1"', '{"schema": "1"}'],
    ['of schema 0', '{"schema": 0}'],
  ];
  for (const [what, text] of damaged) {
    test(`${what} is set aside, and the device comes up`, async () => {
      await writeFile(join(folder, 'config.json'), text);
      const config = await open();
      assert.ok(fits(configuration.Config, config.tree));
      assert.equal(config.problem?.code, 'config_damaged');
      const [kept] = await names();
      assert.equal(kept, config.problem?.kept);
      assert.equal(await readFile(join(folder, String(kept)), 'utf8'), text);
      await config.patch({ audio: { mute: true } });
      assert.equal((await open()).problem, undefined);
    });
  }

  test('that is a folder is set aside too', async () => {
    await mkdir(join(folder, 'config.json'));
    const config = await open();
    assert.equal(config.problem?.code, 'config_damaged');
    await config.patch({ audio: { mute: true } });
    assert.deepEqual(await get('config.json'), { schema: 1, audio: { mute: true } });
  });

  test('does not fill the disk: three are kept', async () => {
    for (let index = 0; index < 6; index++) {
      await put(`config.damaged-2020-01-0${index}.json`, index);
    }
    await writeFile(join(folder, 'config.json'), 'junk');
    const { problem } = await open();
    const kept = await names();
    assert.equal(kept.length, 3);
    assert.ok(kept.includes(String(problem?.kept)));
  });

  test('is not quoted in what is told of it', async () => {
    await writeFile(join(folder, 'config.json'), '{"psk": hunter22');
    assert.doesNotMatch(String((await open()).problem?.message), /hunter22/);
  });

  test('never stops the device, whatever is in it', async () => {
    const tree = fc.dictionary(
      fc.constantFrom('schema', 'wifi', 'display', 'device', 'nfc', 'proxy', 'x', '__proto__'),
      fc.oneof(
        fc.jsonValue({ maxDepth: 3 }),
        fc.constantFrom<unknown>(
          {
            enabled: true,
            country: null,
            mode: 'ap',
            networks: [{ ssid: 1 }],
            ap: { band: '5', channel: 999 },
          },
          { rotation: 45, screens: { a: 1, b: { url: 'x' } }, boot_bundle: 'UPPER' },
          { name: '', timezone: 'x' },
          { mode: 'pac' },
          1,
        ),
      ),
      { maxKeys: 5, noNullPrototype: true },
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(tree, fc.string()), async (junk) => {
        await writeFile(join(folder, 'config.json'), typeof junk === 'string' ? junk : JSON.stringify(junk));
        const config = await open();
        assert.ok(fits(configuration.Config, config.tree));
        await config.patch({ audio: { mute: true } });
        assert.equal((await open()).problem, undefined, 'what was written is whole again');
      }),
      { numRuns: repetitions(50, 1500) },
    );
  });
});

describe('the file', () => {
  test('loses only the values that do not fit', async () => {
    await put('config.json', {
      schema: 1,
      audio: { volume: 101, mute: true },
      wifi: { enabled: true, ap: { psk: '12345678' } },
    });
    const config = await open();
    assert.deepEqual(config.get(audioConfig), { output: null, volume: 80, mute: true });
    assert.equal(config.get(wifiConfig).enabled, false);
    assert.equal(config.get(wifiConfig).ap.psk, '12345678');
    assert.equal(config.problem?.code, 'config_values_dropped');
    assert.match(String(config.problem?.message), /\/audio\/volume/);
  });

  test('is for the agent only: passphrases are in it', async () => {
    await (await open()).patch({ wifi: { ap: { psk: '12345678' } } });
    assert.equal((await stat(join(folder, 'config.json'))).mode & 0o777, 0o600);
  });
});
