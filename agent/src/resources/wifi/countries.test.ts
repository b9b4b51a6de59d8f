import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelFrequency, frequencyChannel, leastBusyChannel } from './countries.ts';

test('the least busy channel: overlapping networks count by their signals, only allowed channels are taken', () => {
  assert.equal(leastBusyChannel('2.4', 'DE', []), 1);
  const at = (frequencyMhz: number, signalDbm: number) => ({ frequencyMhz, signalDbm });
  // Channel 3 disturbs 1 and 6.
  assert.equal(leastBusyChannel('2.4', 'DE', [at(2422, -40)]), 11);
  assert.equal(leastBusyChannel('2.4', 'DE', [at(2412, -40), at(2437, -80), at(2462, -50)]), 6);
  const lower = [5180, 5200, 5220, 5240].map((mhz) => at(mhz, -50));
  assert.equal(leastBusyChannel('5', 'DE', lower), 149);
  assert.equal(leastBusyChannel('5', 'TR', [...lower.slice(0, 3), at(5240, -90)]), 48);
  assert.equal(leastBusyChannel('5', 'EC', []), 149);
});

test('channels and frequencies', () => {
  for (const [band, channel, mhz] of [
    ['2.4', 1, 2412],
    ['2.4', 13, 2472],
    ['5', 36, 5180],
    ['5', 165, 5825],
  ] as const) {
    assert.deepEqual([channelFrequency(band, channel), frequencyChannel(mhz)], [mhz, channel]);
  }
  assert.equal(frequencyChannel(2484), 14);
});
