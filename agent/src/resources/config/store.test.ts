import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../ci/lib/long-runs.ts';
import { createLogger } from '../../base/logger.ts';
import { ApiError } from '../../contract/errors.ts';
import { fits, issues } from '../../contract/validate.ts';
import { EventBus } from '../../events/bus.ts';
import { Config, configChanged } from './schema.ts';
import { type ConfigOptions, ConfigStore } from './store.ts';
import { withDefaults } from './tree.ts';

const SCREENS = [
  { id: 'HDMI-A-1', primary: true },
  { id: 'HDMI-A-2', primary: false },
];

let folder: string;
let bus: EventBus;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-config-'));
  bus = new EventBus();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function open(options: Partial<ConfigOptions> = {}): Promise<ConfigStore> {
  return ConfigStore.open({
    folder,
    bus,
    log: createLogger('silent'),
    board: { dualBandRadio: false },
    screens: async () => SCREENS,
    ...options,
  });
}

async function stored(): Promise<unknown> {
  return JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'));
}

/** Code and issue paths of the error that a patch gets. */
async function refusal(config: ConfigStore, patch: unknown): Promise<{ code: string; paths: unknown[] }> {
  try {
    await config.patch(patch);
  } catch (error) {
    assert.ok(error instanceof ApiError);
    const found = error.details?.issues;
    return { code: error.code, paths: Array.isArray(found) ? found.map(({ path }) => path) : [] };
  }
  assert.fail(`${JSON.stringify(patch)} was accepted`);
}

describe('reading', () => {
  test('a new device has every field at its default, and no file', async () => {
    const config = await open({ deviceName: 'Lobby' });
    assert.ok(fits(Config, config.get()));
    assert.equal(config.get().device.name, 'Lobby');
    assert.equal(config.problem, undefined);
    assert.deepEqual(await readdir(folder), []);
  });

  test('nobody can change what was read', async () => {
    const config = await open();
    assert.throws(() => config.get().nfc.origins.push('https://a.example'), TypeError);
  });
});

describe('patching', () => {
  test('keeps, answers and tells the leaves of the patch', async () => {
    const config = await open();
    const events: unknown[] = [];
    bus.on(configChanged, (payload) => events.push(payload));
    const result = await config.patch({
      display: { rotation: 90, resume_on_boot: true },
      ui: { enabled: false },
    });
    const leaves = {
      'display.rotation': 'live',
      'display.resume_on_boot': 'reboot_required',
      'ui.enabled': 'live',
    };
    assert.deepEqual(result.applied, leaves);
    assert.equal(result.config.display.rotation, 90);
    assert.deepEqual(events, [{ paths: Object.keys(leaves), config: config.get() }]);
    assert.deepEqual((await open()).get(), config.get());
  });

  test('null goes back to the default, and the file forgets it', async () => {
    const config = await open();
    await config.patch({ audio: { volume: 10, mute: true }, device: { name: 'x' } });
    const { applied } = await config.patch({ audio: { volume: null }, device: null });
    assert.equal(config.get().audio.volume, 80);
    assert.equal(config.get().audio.mute, true);
    assert.equal(config.get().device.name, 'Vitrine');
    assert.ok('device.timezone' in applied);
    assert.deepEqual(await stored(), { schema: 1, audio: { mute: true } });
  });

  test('what GET gave can be sent back', async () => {
    const config = await open();
    await config.patch({ display: { screens: { 'HDMI-A-1': { url: 'https://a.example/' } } } });
    const before = config.get();
    await config.patch(before);
    assert.deepEqual(config.get(), before);
  });

  test('a list is replaced whole', async () => {
    const config = await open();
    await config.patch({ devices: { origins: ['https://a.example', 'https://b.example'] } });
    await config.patch({ devices: { origins: ['https://c.example'] } });
    assert.deepEqual(config.get().devices.origins, ['https://c.example']);
  });

  test('a refused patch names every issue and changes nothing', async () => {
    const config = await open();
    await config.patch({ audio: { volume: 30 } });
    const events: unknown[] = [];
    bus.on(configChanged, (payload) => events.push(payload));
    const before = config.get();
    const found = await refusal(config, {
      audio: { volume: 31 },
      display: { rotation: 45, sauna: true },
      nfc: { poll: { interval_ms: 49 } },
      nothing: null,
    });
    assert.equal(found.code, 'bad_request');
    assert.deepEqual(
      new Set(found.paths),
      new Set(['/display/rotation', '/display/sauna', '/nfc/poll/interval_ms', '/nothing']),
    );
    assert.equal(config.get(), before);
    assert.deepEqual(events, []);
    assert.deepEqual(await stored(), { schema: 1, audio: { volume: 30 } });
  });

  test('concurrent patches take effect one after the other', async () => {
    const config = await open();
    const volumes = Array.from({ length: 30 }, (_, index) => index);
    const answers = await Promise.all(volumes.map((volume) => config.patch({ audio: { volume } })));
    assert.deepEqual(
      answers.map((answer) => answer.config.audio.volume),
      volumes,
    );
    assert.deepEqual(await stored(), { schema: 1, audio: { volume: 29 } });
  });

  test('too many waiting patches are 429', async () => {
    const config = await open();
    const answers = await Promise.allSettled(
      Array.from({ length: 100 }, () => config.patch({ audio: { mute: true } })),
    );
    const refused = answers.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 36);
    assert.deepEqual(await refusal(config, { audio: { volume: 101 } }), {
      code: 'bad_request',
      paths: ['/audio/volume'],
    });
  });

  test('a file that cannot be written changes nothing', async () => {
    const config = await open({ folder: join(folder, 'config') });
    await writeFile(join(folder, 'config'), 'a file where the folder should be');
    await assert.rejects(config.patch({ audio: { mute: true } }));
    assert.equal(config.get().audio.mute, false);
    await rm(join(folder, 'config'));
    await config.patch({ audio: { mute: true } });
    assert.equal(config.get().audio.mute, true);
  });
});

describe('rules over fields', () => {
  const refused: [string, unknown, string][] = [
    ['Wi-Fi without a country', { wifi: { enabled: true } }, '/wifi/country'],
    ['a country that there is not', { wifi: { country: 'UK' } }, '/wifi/country'],
    ['a country in small letters', { wifi: { country: 'de' } }, '/wifi/country'],
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
    ['a time zone that there is not', { device: { timezone: 'Europe/Atlantis' } }, '/device/timezone'],
    ['a time zone that is spelt otherwise', { device: { timezone: 'europe/berlin' } }, '/device/timezone'],
    [
      'a time server that is no host',
      { device: { ntp_servers: ['192.0.2.1', 'a..example'] } },
      '/device/ntp_servers/1',
    ],
    ['an origin with a path', { nfc: { origins: ['https://a.example/x'] } }, '/nfc/origins/0'],
    ['an origin with its usual port', { nfc: { origins: ['https://a.example:443'] } }, '/nfc/origins/0'],
    ['a proxy without an address', { proxy: { mode: 'manual' } }, '/proxy/http'],
    ['a script of a proxy without one', { proxy: { mode: 'pac' } }, '/proxy/pac_url'],
    ['a URL with a control character', { proxy: { http: 'http://a.example/\u0001x' } }, '/proxy/http'],
    ['a name of blanks', { device: { name: '   ' } }, '/device/name'],
    [
      'a startup page that is a file',
      { display: { screens: { 'HDMI-A-1': { url: 'file:///etc' } } } },
      '/display/screens/HDMI-A-1/url',
    ],
  ];
  for (const [what, patch, path] of refused) {
    test(`${what} is refused`, async () => {
      const { code, paths } = await refusal(await open(), patch);
      assert.equal(code, 'bad_request');
      assert.deepEqual(paths, [path]);
    });
  }

  test('a rule looks at the result, whichever patch brought the parts', async () => {
    const config = await open({ board: { dualBandRadio: true } });
    await config.patch({ wifi: { country: 'DE', ap: { band: '5', channel: 36, psk: '12345678' } } });
    await config.patch({ wifi: { enabled: true, mode: 'ap' } });
    assert.deepEqual((await refusal(config, { wifi: { country: null } })).paths, ['/wifi/country']);
    assert.deepEqual((await refusal(config, { wifi: { ap: { channel: 52 } } })).paths, ['/wifi/ap/channel']);
    assert.equal(config.get().wifi.ap.psk, '12345678');
  });

  test('a screen that is no output is screen_not_found; one that is gone can still be forgotten', async () => {
    const config = await open();
    await assert.rejects(config.patch({ display: { screens: { 'DP-1': { rotation: 90 } } } }), {
      code: 'screen_not_found',
      details: { screen: 'DP-1', screens: ['HDMI-A-1', 'HDMI-A-2'] },
    });
    for (const id of ['x'.repeat(65), 'x'.repeat(100_000), '', '__proto__', 'HDMI-A-1\n']) {
      for (const entry of [{ rotation: 90 }, {}, null]) {
        const patch = { display: { screens: Object.fromEntries([[id, entry]]) } };
        await assert.rejects(config.patch(patch), (error) => {
          assert.ok(error instanceof ApiError && error.code === 'screen_not_found', `${id}: ${error}`);
          assert.ok(JSON.stringify(error.envelope).length < 500);
          return true;
        });
      }
    }
    // Nothing is set for it, but it is there.
    await config.patch({ display: { screens: { 'HDMI-A-2': null } } });
    await config.patch({ display: { screens: { 'HDMI-A-2': { rotation: 90 } } } });
    const without = await open({ screens: async () => SCREENS.slice(0, 1) });
    await without.patch({ display: { screens: { 'HDMI-A-2': null } } });
    assert.deepEqual(without.get().display.screens, {});
    await assert.rejects(without.patch({ display: { screens: { 'HDMI-A-2': null } } }), {
      code: 'screen_not_found',
    });
  });

  test("only the primary screen's rotation is live", async () => {
    const config = await open();
    const { applied } = await config.patch({
      display: { screens: { 'HDMI-A-1': { rotation: 90 }, 'HDMI-A-2': { rotation: 90 } } },
    });
    assert.deepEqual(applied, {
      'display.screens.HDMI-A-1.rotation': 'live',
      'display.screens.HDMI-A-2.rotation': 'reboot_required',
    });
    // Also when all of them are reset at once.
    for (const patch of [{ display: { screens: null } }, { display: null }]) {
      await config.patch({ display: { screens: { 'HDMI-A-1': { rotation: 90 } } } });
      const reset = (await config.patch(patch)).applied;
      assert.equal(reset['display.screens.HDMI-A-1.rotation'], 'live');
    }
  });
});

describe('applying', () => {
  test('an applier hears of changes below its path, after they are kept', async () => {
    const config = await open();
    const heard: unknown[] = [];
    const end = config.onApply('display', async ({ display }, before) => {
      heard.push([before.display.rotation, display.rotation, await stored()]);
    });
    await config.patch({ audio: { mute: true } });
    await config.patch({ display: { rotation: 0 } });
    await config.patch({ display: { rotation: 180 } });
    end();
    await config.patch({ display: { rotation: 270 } });
    assert.deepEqual(heard, [[0, 180, { schema: 1, audio: { mute: true }, display: { rotation: 180 } }]]);
  });

  test('what could not be applied is kept and answered reboot_required', async () => {
    const config = await open();
    config.onApply('display.rotation', () => {
      throw new Error('no compositor');
    });
    const { applied } = await config.patch({ display: { rotation: 90 }, audio: { volume: 1 } });
    assert.deepEqual(applied, { 'display.rotation': 'reboot_required', 'audio.volume': 'live' });
    assert.equal((await open()).get().display.rotation, 90);
  });

  test('what failed is tried again by the next patch that names it, and answered live when it works', async () => {
    const config = await open();
    let calls = 0;
    let works = false;
    config.onApply('display.rotation', () => {
      calls += 1;
      if (!works) throw new Error('no compositor');
    });
    const again = async () => (await config.patch({ display: { rotation: 90 } })).applied['display.rotation'];
    assert.equal(await again(), 'reboot_required');
    assert.equal(await again(), 'reboot_required', 'nothing changes, and it is still not in effect');
    await config.patch({ audio: { volume: 1 } });
    assert.equal(calls, 2, 'another patch has nothing to do with it');
    works = true;
    assert.equal(await again(), 'live');
    assert.equal(await again(), 'live');
    assert.equal(calls, 3);
  });

  test('the stored configuration is applied when asked for, and a failure is remembered', async () => {
    const config = await open();
    await config.patch({ display: { rotation: 90 } });
    const heard: number[] = [];
    let works = false;
    config.onApply('display.rotation', ({ display }) => {
      heard.push(display.rotation);
      if (!works) throw new Error('no compositor');
    });
    await config.applyStored('display.rotation');
    const applied = async () => (await config.patch({ display: { rotation: 90 } })).applied;
    assert.deepEqual(await applied(), { 'display.rotation': 'reboot_required' });
    works = true;
    await config.applyStored('display.rotation');
    assert.deepEqual(await applied(), { 'display.rotation': 'live' });
    assert.deepEqual(heard, [90, 90, 90]);
  });

  test('what this system does not apply is never answered live', async () => {
    const config = await open({ notApplied: ['device.timezone'] });
    for (const timezone of ['UTC', 'Asia/Tokyo', null]) {
      const { applied } = await config.patch({ device: { timezone, name: 'x' } });
      assert.deepEqual(applied, { 'device.timezone': 'reboot_required', 'device.name': 'live' });
    }
  });
});

describe('random patches', () => {
  const leaf = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown>(null, 0, 90, true, 'DE', '5', [], {}, { enabled: true }, -1),
  );
  const groups = Object.keys(Config.properties);
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
  const patch = fc.dictionary(
    fc.constantFrom(...groups, 'y', '__proto__'),
    fc.oneof(leaf, fc.dictionary(fc.constantFrom(...names), leaf, { maxKeys: 3, noNullPrototype: true })),
    { maxKeys: 3, noNullPrototype: true },
  );

  test('are taken whole or not at all, and the result always fits', async () => {
    const config = await open();
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(patch, leaf), async (junk) => {
        const before = config.get();
        try {
          await config.patch(junk);
          taken += 1;
          assert.deepEqual(issues(Config, config.get()), []);
          assert.deepEqual(withDefaults(Config, await stored()), { ...config.get() });
        } catch (error) {
          assert.ok(error instanceof ApiError, String(error));
          assert.ok(error.status === 400, error.code);
          assert.equal(config.get(), before);
        }
      }),
      { numRuns: repetitions(150, 6000) },
    );
    assert.ok(taken > 10, `only ${taken} patches were taken`);
    assert.deepEqual((await open()).get(), config.get());
  });
});
