import assert from 'node:assert/strict';
import { mock, type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { BootConfirmation, type BootedSlot, type HealthCheck } from './boot-confirmation.ts';

interface Logged {
  level: 'info' | 'warn';
  details: Record<string, unknown>;
  message: string;
}

/** A boot whose time the test advances. `steps` names the calls of checks and update service in their order. */
function boot(t: TestContext, { slot, checks = [] }: { slot?: 'a'; checks?: HealthCheck[] }) {
  let now = 5000;
  t.mock.method(performance, 'now', () => now);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const steps: string[] = [];
  const logged: Logged[] = [];
  const notes: string[] = [];
  const log = {
    info: (details: object, message: string) =>
      logged.push({ level: 'info', details: { ...details }, message }),
    warn: (details: object, message: string) =>
      logged.push({ level: 'warn', details: { ...details }, message }),
  };
  const slots = {
    settleEarlierTrial: mock.fn<BootedSlot['settleEarlierTrial']>(async () => slot),
    confirm: mock.fn<BootedSlot['confirm']>(async () => {
      steps.push('mark good');
    }),
  };
  const noted = checks.map(({ name, pass }) => ({
    name,
    pass: () => {
      steps.push(name);
      return pass();
    },
  }));
  const confirmation = new BootConfirmation({
    slots,
    checks: noted,
    note: async (waitsFor) => {
      notes.push(waitsFor);
    },
    log,
  });
  t.after(() => confirmation.stop());
  /** Lets `ms` pass, and everything run that is due. */
  const pass = async (ms = 0) => {
    await turn();
    now += ms;
    t.mock.timers.tick(ms);
    await turn();
  };
  return { confirmation, steps, logged, notes, slots, pass, problems: () => confirmation.problems().join() };
}

const passing = (name: string): HealthCheck => ({ name, pass: async () => undefined });
const hanging = (name: string) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { check: { name, pass: () => promise }, resolve };
};

test('marks the slot good when all checks have passed, in their order', async (t) => {
  const frame = hanging('first frame');
  const checks = [passing('data'), frame.check, passing('api')];
  const { confirmation, steps, logged, pass } = boot(t, { slot: 'a', checks });
  assert.deepEqual(confirmation.problems(), []);
  confirmation.start();
  await pass(100_000);
  assert.deepEqual(steps, ['data', 'first frame']);
  frame.resolve();
  await pass();
  assert.deepEqual(steps, ['data', 'first frame', 'api', 'mark good']);
  assert.deepEqual(logged, [{ level: 'info', details: { slot: 'a' }, message: 'the slot is marked good' }]);
  await pass(1_000_000);
  assert.equal(steps.length, 4);
  assert.deepEqual(confirmation.problems(), []);
});

test('repeats a failed check with growing delays, and marks nothing before it passes', async (t) => {
  let broken = true;
  const error = new Error('no space left');
  const data = {
    name: 'data',
    pass: async () => {
      if (broken) throw error;
    },
  };
  const { confirmation, steps, logged, pass } = boot(t, { slot: 'a', checks: [data] });
  confirmation.start();
  await pass();
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    const { length } = steps;
    assert.deepEqual(logged.at(-1), {
      level: 'warn',
      details: { err: error, check: 'data', delay: seconds * 1000 },
      message: 'this boot cannot be confirmed yet',
    });
    await pass(seconds * 1000 - 1);
    assert.equal(steps.length, length, `${seconds} s`);
    await pass(1);
    assert.equal(steps.length, length + 1, `${seconds} s`);
  }
  assert.ok(!steps.includes('mark good'));
  broken = false;
  await pass(60_000);
  assert.equal(steps.at(-1), 'mark good');
});

test('repeats what the update service refuses, each step with its own delays', async (t) => {
  const { confirmation, slots, steps, logged, pass, problems } = boot(t, {
    slot: 'a',
    checks: [passing('api')],
  });
  slots.settleEarlierTrial.mock.mockImplementationOnce(() =>
    Promise.reject(new Error('no answer in 120000 ms')),
  );
  slots.confirm.mock.mockImplementationOnce(() => Promise.reject('busy'));
  confirmation.start();
  await pass();
  assert.deepEqual(steps, []);
  await pass(1000);
  assert.deepEqual([steps, slots.confirm.mock.callCount()], [['api'], 1]);
  await pass(998);
  assert.deepEqual(steps, ['api']);
  await pass(2);
  assert.deepEqual(steps, ['api', 'mark good']);
  assert.deepEqual(
    logged.map(({ details }) => details.check),
    ['slot status', 'mark good', undefined],
  );
  assert.equal(problems(), '');
});

test('reports a boot that is not confirmed after four minutes, and why, until it is', async (t) => {
  const frame = hanging('first frame');
  let failure: unknown = new Error('x'.repeat(300));
  const data = {
    name: 'data',
    pass: async () => {
      if (failure !== undefined) throw failure;
    },
  };
  const { confirmation, notes, pass, problems } = boot(t, { slot: 'a', checks: [data, frame.check] });
  confirmation.start();
  await pass(239_999);
  assert.equal(problems(), '');
  await pass(1);
  const rest = 'After three such boots in a row the other slot is tried.';
  assert.equal(problems(), `This boot is not confirmed: it waits for "data" (${'x'.repeat(200)}). ${rest}`);
  assert.equal(notes.at(-1), `"data" (${'x'.repeat(200)})`);
  failure = 'no error object';
  await pass(60_000);
  assert.match(problems(), /it waits for "data" \(no error object\)/);
  failure = undefined;
  await pass(60_000);
  assert.equal(problems(), `This boot is not confirmed: it waits for "first frame". ${rest}`);
  frame.resolve();
  await pass();
  assert.equal(problems(), '');
});

test('reports an update service that does not answer', async (t) => {
  const { confirmation, slots, pass, problems } = boot(t, {});
  slots.settleEarlierTrial.mock.mockImplementation(() => Promise.reject(new Error('timeout')));
  confirmation.start();
  await pass(240_000);
  assert.match(problems(), /it waits for "slot status" \(timeout\)/);
});

test('does nothing on a system without slots', async (t) => {
  const { confirmation, steps, logged, pass, problems } = boot(t, { checks: [passing('api')] });
  confirmation.start();
  await pass(1_000_000);
  assert.deepEqual([steps, logged, problems()], [[], [], '']);
});

test('does nothing after it was stopped: while a check runs, in a delay, before the start', async (t) => {
  const frame = hanging('first frame');
  const running = boot(t, { slot: 'a', checks: [frame.check, passing('api')] });
  running.confirmation.start();
  await running.pass();
  running.confirmation.stop();
  frame.resolve();
  await running.pass(1_000_000);
  assert.deepEqual([running.steps, running.logged], [['first frame'], []]);
  t.mock.reset();

  const failing = { name: 'data', pass: () => Promise.reject(new Error('no')) };
  const delayed = boot(t, { slot: 'a', checks: [failing] });
  delayed.confirmation.start();
  await delayed.pass();
  delayed.confirmation.stop();
  await delayed.pass(1_000_000);
  assert.deepEqual([delayed.steps, delayed.logged.length], [['data'], 1]);
  t.mock.reset();

  const early = boot(t, { slot: 'a', checks: [passing('api')] });
  early.confirmation.stop();
  early.confirmation.start();
  await early.pass(1_000_000);
  assert.deepEqual([early.steps, early.logged, early.slots.settleEarlierTrial.mock.callCount()], [[], [], 0]);
});
