import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BootConfirmation, type BootSlots, type SlotReport } from './boot-confirmation.ts';

const log = { info: () => undefined, warn: () => undefined };
const retryMs = { first: 1, last: 4 };

function slotsOf(report: SlotReport | undefined) {
  const marked = Promise.withResolvers<void>();
  let marks = 0;
  const slots: BootSlots = {
    read: async () => report,
    markGood: async () => {
      marks++;
      marked.resolve();
    },
  };
  return { slots, marked: marked.promise, marks: () => marks };
}

/** Holds the process while the code under test waits with timers that do not. */
async function within<T>(promise: Promise<T>): Promise<T> {
  const guard = setTimeout(() => undefined, 60_000);
  try {
    return await promise;
  } finally {
    clearTimeout(guard);
  }
}

async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + 60_000;
  while (!condition()) {
    assert.ok(performance.now() < end, 'the condition never came true');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

test('marks the slot good after all signs, in their order', async () => {
  const { slots, marked, marks } = slotsOf({ booted: 'a', bad: [] });
  const painted = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const order: string[] = [];
  const confirmation = new BootConfirmation({
    ...{ slots, log, retryMs },
    signs: [
      {
        name: 'api',
        shown: async () => {
          order.push('api');
        },
      },
      {
        name: 'painted',
        shown: () => {
          order.push('painted');
          asked.resolve();
          return painted.promise;
        },
      },
    ],
  });
  confirmation.start();
  await within(asked.promise);
  assert.equal(marks(), 0);
  painted.resolve();
  await within(marked);
  assert.deepEqual(order, ['api', 'painted']);
  assert.deepEqual(confirmation.problems(), []);
  confirmation.stop();
});

test('asks again for a sign that is not there', async () => {
  const { slots, marked } = slotsOf({ booted: 'a', bad: [] });
  let asked = 0;
  const shown = async () => {
    if (++asked < 4) throw new Error('not yet');
  };
  const confirmation = new BootConfirmation({ slots, log, retryMs, signs: [{ name: 'data', shown }] });
  confirmation.start();
  await within(marked);
  assert.equal(asked, 4);
  confirmation.stop();
});

test('tells a rollback', async () => {
  const { slots, marked } = slotsOf({ booted: 'b', bad: ['a'] });
  const confirmation = new BootConfirmation({ slots, log, retryMs, signs: [] });
  confirmation.start();
  await within(marked);
  assert.match(confirmation.problems().join(), /Slot a does not start .* runs from slot b/);
  confirmation.stop();
});

test('tells a boot that is not confirmed in time, and why, until it is', async () => {
  const { slots, marked } = slotsOf({ booted: 'a', bad: [] });
  const asked = Promise.withResolvers<void>();
  let isFull = true;
  const sign = {
    name: 'data partition',
    shown: async () => {
      asked.resolve();
      if (isFull) throw new Error('no space left');
    },
  };
  const options = { slots, log, retryMs, signs: [sign] };
  const late = new BootConfirmation({ ...options, problemAfterMs: 0 });
  const early = new BootConfirmation(options);
  assert.deepEqual(late.problems(), [], 'before it starts');
  early.start();
  late.start();
  await within(asked.promise);
  await until(() => late.problems().join().includes('no space left'));
  assert.match(
    late.problems().join(),
    /^This boot is not confirmed: it waits for "data partition" \(no space left\)/,
  );
  assert.deepEqual(early.problems(), [], 'it may still take its time');
  isFull = false;
  await within(marked);
  await until(() => late.problems().length === 0);
  early.stop();
  late.stop();
});

test('tells of an update service that does not answer', async () => {
  const slots: BootSlots = {
    read: () => Promise.reject(new Error('no answer in 120000 ms')),
    markGood: async () => undefined,
  };
  const confirmation = new BootConfirmation({ slots, log, retryMs, signs: [], problemAfterMs: 0 });
  confirmation.start();
  await until(() => confirmation.problems().join().includes('"slot status" (no answer in 120000 ms)'));
  confirmation.stop();
});

test('does nothing on a system without slots, nor after it was stopped', async () => {
  const without = slotsOf(undefined);
  const asked: string[] = [];
  const sign = (name: string) => ({ name, shown: async () => void asked.push(name) });
  const none = new BootConfirmation({
    ...{ slots: without.slots, log, retryMs, problemAfterMs: 0 },
    signs: [sign('without')],
  });
  none.start();

  const stopped = slotsOf({ booted: 'a', bad: [] });
  const never = { name: 'never', shown: () => new Promise(() => undefined) };
  const confirmation = new BootConfirmation({
    slots: stopped.slots,
    log,
    retryMs,
    signs: [never, sign('late')],
  });
  confirmation.start();
  confirmation.stop();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(asked, []);
  assert.deepEqual(none.problems(), []);
  assert.equal(without.marks() + stopped.marks(), 0);
});
