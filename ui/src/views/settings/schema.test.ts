import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, test } from 'node:test';
import { type Field, type Group, groupsOf } from './schema.ts';
import { matches, split } from './search.ts';
import { readYaml } from './yaml.ts';

let groups: Group[];
before(async () => {
  const file = new URL('../../../../docs/openapi.yaml', import.meta.url);
  groups = groupsOf(readYaml(await readFile(file, 'utf8')));
});

function field(name: string): Field {
  return groups.flatMap(({ fields }) => fields).find((one) => one.name === name) ?? assert.fail(name);
}

test('every group and every leaf of the configuration is there, with its default', () => {
  const names = groups.map(({ name }) => name);
  assert.deepEqual(names.slice(0, 3), ['device', 'display', 'browser']);
  assert.ok(names.includes('wifi') && !names.includes('schema'));
  const fields = groups.flatMap((group) => group.fields);
  assert.equal(new Set(fields.map(({ name }) => name)).size, fields.length);
  assert.deepEqual(
    fields.filter((one) => one.default === undefined).map(({ name }) => name),
    [],
  );
});

test('the kind of a field follows from its schema', () => {
  const kinds = {
    'device.name': 'text',
    'device.ntp_servers': 'lines',
    'device.health_interval_ms': 'number',
    'display.rotation': 'choice',
    'display.screens': 'json',
    'display.power_schedule': 'json',
    'browser.zoom': 'boolean',
    'browser.keyboard_layouts': 'lines',
    'wifi.ap.psk': 'secret',
    'update.hawkbit.gateway_token': 'secret',
  };
  for (const [name, kind] of Object.entries(kinds)) assert.equal(field(name).kind, kind, name);
});

test('limits, units, choices and defaults', () => {
  const { min, max, unit, step, isNullable } = field('device.health_interval_ms');
  assert.deepEqual([min, max, unit, step, isNullable], [500, 3_600_000, 'ms', 1, false]);
  const { options, unit: degrees } = field('display.rotation');
  assert.deepEqual([options, degrees], [[0, 90, 180, 270], '°']);
  const memory = field('browser.memory_limit_mb');
  assert.deepEqual([memory.isNullable, memory.default, memory.min, memory.unit], [true, null, 128, 'MiB']);
  assert.deepEqual([field('display.scale').step, field('audio.volume').unit], [0.25, '%']);
  assert.deepEqual(field('browser.keyboard_layouts').options, ['en', 'de', 'fr', 'es']);
});

test('when a change takes effect; only parts of an entry may need a restart', () => {
  assert.equal(field('browser.zoom').applied, 'live');
  assert.equal(field('display.boot_bundle').applied, 'reboot_required');
  const { applied, isMap, restartParts } = field('display.screens');
  assert.deepEqual([applied, isMap], ['mixed', true]);
  assert.deepEqual(restartParts, [['forced_mode'], ['url'], ['browser', 'backend']]);
});

test('secrets are known, also in entries', () => {
  const secrets = groups.flatMap(({ fields }) => fields).filter(({ hasSecret }) => hasSecret);
  assert.deepEqual(
    secrets.map(({ name }) => name),
    ['update.hawkbit.target_token', 'update.hawkbit.gateway_token', 'wifi.networks', 'wifi.ap.psk'],
  );
});

test('names for people, and what entries have', () => {
  const labels = { 'wifi.ap.psk': 'AP: PSK', 'browser.ignore_tls_errors': 'Ignore TLS errors' };
  for (const [name, label] of Object.entries(labels)) assert.equal(field(name).label, label);
  const { entry, example } = field('wifi.networks');
  assert.deepEqual(
    entry.map(({ name }) => name),
    ['ssid', 'psk', 'priority'],
  );
  assert.match(entry[2]?.text ?? '', /^integer\. The network in range/);
  assert.deepEqual(example, { ssid: '…', psk: '', priority: 0 });
});

test('a document without a configuration is refused', () => {
  for (const document of [undefined, {}, { components: { schemas: { Config: { properties: {} } } } }]) {
    assert.throws(() => groupsOf(document));
  }
});

test('a search finds names, descriptions, values and titles, in any order and case', () => {
  const keyboard = field('browser.on_screen_keyboard');
  for (const query of ['KEYBOARD screen', 'scanners', 'navigateur auto', 'on_screen', '']) {
    assert.ok(matches(keyboard, 'Navigateur', query), query);
  }
  assert.ok(matches(field('display.power_schedule'), 'Écran', 'ecran days'));
  assert.ok(!matches(keyboard, 'Navigateur', 'keyboard wifi'));
});

test('a long description is cut after a sentence', () => {
  const [lead, rest] = split(field('display.scale').description);
  assert.equal(lead, 'Pixels per CSS pixel (`devicePixelRatio`).');
  assert.match(rest, /^null: 1 up to/);
  assert.deepEqual(split('http: or https:'), ['http: or https:', '']);
  assert.deepEqual(split(''), ['', '']);
});
