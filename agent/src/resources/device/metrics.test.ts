import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricsText } from './metrics.ts';
import type { Health } from './schema.ts';

const DEVICE = {
  serial: 'S1',
  name: 'Lobby "2"\\',
  model: 'QEMU',
  model_profile: 'virt',
  version: '1.0.0',
  slot: 'a',
  api: 'v1',
} as const;
const HEALTH: Health = {
  ts: '2026-11-28T08:00:00.000Z',
  uptime_s: 12.5,
  throttled: null,
  undervoltage: true,
  temperature_c: null,
  load_1m: 0.5,
  memory: { total_bytes: 1_000_000_000, available_bytes: null },
  disk: { total_bytes: 5, free_bytes: 4 },
  browser: {
    running: true,
    restarts: 3,
    pid: 1,
    rss_bytes: null,
    rss_trend_bytes_per_h: null,
    web_processes: 1,
    web_process_limit: 4,
    memory_restarts: 1,
  },
  agent: { rss_bytes: 80_000_000, event_loop_p99_ms: 1.5 },
  time_synced: false,
  problems: ['One.', 'Two.'],
};

test('the text is OpenMetrics: each family once, samples with its name, the end marked', () => {
  const text = metricsText(DEVICE, HEALTH);
  assert.ok(text.endsWith('\n# EOF\n'));
  const samples = new Map<string, string>();
  let family = '';
  for (const line of text.trimEnd().split('\n').slice(0, -1)) {
    const [, kind, name] = /^# (TYPE|HELP) (\w+) ./.exec(line) ?? [];
    if (kind === 'TYPE') {
      assert.notEqual(name, family);
      family = name ?? '';
    } else if (kind === 'HELP') assert.equal(name, family);
    else {
      const [, sample = '', value = ''] = /^(\w+)(?:\{.*\})? (\S+)$/.exec(line) ?? assert.fail(line);
      assert.ok([family, `${family}_total`, `${family}_info`].includes(sample), line);
      assert.ok(!samples.has(sample) && Number.isFinite(Number(value)), line);
      samples.set(sample, value);
    }
  }
  assert.equal(samples.get('vitrine_browser_restarts_total'), '3');
  assert.equal(samples.get('vitrine_problems'), '2');
  assert.equal(samples.get('vitrine_undervoltage'), '1');
  assert.equal(samples.get('vitrine_time_synced'), '0');
  assert.equal(samples.get('vitrine_agent_event_loop_delay_seconds'), '0.0015');
  for (const unread of [
    'vitrine_throttled',
    'vitrine_temperature_celsius',
    'vitrine_browser_resident_bytes',
  ]) {
    assert.equal(samples.has(unread), false, unread);
  }
  assert.match(
    text,
    /vitrine_info\{serial="S1",name="Lobby \\"2\\"\\\\",model="QEMU",version="1\.0\.0",slot="a"\} 1/,
  );
});
