import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../../ci/lib/long-runs.ts';
import { ApiError } from '../../contract/errors.ts';
import { fits, issues } from '../../contract/validate.ts';
import { EventBus } from '../../events/bus.ts';
import { configuration } from '../all.ts';
import { audioConfig } from '../audio/config.ts';
import { deviceConfig } from '../device/config.ts';
import { devicesConfig } from '../devices/config.ts';
import { nfcConfig } from '../nfc/config.ts';
import { wifiConfig } from '../wifi/config.ts';
import { atBoot, live, section } from './fields.ts';
import {
  type Apply,
  type BindingHooks,
  bindGroup,
  configGroup,
  type GroupValue,
  NOT_APPLIED_HERE,
  NOTHING_TO_APPLY,
  READ_WHEN_NEEDED,
} from './group.ts';
import { configContract } from './schema.ts';
import type { ConfigOptions, ConfigStore } from './store.ts';
import { openConfig } from './tests/open-config.ts';
import { valueAt, withDefaults } from './tree.ts';

let folder: string;
let bus: EventBus;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-config-'));
  bus = new EventBus();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function open(options: Partial<ConfigOptions> = {}): Promise<ConfigStore> {
  return openConfig(folder, { bus, ...options });
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
    assert.ok(fits(configuration.Config, config.tree));
    assert.equal(config.get(deviceConfig).name, 'Lobby');
    assert.equal(config.problem, undefined);
    assert.deepEqual(await readdir(folder), []);
  });

  test('nobody can change what was read', async () => {
    const config = await open();
    assert.throws(() => config.get(nfcConfig).origins.push('https://a.example'), TypeError);
  });
});

describe('patching', () => {
  test('keeps, answers and tells the leaves of the patch', async () => {
    const config = await open();
    const events: unknown[] = [];
    bus.on(configuration.configChanged, (payload) => events.push(payload));
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
    assert.equal(valueAt(result.config, 'display.rotation'), 90);
    assert.deepEqual(events, [{ paths: Object.keys(leaves), config: config.tree }]);
    assert.deepEqual((await open()).tree, config.tree);
  });

  test('null goes back to the default, and the file forgets it', async () => {
    const config = await open();
    await config.patch({ audio: { volume: 10, mute: true }, device: { name: 'x' } });
    const { applied } = await config.patch({ audio: { volume: null }, device: null });
    assert.equal(config.get(audioConfig).volume, 80);
    assert.equal(config.get(audioConfig).mute, true);
    assert.equal(config.get(deviceConfig).name, 'Vitrine');
    assert.ok('device.timezone' in applied);
    assert.deepEqual(await stored(), { schema: 1, audio: { mute: true } });
  });

  test('what GET gave can be sent back', async () => {
    const config = await open();
    await config.patch({ display: { screens: { 'HDMI-A-1': { url: 'https://a.example/' } } } });
    const before = config.tree;
    await config.patch(before);
    assert.deepEqual(config.tree, before);
  });

  test('a list is replaced whole', async () => {
    const config = await open();
    await config.patch({ devices: { origins: ['https://a.example', 'https://b.example'] } });
    await config.patch({ devices: { origins: ['https://c.example'] } });
    assert.deepEqual(config.get(devicesConfig).origins, ['https://c.example']);
  });

  test('a refused patch names every issue and changes nothing', async () => {
    const config = await open();
    await config.patch({ audio: { volume: 30 } });
    const events: unknown[] = [];
    bus.on(configuration.configChanged, (payload) => events.push(payload));
    const before = config.tree;
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
    assert.equal(config.tree, before);
    assert.deepEqual(events, []);
    assert.deepEqual(await stored(), { schema: 1, audio: { volume: 30 } });
  });

  test('concurrent patches take effect one after the other', async () => {
    const config = await open();
    const volumes = Array.from({ length: 30 }, (_, index) => index);
    const answers = await Promise.all(volumes.map((volume) => config.patch({ audio: { volume } })));
    assert.deepEqual(
      answers.map((answer) => valueAt(answer.config, 'audio.volume')),
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
    assert.equal(config.get(audioConfig).mute, false);
    await rm(join(folder, 'config'));
    await config.patch({ audio: { mute: true } });
    assert.equal(config.get(audioConfig).mute, true);
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
    assert.equal(config.get(wifiConfig).ap.psk, '12345678');
  });
});

describe('applying', () => {
  /** Two groups of a resource, and a store that knows them alone. */
  const sound = configGroup('sound', 'Sound', {
    volume: live.int(80, 0, 100),
    mute: live.bool(false),
    tone: section('Tone', { bass: live.int(0, -9, 9), mode: atBoot.choice('a', ['a', 'b']) }),
    output: atBoot.text('hdmi'),
  });
  const light = configGroup('light', 'Light', { on: live.bool(false) });
  const groups = [sound, light];

  interface Sounds {
    volume?: LiveSound['volume'];
    mute?: LiveSound['mute'];
    tone?: LiveSound['tone'];
    hooks?: BindingHooks;
  }
  type LiveSound = Parameters<typeof bindGroup<(typeof sound)['schema']['properties']>>[1];

  async function openSound({ hooks, ...how }: Sounds = {}): Promise<ConfigStore> {
    const config = await open({ groups, contract: configContract(groups) });
    const none = { volume: NOTHING_TO_APPLY, mute: NOTHING_TO_APPLY, tone: NOTHING_TO_APPLY } as const;
    config.bind(bindGroup(sound, { ...none, ...how }, hooks));
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
    const kept = { output: 'usb', tone: { bass: 3 }, volume: 5, mute: true };
    assert.deepEqual(calls, [[80, 5, true, { schema: 1, light: { on: true }, sound: kept }]]);
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
    const again = async () => (await config.patch({ sound: { volume: 7 } })).applied;
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
      'nothing changes, and it is tried',
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

  test('a function that takes too long does not hold up the patches', async (t) => {
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

  test('a stored field is applied when asked for, and a failure is remembered', async () => {
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

  test('a field that this system never applies, or not now, is not answered live', async () => {
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

  test('a resource may refuse a patch of its group; nothing has changed then', async () => {
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

  test('a resource hears of every change of its group, and its failure changes nothing', async () => {
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

  test('a group is bound once', async () => {
    const config = await openSound();
    const again = bindGroup(sound, {
      volume: NOTHING_TO_APPLY,
      mute: NOTHING_TO_APPLY,
      tone: NOTHING_TO_APPLY,
    });
    assert.throws(() => config.bind(again), /sound is bound twice/);
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
        const before = config.tree;
        try {
          await config.patch(junk);
          taken += 1;
          assert.deepEqual(issues(configuration.Config, config.tree), []);
          assert.deepEqual(withDefaults(configuration.Config, await stored()), { ...config.tree });
        } catch (error) {
          assert.ok(error instanceof ApiError, String(error));
          assert.ok(error.status === 400, error.code);
          assert.equal(config.tree, before);
        }
      }),
      { numRuns: repetitions(150, 6000) },
    );
    assert.ok(taken > 10, `only ${taken} patches were taken`);
    assert.deepEqual((await open()).tree, config.tree);
  });
});
