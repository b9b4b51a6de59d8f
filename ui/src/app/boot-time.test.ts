import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasRestarted } from './boot-time.ts';

test('a device that has started again has been running for less time than has passed', () => {
  const before = { uptimeS: 7200, at: 1000 };
  assert.equal(hasRestarted(before, { uptimeS: 20, at: 46_000 }), true);
  assert.equal(hasRestarted(before, { uptimeS: 7245, at: 46_000 }), false, 'the connection was lost only');
  assert.equal(hasRestarted(before, { uptimeS: 7242, at: 46_000 }), false, 'a slow answer');
  // Asked to restart shortly after its start: the second uptime is the larger one.
  assert.equal(hasRestarted({ uptimeS: 15, at: 0 }, { uptimeS: 20, at: 40_000 }), true);
});
