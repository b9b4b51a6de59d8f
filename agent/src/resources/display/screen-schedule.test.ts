import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createLogger } from '../../base/logger.ts';
import type { PowerSpan } from './power-schedule.ts';
import { ScreenSchedule } from './screen-schedule.ts';

const DAYS: PowerSpan['days'] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const BY_DAY: PowerSpan = { days: DAYS, on: '08:00', off: '18:00' };
const clock = (text: string) => Date.parse(`2026-07-06T${text}Z`);

let schedule: PowerSpan[];
let zone: string;
let now: number;
let isClockSet: boolean;
let canSwitch: boolean;
let remembered: boolean | undefined;
let switched: boolean[];
let running: ScreenSchedule;

/** An agent that starts. */
async function start(): Promise<void> {
  running?.stop();
  running = new ScreenSchedule({
    schedule: () => schedule,
    zone: () => zone,
    request: async (on) => {
      if (!canSwitch) throw new Error('there is no adapter');
      switched.push(on);
    },
    clockIsSet: async () => isClockSet,
    memory: {
      read: async () => remembered,
      write: async (on) => {
        remembered = on;
      },
    },
    now: () => now,
    log: createLogger('silent'),
  });
  await running.start();
  await settled();
}

/** Lets promises resolve. Timers of the schedule stay. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
}

async function at(text: string): Promise<void> {
  now = clock(text);
  running.check();
  await settled();
}

beforeEach(async () => {
  zone = 'UTC';
  [schedule, isClockSet, canSwitch, remembered, switched] = [[BY_DAY], true, true, undefined, []];
  now = clock('07:00');
  await start();
});
afterEach(() => running.stop());

test('switches at boot and when the scheduled state changes, not in between', async () => {
  assert.deepEqual(switched, [false]);
  await at('07:59');
  await at('08:00');
  await at('12:00');
  await at('18:00');
  assert.deepEqual(switched, [false, true, false]);
});

test('what a host has switched stays when the agent restarts, and a boot switches again', async () => {
  await start();
  assert.deepEqual(switched, [false]);
  remembered = undefined;
  await start();
  assert.deepEqual(switched, [false, false]);
});

test('an empty schedule switches nothing, and the next one switches again', async () => {
  schedule = [];
  await at('09:00');
  assert.deepEqual(switched, [false]);
  schedule = [{ ...BY_DAY, off: '08:30' }];
  await at('09:00');
  assert.deepEqual(switched, [false, false]);
});

test('a clock that is not set and a screen that cannot be switched are problems until they end', async () => {
  isClockSet = false;
  await at('08:00');
  assert.match(running.problems().join(), /power_schedule is not applied: The time is not known/);
  [isClockSet, canSwitch] = [true, false];
  await at('08:01');
  assert.match(running.problems().join(), /there is no adapter/);
  canSwitch = true;
  await at('08:02');
  assert.deepEqual([running.problems(), switched], [[], [false, true]]);
});

test('checks again at the moment of the next change', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  await at('07:59:59');
  now = clock('08:00');
  t.mock.timers.tick(1001);
  await settled();
  assert.deepEqual(switched, [false, true]);
});

test('a time zone that the system does not know is a problem, and the schedule goes on when it does', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  zone = 'No/Where';
  await at('08:30');
  assert.match(running.problems().join(), /No\/Where/);
  zone = 'UTC';
  t.mock.timers.tick(60 * 60_000);
  await settled();
  assert.deepEqual(running.problems(), []);
  assert.deepEqual(switched.at(-1), true);
});
