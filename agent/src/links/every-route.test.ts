/** Any request to any route of the contract gets the standard envelope with a documented code, or succeeds. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { FakeRadio } from '../../../testing/fake-bluetooth-radio.ts';
import { FakeWifiRadio } from '../../../testing/fake-wifi-radio.ts';
import { createLogger } from '../base/logger.ts';
import { BASE_PATH } from '../contract/api.ts';
import type { Endpoint, Method } from '../contract/endpoint.ts';
import { errorsOf } from '../contract/endpoint.ts';
import { ApiError } from '../contract/errors.ts';
import { ErrorEnvelopeSchema } from '../contract/shared.ts';
import { EventBus } from '../events/bus.ts';
import { Bluetooth } from '../resources/bluetooth/bluetooth.ts';
import { bluetoothConfig } from '../resources/bluetooth/config.ts';
import { bluetoothRoutes } from '../resources/bluetooth/index.ts';
import * as bluetooth from '../resources/bluetooth/schema.ts';
import { configRoutes } from '../resources/config/index.ts';
import type { ConfigStore } from '../resources/config/store.ts';
import { openConfig } from '../resources/config/tests/open-config.ts';
import { configuration, endpoints, errors } from '../resources/contract.ts';
import { documentRoutes } from '../resources/document/index.ts';
import { nfcConfig } from '../resources/nfc/config.ts';
import { nfcRoutes } from '../resources/nfc/routes.ts';
import { nfcDisabled } from '../resources/nfc/schema.ts';
import { operationRoutes } from '../resources/operations/index.ts';
import { Operations } from '../resources/operations/operations.ts';
import { radioGate } from '../resources/radio.ts';
import type { Route } from '../resources/route.ts';
import { wifiConfig } from '../resources/wifi/config.ts';
import { wifiRoutes } from '../resources/wifi/index.ts';
import * as wifi from '../resources/wifi/schema.ts';
import { Wifi, type WifiOptions } from '../resources/wifi/wifi.ts';
import { asset } from '../system/assets.ts';
import { validator } from '../validation/validator.ts';
import { createApp } from './app.ts';

const log = createLogger('silent');
const METHODS: Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

interface Shot {
  method: Method;
  url: string;
  headers: Record<string, string>;
  payload: string | Buffer | undefined;
}

/** Text that is awkward in a path or a query, encoded so that it can be sent. */
const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom(
    'a',
    'menu',
    '..',
    '%2e%2e',
    '%',
    '%zz',
    '%00',
    'A'.repeat(300),
    '1',
    '__proto__',
    '%F0%9F',
  ),
);
const body = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.string({ maxLength: 60 }),
  fc.constantFrom(
    '',
    'null',
    '[]',
    '{}',
    '{"a":',
    '{"__proto__":{"x":1}}',
    '{"constructor":{"prototype":1}}',
    '"x"',
  ),
  fc.constantFrom('['.repeat(50_000), `{"url":"${'h'.repeat(20_000)}"}`, '{"on":true}', '{"volume":1e400}'),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
);
const contentType = fc.oneof(
  { weight: 4, arbitrary: fc.constant('application/json') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'text/plain',
      'image/png',
      'application/zip',
      'x',
      '',
      'application/json; charset=x',
    ),
  },
  { weight: 1, arbitrary: fc.constant(undefined) },
);

/** A request for an endpoint's path, or for a similar path. */
const shots = fc
  .record({
    endpoint: fc.constantFrom(...endpoints),
    method: fc.option(fc.constantFrom(...METHODS), { nil: undefined, freq: 4 }),
    pieces: fc.array(piece, { minLength: 2, maxLength: 2 }),
    tail: fc.option(piece, { nil: undefined, freq: 4 }),
    query: fc.option(fc.dictionary(fc.constantFrom('screen', 'since', 'limit', 'x'), piece, { maxKeys: 2 }), {
      nil: undefined,
    }),
    contentType,
    payload: fc.option(body, { nil: undefined, freq: 8 }),
  })
  .map(({ endpoint, method, pieces, tail, query, contentType: type, payload }): Shot => {
    let index = 0;
    const path = endpoint.path.replaceAll(/\{\w+\}/g, () => pieces[index++] ?? 'a');
    const search = Object.entries(query ?? {}).map(([key, value]) => `${key}=${value}`);
    const withTail = tail === undefined ? path : `${path}/${tail}`;
    // Resolves dots in the path as `inject` does, so that the expectation matches the request.
    const url = new URL(`${BASE_PATH}${withTail}?${search.join('&')}`, 'http://localhost');
    return {
      method: method ?? endpoint.method,
      url: url.pathname + url.search,
      headers: type === undefined ? {} : { 'content-type': type },
      payload,
    };
  });

async function shoot(app: FastifyInstance, { payload, ...shot }: Shot) {
  const answer = await app.inject({ ...shot, ...(payload === undefined ? {} : { payload }) });
  return { status: answer.statusCode, headers: answer.headers, text: answer.payload };
}

/** Checks that an error is an envelope with its code's status, and returns the code. */
function codeOf(shot: Shot, { status, text }: { status: number; text: string }): string {
  const context = `${shot.method} ${shot.url.slice(0, 200)}: ${status} ${text.slice(0, 200)}`;
  const value: unknown = JSON.parse(text);
  assert.ok(validator(ErrorEnvelopeSchema).fits(value), context);
  const error = errors.find(({ code }) => code === value.error.code) ?? assert.fail(context);
  assert.equal(error.status, status, context);
  return error.code;
}

/** Codes of requests that match no endpoint. */
const UNMATCHED = new Set<string>(['not_found', 'method_not_allowed', 'bad_request']);

async function hunt(app: FastifyInstance, runs: number, extra: string[] = []): Promise<Map<string, number>> {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(shots, async (shot) => {
      const answer = await shoot(app, shot);
      if (answer.status < 400) return;
      const code = codeOf(shot, answer);
      seen.set(code, (seen.get(code) ?? 0) + 1);
      assert.notEqual(code, 'internal', `${shot.method} ${shot.url}: ${answer.text}`);
      const documented = endpoints
        .filter(({ method, path }) => method === shot.method && matches(path, shot.url))
        .flatMap((endpoint) => errorsOf(endpoint))
        .map((error) => error.code);
      assert.ok(
        documented.includes(code) || extra.includes(code) || UNMATCHED.has(code),
        `${shot.method} ${shot.url.slice(0, 200)} answered ${code}, which is not documented`,
      );
    }),
    { numRuns: runs },
  );
  return seen;
}

function matches(path: string, url: string): boolean {
  const [bare = ''] = url.slice(BASE_PATH.length).split('?', 1);
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]*')}$`).test(bare);
}

describe('with every endpoint wired to a handler that refuses', () => {
  test('any request gets the envelope, with a documented code', async () => {
    const refuse = (endpoint: Endpoint): Route => ({
      endpoint,
      handler: ({ upload }) => {
        upload?.destroy();
        throw new ApiError('conflict');
      },
    });
    const app = createApp({ endpoints, routes: endpoints.map(refuse), log });
    const seen = await hunt(app, 2500, ['conflict']);
    for (const code of [
      'bad_request',
      'not_found',
      'method_not_allowed',
      'unsupported_media_type',
      'conflict',
    ]) {
      assert.ok((seen.get(code) ?? 0) > 20, `${code} was seen ${seen.get(code) ?? 0} times`);
    }
    await app.close();
  });
});

describe('with the resources that need no hardware', () => {
  let folder: string;
  let app: FastifyInstance;
  let config: ConfigStore;
  let radio = false;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vitrine-routes-'));
    const bus = new EventBus();
    config = await openConfig(folder, { bus });
    const hasRadio = async () => radio;
    const stopped = new Bluetooth({
      radio: new FakeRadio(),
      settings: () => ({ ...config.get(bluetoothConfig), alias: '' }),
      isOpen: hasRadio,
      emit: () => undefined,
      recovered: () => undefined,
      log,
    });
    const wifiRadio = new FakeWifiRadio();
    wifiRadio.blocked = true;
    const wifiOptions: WifiOptions = {
      ...{
        radio: wifiRadio,
        bus,
        log,
        addresses: () => [],
        onAccessPoint: () => undefined,
        recovered: () => undefined,
      },
      settings: () => ({ ...config.get(wifiConfig), deviceName: '' }),
    };
    const routes = [
      ...configRoutes(configuration, config),
      ...operationRoutes(new Operations(bus)),
      ...nfcRoutes(undefined, () => {
        if (!config.get(nfcConfig).enabled) throw new ApiError(nfcDisabled);
      }),
      ...wifiRoutes(new Wifi(wifiOptions), {
        ...{ config, board: { dualBandRadio: false } },
        gate: radioGate(wifi, { hasRadio, isEnabled: () => config.get(wifiConfig).enabled }),
      }),
      ...bluetoothRoutes(
        stopped,
        radioGate(bluetooth, { hasRadio, isEnabled: () => config.get(bluetoothConfig).enabled }),
      ),
      ...documentRoutes(asset),
    ];
    app = createApp({ endpoints, routes, log });
  });
  after(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  });

  const get = async (url: string) => {
    const shot: Shot = { method: 'GET', url: `${BASE_PATH}${url}`, headers: {}, payload: undefined };
    const answer = await shoot(app, shot);
    return answer.status < 400 ? answer.status : codeOf(shot, answer);
  };

  test('any request gets the envelope, with a documented code', async () => {
    await hunt(app, 800, ['not_implemented']);
  });

  test('a disabled feature gives the reason, whatever the body', async () => {
    await config.patch({ nfc: null, wifi: null, bluetooth: null });
    const closed = async (prefix: string): Promise<Set<string>> => {
      const codes = new Set<string>();
      for (const { method, path } of endpoints.filter((endpoint) => endpoint.path.startsWith(prefix))) {
        for (const payload of [undefined, '{}', '{"a":']) {
          const headers: Record<string, string> =
            payload === undefined ? {} : { 'content-type': 'application/json' };
          const shot: Shot = { method, url: `${BASE_PATH}${path}`, headers, payload };
          codes.add(codeOf(shot, await shoot(app, shot)));
        }
      }
      return codes;
    };
    assert.deepEqual([...(await closed('/nfc'))], ['nfc_disabled']);
    assert.deepEqual([...(await closed('/wifi'))], ['wifi_unsupported']);
    assert.deepEqual([...(await closed('/bluetooth'))], ['bluetooth_unsupported']);
    radio = true;
    assert.deepEqual([...(await closed('/wifi'))], ['wifi_disabled']);
    assert.deepEqual([...(await closed('/bluetooth'))], ['bluetooth_disabled']);
    await config.patch({
      nfc: { enabled: true },
      wifi: { enabled: true, country: 'DE' },
      bluetooth: { enabled: true },
    });
    assert.deepEqual([...(await closed('/bluetooth'))].sort(), ['bad_request', 'unavailable']);
    const tag = { reader_id: 'a', tag_handle: 'a' };
    for (const [path, payload] of [
      ['/transceive', { ...tag, apdu: 'AKQEAA==' }],
      ['/ndef/write', { ...tag, message: '' }],
      ['/reader/feedback', { reader_id: 'a' }],
    ] as const) {
      const answer = await app.inject({ method: 'POST', url: `${BASE_PATH}/nfc${path}`, payload });
      assert.equal(answer.json().error.code, 'not_found', path);
    }
    assert.equal(await get('/nfc/readers'), 200);
  });

  test('GET and PATCH /config answer as the contract says', async () => {
    const patch = async (payload: unknown) => {
      const url = `${BASE_PATH}/config`;
      const answer = await app.inject({ method: 'PATCH', url, payload: payload as object });
      return { status: answer.statusCode, body: answer.json() };
    };
    const { status, body: result } = await patch({ ui: { enabled: false } });
    assert.equal(status, 200);
    assert.deepEqual(result.applied, { 'ui.enabled': 'live' });
    const shown = await app.inject({ url: `${BASE_PATH}/config` });
    assert.deepEqual(shown.json(), result.config);
    assert.deepEqual(shown.json(), JSON.parse(JSON.stringify(config.tree)));
    const refused = await patch({ ui: { enabled: 1 }, display: { screens: { x: { rotation: 1 } } } });
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body.error.details.issues.length, 2);
  });

  test('a large body of errors gets a small answer', async () => {
    const headers = { 'content-type': 'application/json' };
    const payload = `{"device":{"ntp_servers":[${'0,'.repeat(520_000)}0]}}`;
    const answer = await app.inject({ method: 'PATCH', url: `${BASE_PATH}/config`, headers, payload });
    assert.ok(answer.payload.length < 4096, `${answer.payload.length} characters`);
    assert.equal(answer.statusCode, 400);
  });

  test('an unknown operation is operation_not_found, however long its id', async () => {
    for (const length of [1, 65, 257, 7900]) {
      assert.equal(await get(`/operations/${'a'.repeat(length)}`), 'operation_not_found', `${length}`);
    }
  });

  test('the document and its page are served', async () => {
    const yaml = await app.inject({ url: `${BASE_PATH}/openapi.yaml` });
    assert.equal(yaml.headers['content-type'], 'application/yaml');
    assert.match(yaml.payload, /^(?:#.*\n)?openapi: "3\.1\.0"\n/);
    const page = await app.inject({ url: `${BASE_PATH}/docs` });
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'/);
    assert.match(page.payload, /^<!doctype html>\n/);
    const { payload, headers } = await app.inject({ method: 'HEAD', url: `${BASE_PATH}/docs` });
    assert.equal(payload, '');
    assert.equal(headers['content-length'], page.headers['content-length']);
  });
});
