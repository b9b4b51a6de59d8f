import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { createLogger } from '../../base/logger.ts';
import { ApiError } from '../../contract/errors.ts';
import { EventBus } from '../../events/bus.ts';
import { createApp } from '../../links/app.ts';
import { validator } from '../../validation/validator.ts';
import { Device, deviceRoutes } from './device.ts';
import { HealthMonitor } from './health.ts';
import type { Journal, Power, PowerAction } from './ports.ts';
import { Device as DeviceSchema, Health, type LogRecord } from './schema.ts';

const BROWSER = {
  ...{ running: true, restarts: 2, pid: 42, rss_bytes: null, rss_trend_bytes_per_h: null },
  ...{ web_processes: null, web_process_limit: 4, memory_restarts: 0 },
};
const RECORD: LogRecord = {
  ts: '2026-01-02T03:04:05.678Z',
  level: 'info',
  source: 'test',
  message: 'hello',
  cursor: 's=0123456789abcdef0123456789abcdef;i=1',
};
const CAPABILITIES = { h264_hw: true, hevc_hw: false, touch_present: true, wifi: false, bluetooth: false };

let app: FastifyInstance;
let bus: EventBus;
let device: Device;
let health: HealthMonitor;
let problems: string[];
let performed: PowerAction[];
let acted: EventTarget;
let resets: number;
let powerFails: boolean;
/** The check of the power waits for it. */
let powerCheck: Promise<void> | undefined;
let resetFails: boolean;
let performFails: boolean;
let queries: unknown[];
let followers: number;
let record: (record: LogRecord) => void;
let reading: Promise<void> | undefined;
let interval: number;

beforeEach(() => {
  bus = new EventBus();
  problems = [];
  performed = [];
  acted = new EventTarget();
  resets = 0;
  followers = 0;
  powerFails = false;
  powerCheck = undefined;
  resetFails = false;
  performFails = false;
  queries = [];
  interval = 5;
  reading = undefined;
  const journal: Journal = {
    read: async (query) => {
      queries.push(query);
      await reading;
      return [RECORD];
    },
    follow: (onRecord) => {
      followers++;
      record = onRecord;
      return () => {
        followers--;
      };
    },
  };
  const power: Power = {
    check: async () => {
      await powerCheck;
      if (powerFails) throw new ApiError('unavailable');
    },
    perform: async (action) => {
      if (performFails) throw new Error('the system refuses');
      performed.push(action);
      acted.dispatchEvent(new Event('done'));
    },
  };
  const dataReset = {
    check: async () => {
      if (resetFails) throw new ApiError('unavailable');
    },
    request: async () => {
      resets++;
    },
    withdraw: async () => {
      resets--;
      acted.dispatchEvent(new Event('withdrawn'));
    },
  };
  const onError = (error: unknown) => {
    if (!performFails) assert.fail(String(error));
  };
  device = new Device({
    ...{ bus, journal, power, dataReset, onError, profile: 'virt' },
    identity: { serial: 'VTR-1', model: 'Board', version: '1.2.3', slot: 'b' },
    name: () => 'lobby',
    hardware: { capabilities: async () => CAPABILITIES },
  });
  health = new HealthMonitor({
    ...{ bus, onError, problems: () => problems, intervalMs: () => interval },
    browser: async () => BROWSER,
    refresh: async () => undefined,
    vitals: {
      read: async () => ({
        ...{ uptime_s: 1.5, throttled: null, undervoltage: true, temperature_c: 61.8, load_1m: 0.5 },
        ...{ memory: { total_bytes: 2, available_bytes: 1 }, time_synced: null },
        disk: { total_bytes: 20, free_bytes: 10 },
      }),
    },
  });
  const routes = deviceRoutes(device, health);
  const endpoints = routes.map(({ endpoint }) => endpoint);
  app = createApp({ endpoints, routes, log: createLogger('silent') });
});

afterEach(async () => {
  device.stop();
  health.stop();
  await app.close();
});

const get = async (path: string) => app.inject({ method: 'GET', url: `/api/v1${path}` });
const post = async (path: string, payload?: object) =>
  app.inject({ method: 'POST', url: `/api/v1${path}`, ...(payload ? { payload } : {}) });

test('GET /device returns the identity', async () => {
  const answer = await get('/device');
  assert.equal(answer.statusCode, 200);
  assert.deepEqual(answer.json(), {
    ...{ serial: 'VTR-1', name: 'lobby', model: 'Board', model_profile: 'virt', version: '1.2.3' },
    ...{ slot: 'b', api: 'v1', capabilities: CAPABILITIES },
  });
  assert.ok(validator(DeviceSchema).fits(answer.json()));
});

test('GET /device/health returns null for values that cannot be read', async () => {
  problems.push('The configuration was damaged.');
  const body = (await get('/device/health')).json();
  assert.ok(validator(Health).fits(body));
  assert.equal(body.throttled, null);
  assert.equal(body.undervoltage, true);
  assert.deepEqual(body.browser, BROWSER);
  assert.deepEqual(body.problems, ['The configuration was damaged.']);
  assert.ok(body.agent.rss_bytes > 1_000_000);
});

test('the health topic is sampled only while it is subscribed to', async () => {
  const seen = new EventTarget();
  let samples = 0;
  const stop = bus.listen('health', ({ payload }) => {
    assert.ok(validator(Health).fits(payload));
    samples++;
    if (samples === 3) seen.dispatchEvent(new Event('three'));
  });
  await once(seen, 'three');
  stop();
  // A new subscription samples at once, whatever the interval.
  interval = 60_000;
  const again = new EventTarget();
  const stopAgain = bus.listen('health', () => again.dispatchEvent(new Event('first')));
  await once(again, 'first');
  stopAgain();
});

test('GET /device/logs validates its query', async () => {
  assert.deepEqual((await get('/device/logs')).json(), [RECORD]);
  await get(`/device/logs?limit=7&since=${encodeURIComponent(RECORD.cursor)}`);
  await get('/device/logs?since=2026-01-02T03:04:05Z');
  assert.deepEqual(queries, [
    { limit: 100 },
    { after: RECORD.cursor, limit: 7 },
    { from: Date.UTC(2026, 0, 2, 3, 4, 5), limit: 100 },
  ]);
  const limits = ['0', '1001', 'x', '', '0x10', '1e1', '010', '%205', '5.5', '5&limit=5'];
  const times = [
    '02-30T00:00:00Z',
    '13-01T00:00:00Z',
    '00-01T00:00:00Z',
    '04-31T00:00:00Z',
    '02-29T00:00:00Z',
  ];
  const clocks = ['01-01T24:00:00Z', '01-01T00:60:00Z', '01-01T00:00:00%2B99:99', '01-01T00:00:00'];
  const bad = [
    ...limits.map((limit) => `limit=${limit}`),
    ...[...times, ...clocks].map((time) => `since=2026-${time}`),
    'since=yesterday',
    'since=--file=/etc/passwd',
  ];
  for (const query of bad) {
    const answer = await get(`/device/logs?${query}`);
    assert.equal(answer.statusCode, 400, query);
    const { code, details } = answer.json().error;
    assert.equal(code, 'bad_request');
    const path = query.startsWith('limit') ? '/limit' : '/since';
    assert.ok(details?.issues?.[0]?.path === path, `${query}: ${JSON.stringify(details)}`);
  }
  assert.equal(queries.length, 3);
  assert.equal((await get('/device/logs?since=2028-02-29T23:59:59.5-23:59')).statusCode, 200);
});

test('the number of log readers is limited', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  reading = promise;
  const answers = Array.from({ length: 9 }, () => get('/device/logs'));
  const refused = await Promise.race(answers);
  assert.deepEqual([refused.statusCode, refused.json().error.code], [429, 'too_many_requests']);
  resolve();
  const statuses = (await Promise.all(answers)).map(({ statusCode }) => statusCode);
  assert.equal(statuses.filter((status) => status === 200).length, 8);
});

test('the log topic follows the journal only while it is subscribed to', () => {
  const first = bus.listen('log', () => undefined);
  const heard: unknown[] = [];
  const second = bus.listen('log', ({ payload }) => heard.push(payload));
  assert.equal(followers, 1);
  record(RECORD);
  assert.deepEqual(heard, [RECORD]);
  first();
  assert.equal(followers, 1);
  second();
  assert.equal(followers, 0);
});

for (const action of ['reboot', 'shutdown'] as const) {
  test(`POST /device/${action} acts after the answer`, async () => {
    const done = once(acted, 'done');
    const answer = await post(`/device/${action}`);
    assert.equal(answer.statusCode, 202);
    assert.deepEqual(answer.json(), {});
    assert.deepEqual(performed, []);
    // The action's own timer does not keep the process alive.
    const guard = setTimeout(() => undefined, 60_000);
    await done;
    clearTimeout(guard);
    assert.deepEqual(performed, [action]);
  });

  test(`POST /device/${action} is 503 when the system cannot do it`, async () => {
    powerFails = true;
    const answer = await post(`/device/${action}`);
    assert.equal(answer.statusCode, 503);
    assert.equal(answer.json().error.code, 'unavailable');
  });
}

test('a factory reset requires the serial', async () => {
  for (const confirm of ['', 'vtr-1', 'VTR-1 ']) {
    const answer = await post('/device/factory-reset', { confirm });
    assert.equal(answer.statusCode, 400);
    assert.equal(answer.json().error.code, 'confirm_mismatch');
  }
  assert.equal((await post('/device/factory-reset')).json().error.code, 'bad_request');
  assert.equal((await post('/device/factory-reset', { confirm: 1 })).json().error.code, 'bad_request');
  assert.equal(resets, 0);
});

test('the reboot follows also if the client leaves before its answer', async () => {
  const checking = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  device.addCondition(() => checking.resolve());
  powerCheck = left.promise;
  const address = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const client = connect(Number(address.port), '127.0.0.1');
  client.write('POST /api/v1/device/reboot HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n');
  const [socket] = await once(app.server, 'connection');
  await checking.promise;
  client.destroy();
  await once(socket, 'close');
  const done = once(acted, 'done');
  // The action's own timer does not keep the process alive.
  const guard = setTimeout(() => undefined, 60_000);
  left.resolve();
  await done;
  clearTimeout(guard);
  assert.deepEqual(performed, ['reboot']);
});

test('what a condition throws refuses reboot, shutdown and factory reset', async () => {
  device.addCondition(() => {
    throw new ApiError('conflict');
  });
  for (const [path, body] of [['reboot'], ['shutdown'], ['factory-reset', { confirm: 'VTR-1' }]] as const) {
    assert.equal((await post(`/device/${path}`, body)).statusCode, 409, path);
  }
  assert.deepEqual([performed, resets], [[], 0]);
});

test('a factory reset requests an empty data partition and reboots', async () => {
  const done = once(acted, 'done');
  const answer = await post('/device/factory-reset', { confirm: 'VTR-1' });
  assert.equal(answer.statusCode, 202);
  const guard = setTimeout(() => undefined, 60_000);
  await done;
  clearTimeout(guard);
  assert.equal(resets, 1);
  assert.deepEqual(performed, ['reboot']);
});

test('a factory reset is withdrawn when the reboot fails', async () => {
  performFails = true;
  const withdrawn = once(acted, 'withdrawn');
  assert.equal((await post('/device/factory-reset', { confirm: 'VTR-1' })).statusCode, 202);
  const guard = setTimeout(() => undefined, 60_000);
  await withdrawn;
  clearTimeout(guard);
  assert.equal(resets, 0);
});

test('a new interval of the health topic applies at once', async () => {
  interval = 3_600_000;
  const seen = new EventTarget();
  const stop = bus.listen('health', () => seen.dispatchEvent(new Event('sample')));
  await once(seen, 'sample');
  const next = once(seen, 'sample');
  interval = 1;
  health.periodChanged();
  await next;
  await once(seen, 'sample');
  stop();
});

test('a factory reset that is refused changes nothing', async () => {
  powerFails = true;
  assert.equal((await post('/device/factory-reset', { confirm: 'VTR-1' })).statusCode, 503);
  powerFails = false;
  resetFails = true;
  assert.equal((await post('/device/factory-reset', { confirm: 'VTR-1' })).statusCode, 503);
  assert.equal(resets, 0);
  assert.deepEqual(performed, []);
});
