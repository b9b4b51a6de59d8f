/** Every leaf of the configuration on a running agent: it takes a value, and is answered as its schema declares. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import { type RunningAgent, startAgent } from '../../../testing/running-agent.ts';
import { APPLIED } from './config/fields.ts';
import { isObject, valueAt } from './config/tree.ts';
import { configuration } from './contract.ts';

/** Values that differ from the defaults where the schema alone does not say which one is valid together with the rest. */
const VALUES: Readonly<Record<string, unknown>> = {
  'device.name': 'Lobby',
  'device.timezone': 'Asia/Tokyo',
  'device.ntp_servers': ['192.0.2.1'],
  'display.forced_mode': '1280x720@60',
  'display.boot_bundle': 'menu',
  'audio.output': 'HDMI',
  'browser.user_agent': 'Vitrine',
  'browser.backend': 'wpe',
  'browser.permissions': [{ origin: 'https://a.example', kind: 'camera' }],
  'display.power_schedule': [{ days: ['mon'], on: '08:00', off: '18:00' }],
  'browser.keyboard_layouts': ['de', 'en'],
  'browser.languages': ['de-CH', 'fr'],
  'input.keyboard_layout': 'de',
  'proxy.http': 'http://192.0.2.1:3128/',
  'proxy.https': 'http://192.0.2.1:3128/',
  'proxy.no_proxy': ['a.example'],
  'proxy.pac_url': 'http://192.0.2.1/proxy.pac',
  'update.hawkbit.url': 'http://127.0.0.1:9/',
  'update.hawkbit.tenant': 'a',
  'update.hawkbit.controller_id': 'a',
  'update.hawkbit.target_token': 'a',
  'update.hawkbit.gateway_token': 'a',
  'devices.origins': ['https://a.example'],
  'devices.hid.allow': [{ vendorId: 1, productId: 2 }],
  'devices.serial.allow': [{ usbVendorId: 1, usbProductId: 2 }],
  'devices.usb.allow': [{ vendorId: 1, productId: 2 }],
  'nfc.origins': ['https://a.example'],
  'wifi.country': 'DE',
  'wifi.networks': [{ ssid: 'a', psk: '', priority: 0 }],
  'wifi.ap.ssid': 'a',
  'wifi.ap.psk': '12345678',
  'wifi.ap.band': '2.4',
  'wifi.ap.channel': 6,
  'bluetooth.name': 'a',
};
/** What a value needs beside it. */
const NEEDS: Readonly<Record<string, object>> = {
  'proxy.mode': { proxy: { http: 'http://192.0.2.1:3128/' } },
  'wifi.enabled': { wifi: { country: 'DE' } },
};
/** Stored and never applied on a computer that is not the appliance (docs/api.md: Configuration). */
const NOT_APPLIED_HERE = new Set([
  'device.timezone',
  'device.ntp_servers',
  'browser.allow_host_services',
  'browser.remote_debugging',
  'input.keyboard_layout',
  'input.remote',
]);

interface Leaf {
  path: string;
  schema: TSchema;
}

function leavesIn(schema: TSchema, path: string): Leaf[] {
  if (APPLIED in schema) return [{ path, schema }];
  if (!Type.IsObject(schema)) return []; // display.screens: display/config.test.ts
  return Object.entries(schema.properties).flatMap(([key, child]) => leavesIn(child, `${path}.${key}`));
}

/** Another value than the default. */
function otherValue({ path, schema }: Leaf): unknown {
  if (path in VALUES) return VALUES[path];
  const { default: value, enum: choices, minimum, maximum, anyOf }: Record<string, unknown> = { ...schema };
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(choices)) return choices.find((choice) => choice !== value);
  if (typeof value === 'number') return value === minimum ? maximum : minimum;
  const [first]: unknown[] = Array.isArray(anyOf) ? anyOf : [];
  if (isObject(first) && typeof first.minimum === 'number') return first.minimum;
  assert.fail(`the test has no value for ${path}`);
}

function patchOf(path: string, value: unknown): object {
  const [key = '', ...rest] = path.split('.');
  return { [key]: rest.length === 0 ? value : patchOf(rest.join('.'), value) };
}

let agent: RunningAgent;
before(async () => {
  agent = await startAgent();
});
after(() => agent.stop());

async function patch(change: object): Promise<unknown> {
  const answer = await fetch(`${agent.api}/config`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(change),
  });
  const body: unknown = await answer.json();
  assert.equal(answer.status, 200, JSON.stringify(body));
  return body;
}

for (const leaf of configuration.groups.flatMap(({ name, schema }) => leavesIn(schema, name))) {
  const { path } = leaf;
  test(path, async () => {
    const declared: unknown = valueAt({ ...leaf.schema }, APPLIED);
    if (path in NEEDS) await patch(NEEDS[path] ?? {});
    const value = otherValue(leaf);
    const body = await patch(patchOf(path, value));
    const expected = NOT_APPLIED_HERE.has(path) ? 'reboot_required' : declared;
    assert.ok(isObject(body));
    assert.deepEqual(body.applied, { [path]: expected });
    assert.deepEqual(valueAt(body.config, path), value);
    await patch({ [path.split('.', 1)[0] ?? '']: null });
  });
}
