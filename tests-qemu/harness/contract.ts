import assert from 'node:assert/strict';
import { field } from '../../testing/field.ts';
import { waitForHostAddress } from './cable.ts';
import type { Device } from './device.ts';
import {
  comparable,
  type Exchange,
  everyGet,
  type Outcome,
  overCable,
  overHttp,
  overSerial,
} from './exchange.ts';
import type { ScenarioContext } from './suite.ts';

/** Requests other than the documented GETs: changes, invalid requests, unknown paths. */
const OTHERS: Exchange[] = [
  { method: 'PATCH', path: '/api/v1/config', body: { ui: { enabled: true } } },
  { method: 'PATCH', path: '/api/v1/config', body: { ui: { enabled: 'yes' }, display: { rotation: 45 } } },
  { method: 'PATCH', path: '/api/v1/config', body: { no_such_group: { field: 1 } } },
  { method: 'PATCH', path: '/api/v1/config', body: { wifi: { enabled: true } } },
  { method: 'PATCH', path: '/api/v1/config', body: [1, 2] },
  { method: 'POST', path: '/api/v1/display/navigate', body: { url: 'file:///etc/passwd' } },
  { method: 'POST', path: '/api/v1/display/navigate', body: { address: 'http://10.0.2.2/' } },
  { method: 'POST', path: '/api/v1/device/factory-reset', body: { confirm: 'not the serial number' } },
  { method: 'GET', path: '/api/v1/display?screen=no-such-screen' },
  { method: 'GET', path: '/api/v1/device/logs?limit=0' },
  { method: 'GET', path: `/api/v1/device/logs?since=s=${'0'.repeat(32)};i=1` },
  { method: 'POST', path: '/api/v1/display/reload', body: { now: true } },
  { method: 'GET', path: '/api/v1/no/such/path' },
  { method: 'DELETE', path: '/api/v1/device' },
];

function compare(list: Exchange[], reference: Outcome[], other: Outcome[], link: string): void {
  for (const [i, { method, path, body }] of list.entries()) {
    const [want, got] = [reference[i], other[i]];
    const request = `${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`;
    assert.deepEqual(
      { request, status: got?.status, body: comparable(path, got?.body) },
      { request, status: want?.status, body: comparable(path, want?.body) },
      `over ${link} (actual) and over HTTP (expected): ${request}`,
    );
  }
}

/** The outcomes of all documented GETs and the other requests over HTTP, which are checked, too. */
async function referenceOf(device: Device): Promise<{ list: Exchange[]; outcomes: Outcome[] }> {
  const gets = await everyGet(device);
  assert.ok(gets.length >= 15, `the OpenAPI document lists only ${gets.length} GETs`);
  const list = [...gets, ...OTHERS];
  const outcomes: Outcome[] = [];
  for (const exchange of list) outcomes.push(await overHttp(device, exchange));
  for (const [i, { status, body }] of outcomes.entries()) {
    const name = `${list[i]?.method} ${list[i]?.path}`;
    assert.notEqual(status, 500, `${name}: ${JSON.stringify(body)}`);
    if (status < 400) continue;
    assert.match(JSON.stringify(body), /^\{"error":\{"code":"[a-z_]+","message":"/, `${name}: no envelope`);
  }
  const refused = outcomes.slice(gets.length + 1).map(({ status }) => status);
  assert.deepEqual(refused, [...Array(11).fill(400), 404, 405]);
  return { list, outcomes };
}

/** What only a machine has: the status there, and the documented one in a container. */
const ONLY_MACHINE: Readonly<Record<string, readonly [machine: number, container: number]>> = {
  '/api/v1/update': [200, 503],
  '/api/v1/audio': [200, 503],
};

/** What an answer looks like: its status, and the fields of its body. */
function outlineOf({ status, body }: Outcome): unknown {
  const isObject = typeof body === 'object' && body !== null && !Buffer.isBuffer(body);
  if (!isObject || Array.isArray(body)) return { status, type: Array.isArray(body) ? 'array' : typeof body };
  return { status, fields: Object.keys(body).sort(), code: field(body, 'error.code') };
}

/** Tests that a machine and a container give the same answers, except for what needs a machine. */
export async function compareKinds(machine: Device, container: Device): Promise<void> {
  const [here, there] = [await referenceOf(machine), await referenceOf(container)];
  assert.deepEqual(there.list, here.list);
  for (const [i, { method, path }] of here.list.entries()) {
    const [ours, other] = [here.outcomes[i], there.outcomes[i]];
    if (!ours || !other) throw new Error('unreachable');
    const statuses = method === 'GET' ? ONLY_MACHINE[path] : undefined;
    if (statuses) assert.deepEqual([ours.status, other.status], statuses, path);
    else assert.deepEqual(outlineOf(other), outlineOf(ours), `${method} ${path} in a container (actual)`);
  }
}

/** Tests that the same requests give the same status and body on every link of the device. */
export async function compareLinks({ device, test }: ScenarioContext): Promise<void> {
  let list: Exchange[] = [];
  let reference: Outcome[] = [];
  await test('over HTTP: every documented GET answers without an internal error', async () => {
    // Otherwise the state could change between the requests over different links.
    await device.waitForDisplay((display) => field(display, 'loading') === false, 'the page', 300_000);
    await waitForHostAddress(device);
    ({ list, outcomes: reference } = await referenceOf(device));
  });

  for (const { name, open } of device.serialLinks) {
    await test(`over the ${name}: ${list.length} requests, one after the other`, async () => {
      const serial = await open();
      try {
        const outcomes: Outcome[] = [];
        for (const exchange of list) outcomes.push(await overSerial(serial, exchange));
        compare(list, reference, outcomes, name);
      } finally {
        await serial.close();
      }
    });
  }

  await test('over the USB cable’s network', async () => {
    compare(list, reference, await overCable(device, list), 'the cable');
  });

  await test('over serial, all sent at once', async () => {
    const serial = await device.serial();
    try {
      const outcomes = await Promise.all(list.map((exchange) => overSerial(serial, exchange)));
      compare(list, reference, outcomes, 'pipelined serial');
    } finally {
      await serial.close();
    }
  });

  await test('each link rejects a body that is not JSON with its own error', async () => {
    const rest = await device.http('PATCH', '/config', {
      raw: '{"ui":',
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(rest.status, 400);
    assert.match(rest.bytes.toString(), /"code":"bad_request"/);
    for (const { open } of device.serialLinks) {
      const serial = await open();
      try {
        const { mark } = serial.others;
        serial.write('{"id":1,"type":"request","method":"PATCH","path":"/api/v1/config","body":{"ui":\n');
        assert.match(JSON.stringify(await serial.frame('error', mark)), /"code":"bad_frame"/);
        const { status } = await serial.request('GET', '/device');
        assert.equal(status, 200);
      } finally {
        await serial.close();
      }
    }
  });
}
