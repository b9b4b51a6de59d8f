/** What the running agent answers is what the contract says: no field more, none less. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import { authority, certificate } from '../../../testing/make-certificates.ts';
import { type RunningAgent, startAgent } from '../../../testing/running-agent.ts';
import { errorsOf } from '../contract/endpoint.ts';
import { ErrorEnvelopeSchema } from '../contract/shared.ts';
import { validator } from '../validation/validator.ts';
import { valueAt } from './config/tree.ts';
import { bundle } from './content/tests/content.ts';
import { endpoints } from './contract.ts';

let agent: RunningAgent;
let api: string;

before(async () => {
  agent = await startAgent({ flags: ['--name', 'Lobby', '--listen-https', '127.0.0.1:0'] });
  ({ api } = agent);
});
after(() => agent.stop());

/** The schema with every object closed, so that a field that nobody documented is an issue. */
function closed(schema: TSchema): TSchema {
  const close = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(close);
    if (typeof value !== 'object' || value === null) return value;
    const inner = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, close(child)]));
    const { $id: _id, ...rest } = inner;
    return 'properties' in rest && !('patternProperties' in rest)
      ? { ...rest, additionalProperties: false }
      : rest;
  };
  return Type.Unsafe(JSON.parse(JSON.stringify(close(JSON.parse(JSON.stringify(schema))))));
}

for (const endpoint of endpoints.filter(({ method, path }) => method === 'GET' && !path.includes('{'))) {
  test(`GET ${endpoint.path}`, async () => {
    const answer = await fetch(`${api}${endpoint.path}`, { signal: AbortSignal.timeout(30_000) });
    if (answer.status >= 400) {
      const body: unknown = await answer.json();
      assert.ok(validator(ErrorEnvelopeSchema).fits(body), JSON.stringify(body));
      const error = errorsOf(endpoint).find(({ code }) => code === body.error.code);
      assert.ok(error, `${body.error.code} is not documented for GET ${endpoint.path}`);
      assert.notEqual(error.code, 'internal');
      assert.equal(answer.status, error.status);
    } else {
      assert.equal(answer.status, endpoint.status);
      if (endpoint.response)
        assert.deepEqual(validator(closed(endpoint.response)).issues(await answer.json()), []);
      else assert.equal(answer.headers.get('content-type'), endpoint.download?.contentType);
    }
  });
}

test('the device and the update agree about the slot on a system without slots, which takes no update', async () => {
  const get = async (path: string): Promise<unknown> => (await fetch(`${api}${path}`)).json();
  const [device, update] = [await get('/device'), await get('/update')];
  const slot = String(valueAt(device, 'slot'));
  assert.equal(valueAt(update, 'active_slot'), slot);
  assert.deepEqual(valueAt(update, `slots.${slot}`), { version: valueAt(device, 'version'), state: 'good' });
  assert.deepEqual(valueAt(update, 'slots.b'), { version: null, state: 'unknown' });
  for (const [method, path] of [
    ['PUT', '/update/bundle'],
    ['POST', '/update/apply'],
  ] as const) {
    const headers = method === 'PUT' ? { 'content-type': 'application/octet-stream' } : {};
    const answer = await fetch(`${api}${path}`, {
      method,
      headers,
      ...(method === 'PUT' ? { body: 'hsqs' } : {}),
    });
    assert.deepEqual([answer.status, valueAt(await answer.json(), 'error.code')], [503, 'unavailable'], path);
  }
});

test('uploads are judged by their content, whatever a computer calls them', async () => {
  const png = (await readFile(join(import.meta.dirname, '../../../docs/images/screenshot.png'))).subarray();
  const zip = await bundle('x');
  const ca = Buffer.from(authority('Root').cert);
  const own = certificate({ name: 'own' });
  const server = Buffer.from(own.cert + own.key);
  const cases = [
    ['/files/splash', png, 204, ['image/png', 'image/x-png']],
    ['/files/certificates/ca', ca, 204, ['application/x-x509-ca-cert', 'application/pkix-cert']],
    ['/files/certificates/server', server, 204, ['application/x-pem-file', 'application/x-x509-ca-cert']],
    [
      '/content/menu',
      zip,
      202,
      ['application/zip', 'application/x-zip-compressed', 'Application/X-Zip; a=b'],
    ],
    ['/update/bundle', Buffer.from('hsqs'), 503, ['application/vnd.squashfs']],
  ] as const;
  for (const [path, body, status, types] of cases) {
    for (const type of [...types, 'application/octet-stream', 'binary/octet-stream', undefined]) {
      const headers = type === undefined ? {} : { 'content-type': type };
      const answer = await fetch(`${api}${path}`, { method: 'PUT', headers, body: new Uint8Array(body) });
      assert.equal(answer.status, status, `${path} as ${type}: ${await answer.text()}`);
    }
    for (const type of [
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
    ]) {
      const headers = { 'content-type': type };
      const answer = await fetch(`${api}${path}`, { method: 'PUT', headers, body: new Uint8Array(body) });
      await answer.text();
      const wanted = path === '/update/bundle' ? 503 : path === '/files/splash' ? 400 : 415;
      assert.equal(answer.status, wanted, `${path} as ${type}`);
    }
  }
});

test('surfaces that this board does not have say so', async () => {
  const paths = ['GET /wifi', 'GET /bluetooth', 'GET /nfc/readers', 'GET /audio', 'POST /input/inject'];
  const codes = paths.map(async (name) => {
    const [method = '', path = ''] = name.split(' ');
    const answer = await fetch(`${api}${path}`, { method });
    return `${answer.status} ${valueAt(await answer.json(), 'error.code')}`;
  });
  assert.deepEqual(await Promise.all(codes), [
    '503 wifi_unsupported',
    '503 bluetooth_unsupported',
    '503 nfc_disabled',
    '503 unavailable',
    '503 unavailable',
  ]);
});

test('the name from the command line is the default of device.name', async () => {
  const answer = await fetch(`${api}/config`);
  assert.equal(valueAt(await answer.json(), 'device.name'), 'Lobby');
});
