/** What the running agent answers is what the contract says: no field more, none less. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TSchema, Type } from 'typebox';
import { type RunningAgent, startAgent } from '../../../lib/running-agent.ts';
import { errorCodesOf } from '../contract/error-codes.ts';
import { ERRORS } from '../contract/errors.ts';
import { ErrorEnvelopeSchema } from '../contract/shared.ts';
import { fits, issues } from '../contract/validate.ts';
import { endpoints } from './all.ts';
import { valueAt } from './config/tree.ts';

let agent: RunningAgent;
let api: string;

before(async () => {
  agent = await startAgent('--name', 'Lobby');
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
      assert.ok(fits(ErrorEnvelopeSchema, body), JSON.stringify(body));
      const code = errorCodesOf(endpoint).find((known) => known === body.error.code);
      assert.ok(code, `${body.error.code} is not documented for GET ${endpoint.path}`);
      assert.notEqual(code, 'internal');
      assert.equal(answer.status, ERRORS[code].status);
    } else {
      assert.equal(answer.status, endpoint.status);
      if (endpoint.response) assert.deepEqual(issues(closed(endpoint.response), await answer.json()), []);
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

test('surfaces that this board does not have say so', async () => {
  const codes = ['/wifi', '/bluetooth', '/nfc/readers', '/audio'].map(async (path) => {
    const answer = await fetch(`${api}${path}`);
    return `${answer.status} ${valueAt(await answer.json(), 'error.code')}`;
  });
  assert.deepEqual(await Promise.all(codes), [
    '503 wifi_unsupported',
    '503 bluetooth_unsupported',
    '503 nfc_disabled',
    '503 unavailable',
  ]);
});

test('the name from the command line is the default of device.name', async () => {
  const answer = await fetch(`${api}/config`);
  assert.equal(valueAt(await answer.json(), 'device.name'), 'Lobby');
});
