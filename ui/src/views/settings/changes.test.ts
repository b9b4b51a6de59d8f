import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { RequestError } from '../../../../client/client.ts';
import { type Change, changeOf, changesByFile, changesOf, patchOf, sampleOf } from './changes.ts';
import { type JsonObject, mergePatch, patchBetween, valueAt, withoutValue, withValue } from './json.ts';
import { NO_REFUSAL, refusalOf, withoutField } from './refusal.ts';
import { type Field, groupsOf } from './schema.ts';
import { fileName, secretsIn, withoutSecretFields } from './transfer.ts';
import { readYaml } from './yaml.ts';

let fields: Field[];
/** A device as it comes. */
let defaults: JsonObject;
before(async () => {
  const file = new URL('../../../../docs/openapi.yaml', import.meta.url);
  fields = groupsOf(readYaml(await readFile(file, 'utf8'))).flatMap((group) => group.fields);
  defaults = fields.reduce<JsonObject>((tree, one) => withValue(tree, one.path, one.default), { schema: 1 });
});

const field = (name: string) => fields.find((one) => one.name === name) ?? assert.fail(name);
const short = (changes: readonly Change[]) => changes.map(({ name, before, after }) => [name, before, after]);

test('a merge patch turns one document into the other, whatever they are', () => {
  // A document cannot have a null that differs from no value.
  const value = fc.letrec((tie) => ({
    tree: fc.dictionary(
      fc.constantFrom('a', 'b', 'c', '__proto__'),
      fc.oneof({ depthSize: 'small' }, fc.constantFrom<unknown>(1, 2, 'x', [1, 2], []), tie('tree')),
      { maxKeys: 3 },
    ),
  })).tree;
  fc.assert(
    fc.property(value, value, (from, to) => {
      const [a, b]: [JsonObject, JsonObject] = JSON.parse(JSON.stringify([from, to]));
      const patch = patchBetween(a, b);
      assert.deepEqual(mergePatch(a, patch), b);
      if (JSON.stringify(a) === JSON.stringify(b)) assert.deepEqual(patch, {});
    }),
  );
});

test('only changed fields are sent, and null for those that are reset', () => {
  const changes = [
    changeOf(field('device.name'), 'Vitrine', 'Lobby'),
    changeOf(field('wifi.ap.channel'), 6, 0, true),
    changeOf(field('display.screens'), { a: { url: null }, b: {} }, { a: { url: 'http://a.example' } }),
  ];
  assert.deepEqual(patchOf(changes), {
    device: { name: 'Lobby' },
    wifi: { ap: { channel: null } },
    display: { screens: { a: { url: 'http://a.example' }, b: null } },
  });
});

test('code samples have words in place of secrets', () => {
  const networks = [{ ssid: 'Lobby', psk: 'correct horse' }];
  const changes = [
    changeOf(field('wifi.networks'), [], networks),
    changeOf(field('update.hawkbit.target_token'), null, 'abc'),
    changeOf(field('wifi.ap.psk'), 'correct horse', null),
  ];
  assert.deepEqual(sampleOf(changes), {
    wifi: { networks: [{ ssid: 'Lobby', psk: 'PSK' }], ap: { psk: null } },
    update: { hawkbit: { target_token: 'TARGET_TOKEN' } },
  });
});

test('a patch of the whole document is shown field by field, also what the schema does not have', () => {
  const now = withValue(defaults, ['wifi', 'ap', 'channel'], 6);
  const edited = withoutValue(withValue(now, ['audio', 'volume'], 30), ['wifi', 'ap']);
  const patch = patchBetween(now, { ...edited, other: { x: 1 } });
  assert.deepEqual(short(changesOf(patch, now, fields)), [
    ['audio.volume', 80, 30],
    ['wifi.ap.channel', 6, 0],
    ['other', undefined, { x: 1 }],
  ]);
  assert.deepEqual(changesOf(patchBetween(now, now), now, fields), []);
  assert.deepEqual(short(changesOf({ audio: 5 }, now, fields)), [['audio', now.audio, 5]]);
});

test('a file changes what it has, leaves the rest, and may have more than this version knows', () => {
  const file = {
    schema: 1,
    device: { name: 'Lobby', colour: 'red' },
    display: { screens: { a: { url: null } } },
    audio: { volume: 80, mute: null },
    future: {},
  };
  const now = withValue(defaults, ['display', 'screens'], { b: { url: null } });
  const { changes, unknown } = changesByFile(file, withValue(now, ['audio', 'mute'], true), fields);
  assert.deepEqual(short(changes), [
    ['device.name', 'Vitrine', 'Lobby'],
    ['display.screens', { b: { url: null } }, { a: { url: null } }],
    ['audio.mute', true, false],
  ]);
  assert.deepEqual(unknown, ['device.colour', 'future']);
  assert.deepEqual(valueAt(patchOf(changes), ['display', 'screens']), { b: null, a: { url: null } });
});

test('an export without secrets leaves out whole fields; imported again, it changes nothing', () => {
  const networks = [{ ssid: 'Lobby', psk: 'correct horse', priority: 0 }];
  const now = withValue(
    withValue(defaults, ['wifi', 'networks'], networks),
    ['wifi', 'ap', 'psk'],
    'tr0ub4dor',
  );
  assert.deepEqual(
    secretsIn(now, fields).map(({ name }) => name),
    ['wifi.networks', 'wifi.ap.psk'],
  );
  const exported = withoutSecretFields(now, fields);
  assert.doesNotMatch(JSON.stringify(exported), /horse|tr0ub/);
  assert.equal(valueAt(exported, ['wifi', 'ap', 'band']), '2.4');
  assert.deepEqual(changesByFile(exported, now, fields), { changes: [], unknown: [] });
  assert.equal(withoutSecretFields(defaults, fields), defaults);
});

test('the name of a file is one on every system', () => {
  assert.equal(fileName('Lobby / Süd #2', false), 'Lobby-Süd-2-configuration.json');
  assert.equal(fileName('../..', true), 'device-configuration-with-secrets.json');
});

/** The error of a patch as the client throws it. */
function refused(issues: unknown, code = 'bad_request', more = {}): RequestError {
  const body = { error: { code, message: 'No.', details: { issues, ...more } } };
  return new RequestError('PATCH', '/config', { status: 400, body, bytes: new Uint8Array() });
}

test('errors of the device are shown at the field that they belong to', () => {
  const names = new Set([...fields.map(({ name }) => name), 'other']);
  const { byField, others } = refusalOf(
    refused([
      { path: '/device/timezone', message: 'must be a name of the time zone database' },
      { path: '/browser/permissions/0/origin', message: 'must be an origin' },
      { path: '/browser/permissions/0/origin', message: 'must be an origin' },
      { path: '/display/screens/HDMI-A~11/url', message: 'must be a URL' },
      { path: '/other/x', message: 'is not a known field' },
      { path: '/device', message: 'must be object' },
      { path: '', message: 'must be object' },
      5,
    ]),
    names,
  );
  assert.deepEqual(Object.fromEntries(byField), {
    'device.timezone': ['must be a name of the time zone database'],
    'browser.permissions': ['entry 1, origin: must be an origin'],
    'display.screens': ['HDMI-A/1, url: must be a URL'],
    other: ['x: is not a known field'],
  });
  assert.deepEqual(others, ['device must be object', 'must be object']);
});

test('a screen that does not exist belongs to the screens; other errors belong to no field', () => {
  const names = new Set(['display.screens']);
  const { byField } = refusalOf(refused([], 'screen_not_found', { screen: 'DP-7' }), names);
  assert.deepEqual([...byField], [['display.screens', ['DP-7 is no screen of this device']]]);
  assert.equal(refusalOf(new Error('lost'), names), NO_REFUSAL);
  const refusal = { byField: new Map([['a', ['x']]]), others: [] };
  assert.deepEqual(withoutField(refusal, 'a'), NO_REFUSAL);
  assert.equal(withoutField(refusal, 'b'), refusal);
});
