/** The configuration of all resources: its rules, and any patch that a client can send. */

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../testing/long-runs.ts';
import { ApiError } from '../../contract/errors.ts';
import { validator } from '../../validation/validator.ts';
import { configuration } from '../contract.ts';
import { wifiConfig } from '../wifi/config.ts';
import type { ConfigOptions, ConfigStore } from './store.ts';
import { openConfig } from './tests/open-config.ts';
import { BOARD } from './tests/open-store.ts';
import { valueAt, withDefaults } from './tree.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-config-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function open(options: Partial<ConfigOptions> = {}): Promise<ConfigStore> {
  return openConfig(folder, options);
}

/** Patches as a client does: the app checks the body against its schema first. */
async function patch(config: ConfigStore, value: unknown): Promise<void> {
  await config.patch(validator(configuration.ConfigPatch).parse(value));
}

/** Code and issue paths of the error that a patch gets. */
async function refusal(config: ConfigStore, value: unknown): Promise<{ code: string; paths: unknown[] }> {
  try {
    await patch(config, value);
  } catch (error) {
    assert.ok(error instanceof ApiError);
    const found = error.details?.issues;
    return { code: error.code, paths: Array.isArray(found) ? found.map(({ path }) => path) : [] };
  }
  assert.fail(`${JSON.stringify(value)} was accepted`);
}

test('defaults fill the whole configuration and fit its schema', () => {
  const defaults = withDefaults(configuration.Config, {});
  assert.ok(validator(configuration.Config).fits(defaults));
  assert.equal(valueAt(defaults, 'nfc.i2c.address'), 0x24);
  assert.equal(valueAt(defaults, 'wifi.country'), null);
});

test('a patch that does not fit the schema is refused with every issue', async () => {
  const { code, paths } = await refusal(await open(), {
    audio: { volume: 31 },
    display: { rotation: 45, sauna: true },
    nfc: { poll: { interval_ms: 49 } },
    nothing: null,
  });
  assert.equal(code, 'bad_request');
  assert.deepEqual(
    new Set(paths),
    new Set(['/display/rotation', '/display/sauna', '/nfc/poll/interval_ms', '/nothing']),
  );
});

describe('rules over fields', () => {
  const refused: [string, unknown, string][] = [
    ['Wi-Fi without a country', { wifi: { enabled: true } }, '/wifi/country'],
    ['an unknown country', { wifi: { country: 'UK' } }, '/wifi/country'],
    ['a country in lower case', { wifi: { country: 'de' } }, '/wifi/country'],
    ['5 GHz without a dual-band radio', { wifi: { ap: { band: '5' } } }, '/wifi/ap/band'],
    ['a short passphrase', { wifi: { ap: { psk: '1234567' } } }, '/wifi/ap/psk'],
    ['a long passphrase', { wifi: { ap: { psk: 'x'.repeat(64) } } }, '/wifi/ap/psk'],
    ['a channel of another band', { wifi: { ap: { channel: 36 } } }, '/wifi/ap/channel'],
    ['a channel of other countries', { wifi: { country: 'US', ap: { channel: 12 } } }, '/wifi/ap/channel'],
    [
      'an access point without a passphrase',
      { wifi: { enabled: true, country: 'DE', mode: 'ap' } },
      '/wifi/ap/psk',
    ],
    ['a network twice', { wifi: { networks: [{ ssid: 'a' }, { ssid: 'a' }] } }, '/wifi/networks/1/ssid'],
    ['an ssid of too many bytes', { wifi: { ap: { ssid: 'ä'.repeat(17) } } }, '/wifi/ap/ssid'],
    ['an unknown time zone', { device: { timezone: 'Europe/Atlantis' } }, '/device/timezone'],
    ['a time zone with a different case', { device: { timezone: 'europe/berlin' } }, '/device/timezone'],
    ['an old time zone with a different case', { device: { timezone: 'asia/kolkata' } }, '/device/timezone'],
    ['a time zone that only ICU knows', { device: { timezone: 'SystemV/EST5' } }, '/device/timezone'],
    [
      'a time server that is not a host',
      { device: { ntp_servers: ['192.0.2.1', 'a..example'] } },
      '/device/ntp_servers/1',
    ],
    ['an origin with a path', { nfc: { origins: ['https://a.example/x'] } }, '/nfc/origins/0'],
    ['an origin with its usual port', { nfc: { origins: ['https://a.example:443'] } }, '/nfc/origins/0'],
    ['a proxy without an address', { proxy: { mode: 'manual' } }, '/proxy/http'],
    ['a proxy script without its URL', { proxy: { mode: 'pac' } }, '/proxy/pac_url'],
    ['a URL with a control character', { proxy: { http: 'http://a.example/\u0001x' } }, '/proxy/http'],
    ['a name of blanks', { device: { name: '   ' } }, '/device/name'],
    [
      'a startup page that is a file',
      { display: { screens: { 'HDMI-A-1': { url: 'file:///etc' } } } },
      '/display/screens/HDMI-A-1/url',
    ],
  ];
  for (const [what, value, path] of refused) {
    test(`${what} is refused`, async () => {
      const { code, paths } = await refusal(await open(), value);
      assert.equal(code, 'bad_request');
      assert.deepEqual(paths, [path]);
    });
  }

  test('a rule is checked against the result, whichever patch set its fields', async () => {
    const config = await open({ board: { ...BOARD, dualBandRadio: true } });
    await config.patch({ wifi: { country: 'DE', ap: { band: '5', channel: 36, psk: '12345678' } } });
    await config.patch({ wifi: { enabled: true, mode: 'ap' } });
    assert.deepEqual((await refusal(config, { wifi: { country: null } })).paths, ['/wifi/country']);
    assert.deepEqual((await refusal(config, { wifi: { ap: { channel: 52 } } })).paths, ['/wifi/ap/channel']);
    assert.equal(config.get(wifiConfig).ap.psk, '12345678');
  });
});

describe('random patches', () => {
  const leaf = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown>(null, 0, 90, true, 'DE', '5', [], {}, { enabled: true }, -1),
  );
  const groups = Object.keys(configuration.Config.properties);
  const names = [
    'enabled',
    'rotation',
    'screens',
    'country',
    'ap',
    'name',
    'mode',
    'allow',
    '__proto__',
    'poll',
    'x',
  ];
  const patches = fc.dictionary(
    fc.constantFrom(...groups, 'y', '__proto__'),
    fc.oneof(leaf, fc.dictionary(fc.constantFrom(...names), leaf, { maxKeys: 3, noNullPrototype: true })),
    { maxKeys: 3, noNullPrototype: true },
  );

  test('are applied completely or not at all, and the result always fits', async () => {
    const config = await open();
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(patches, leaf), async (junk) => {
        const before = config.tree;
        try {
          await patch(config, junk);
          accepted += 1;
          assert.deepEqual(validator(configuration.Config).issues(config.tree), []);
          const stored = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'));
          assert.deepEqual(withDefaults(configuration.Config, stored), { ...config.tree });
        } catch (error) {
          assert.ok(error instanceof ApiError, String(error));
          assert.ok(error.status === 400, error.code);
          assert.equal(config.tree, before);
        }
      }),
      { numRuns: repetitions(150, 6000) },
    );
    assert.ok(accepted > 10, `only ${accepted} patches were accepted`);
    assert.deepEqual((await open()).tree, config.tree);
  });
});
