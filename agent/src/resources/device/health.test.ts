import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventBus } from '../../events/bus.ts';
import { HealthMonitor } from './health.ts';

/** Blocks the event loop, as on an overloaded device. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('reports the event loop delay of the last minute only', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const health = new HealthMonitor({
    bus: new EventBus(),
    vitals: {
      read: async () => ({
        ...{ uptime_s: 1, throttled: null, undervoltage: null, temperature_c: null, load_1m: 0 },
        ...{ memory: { total_bytes: 2, available_bytes: 1 }, time_synced: null },
        disk: { total_bytes: 20, free_bytes: 10 },
      }),
    },
    refresh: async () => undefined,
    browser: async () => ({
      ...{ running: false, restarts: 0, pid: null, rss_bytes: null, rss_trend_bytes_per_h: null },
      ...{ web_processes: null, web_process_limit: 4, memory_restarts: 0 },
    }),
    intervalMs: () => 5000,
    problems: () => [],
    onError: (error) => assert.fail(String(error)),
  });
  t.after(() => health.stop());
  const delay = async () => (await health.snapshot()).agent.event_loop_p99_ms;
  for (let tries = 0; (await delay()) < 100; tries += 1) {
    assert.ok(tries < 100, 'the delay is not reported');
    // The histogram counts the time between two turns of the loop.
    await new Promise((resolve) => setTimeout(resolve, 1));
    stall(300);
  }
  t.mock.timers.tick(60_000);
  assert.equal(await delay(), 0);
});
