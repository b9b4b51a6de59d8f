import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { createLogger } from '../../base/logger.ts';
import { MemoryGuard, slope } from './memory-guard.ts';

const MIB = 1024 * 1024;
const MINUTE = 60_000;
const SMALL = { bytes: 300 * MIB, webProcesses: 2 };

let memory: typeof SMALL | null;
let pid: number;
let now: number;
let isUnnoticed: boolean;
let restarts: number;
let guard: MemoryGuard;

beforeEach(() => {
  [memory, pid, now, isUnnoticed, restarts] = [SMALL, 40, 0, false, 0];
  guard = new MemoryGuard({
    browser: {
      get pid() {
        return pid;
      },
    },
    readMemory: async () => memory,
    totalBytes: 1000 * MIB,
    isUnnoticed: () => isUnnoticed,
    restart: () => {
      restarts += 1;
      pid += 1;
    },
    log: createLogger('silent'),
    clock: () => now,
  });
});

/** Takes samples a minute apart. */
async function pass(minutes: number, grow = 0): Promise<void> {
  for (let i = 0; i < minutes; i++) {
    now += MINUTE;
    if (memory) memory = { ...memory, bytes: memory.bytes + grow };
    await guard.sample();
  }
}

test('too many web processes: the browser is restarted with the next page, not before', async () => {
  guard.restartIfDue();
  memory = { bytes: 300 * MIB, webProcesses: guard.processLimit };
  await pass(1);
  guard.restartIfDue();
  assert.equal(restarts, 0, 'the limit is allowed');
  memory = { bytes: 300 * MIB, webProcesses: guard.processLimit + 1 };
  await pass(5);
  assert.equal(restarts, 0);
  guard.restartIfDue();
  assert.equal(restarts, 1);
  assert.equal((await guard.health()).memory_restarts, 1);
});

test('a restart comes by itself where nobody sees it, and at twice the limit', async () => {
  memory = { bytes: 601 * MIB, webProcesses: 2 };
  isUnnoticed = true;
  await pass(1);
  assert.equal(restarts, 1, 'for its memory');
  isUnnoticed = false;
  memory = { bytes: 300 * MIB, webProcesses: 2 * guard.processLimit + 1 };
  await pass(9);
  assert.equal(restarts, 1, 'too soon after the last one');
  await pass(1);
  assert.equal(restarts, 2);
});

test('a browser that has become small again is left alone', async () => {
  memory = { bytes: 700 * MIB, webProcesses: 2 };
  await pass(1);
  memory = SMALL;
  await pass(1);
  guard.restartIfDue();
  memory = null;
  await pass(1);
  guard.restartIfDue();
  assert.equal(restarts, 0);
});

test('the trend is that of the last hour of this browser', async () => {
  await pass(9, MIB);
  assert.equal((await guard.health()).rss_trend_bytes_per_h, null);
  await pass(1, MIB);
  assert.equal((await guard.health()).rss_trend_bytes_per_h, 60 * MIB);
  await pass(60);
  assert.equal((await guard.health()).rss_trend_bytes_per_h, 0);
  pid = 50;
  await pass(1);
  assert.equal((await guard.health()).rss_trend_bytes_per_h, null);
  assert.equal(slope([{ hours: 1, bytes: 5 }]), 0);
});

test('the limit fits the memory of the device', () => {
  const limit = (totalBytes: number) =>
    new MemoryGuard({
      browser: { pid: null },
      readMemory: async () => null,
      totalBytes,
      isUnnoticed: () => false,
      restart: () => undefined,
      log: createLogger('silent'),
    }).processLimit;
  assert.deepEqual(
    [512, 1000, 2000, 8000].map((mib) => limit(mib * MIB)),
    [4, 5, 10, 16],
  );
});
