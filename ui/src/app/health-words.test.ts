import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Health } from './device-state.ts';
import { vitals, worst } from './health-words.ts';

const GIB = 2 ** 30;
const HEALTHY: Health = {
  ts: '2026-11-27T10:00:00.000Z',
  uptime_s: 60,
  throttled: false,
  undervoltage: false,
  temperature_c: 48,
  load_1m: 0.2,
  memory: { total_bytes: 4 * GIB, available_bytes: 2 * GIB },
  disk: { total_bytes: 8 * GIB, free_bytes: 6 * GIB },
  browser: {
    running: true,
    restarts: 0,
    pid: 1,
    rss_bytes: 1,
    rss_trend_bytes_per_h: null,
    web_processes: 1,
    web_process_limit: 4,
    memory_restarts: 0,
  },
  agent: { rss_bytes: 1, event_loop_p99_ms: 1 },
  time_synced: true,
  problems: [],
};

const levels = (health: Health) => vitals(health, 'en').map(({ name, level }) => `${name.slice(7)} ${level}`);
const ALL_GOOD = ['browser good', 'memory good', 'storage good', 'temperature good', 'clock good'];

test('a healthy device is good in everything', () => {
  assert.deepEqual(levels(HEALTHY), ALL_GOOD);
  assert.ok(vitals(HEALTHY, 'en').every(({ advice }) => advice === undefined));
});

test('what runs out needs attention, then is a problem', () => {
  const cases: [Partial<Health>, string][] = [
    [{ memory: { total_bytes: 100, available_bytes: 15 } }, 'memory warning'],
    [{ memory: { total_bytes: 100, available_bytes: 16 } }, 'memory good'],
    [{ memory: { total_bytes: 100, available_bytes: 5 } }, 'memory bad'],
    [{ disk: { total_bytes: 100, free_bytes: 0 } }, 'storage bad'],
    [{ temperature_c: 75 }, 'temperature warning'],
    [{ temperature_c: 82 }, 'temperature bad'],
    [{ throttled: true }, 'temperature bad'],
    [{ undervoltage: true, temperature_c: null }, 'temperature bad'],
    [{ browser: { ...HEALTHY.browser, running: false } }, 'browser bad'],
  ];
  for (const [change, expected] of cases) {
    const [kind] = expected.split(' ');
    const wanted = ALL_GOOD.map((one) => (one.startsWith(`${kind} `) ? expected : one));
    assert.deepEqual(levels({ ...HEALTHY, ...change }), wanted, expected);
  }
});

test('a value that the board cannot read is unknown, which is no reason to worry', () => {
  const health: Health = {
    ...HEALTHY,
    temperature_c: null,
    throttled: null,
    undervoltage: null,
    time_synced: null,
    memory: { total_bytes: 100, available_bytes: null },
    disk: { total_bytes: null, free_bytes: null },
  };
  assert.deepEqual(levels(health).slice(1), [
    'memory unknown',
    'storage unknown',
    'temperature unknown',
    'clock unknown',
  ]);
  assert.equal(worst(vitals(health, 'en').map(({ level }) => level)), 'good');
  assert.equal(worst(['good', 'warning', 'bad']), 'bad');
});
