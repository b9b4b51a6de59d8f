import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Driver, type Machine } from './machine.ts';

interface State {
  seen: string;
}

/** Adds each event to the state and performs its letters; an empty event is out of date. */
const machine: Machine<State, string, string> = (state, event) =>
  event === '' ? { state, effects: [] } : { state: { seen: state.seen + event }, effects: [...event] };

function driver(perform: (effect: string) => Promise<void> | void) {
  const performed: string[] = [];
  const failures: unknown[] = [];
  let changes = 0;
  const created = new Driver<State, string, string>({
    machine,
    initial: { seen: '' },
    perform: (effect) => {
      performed.push(effect);
      return perform(effect);
    },
    failed: (error) => failures.push(error),
    changed: () => {
      changes += 1;
    },
  });
  return { driver: created, performed, failures, changes: () => changes };
}

test('an event is taken at once, and one that arrives meanwhile when all effects are performed', () => {
  const d = driver((effect) => {
    if (effect === 'a') d.driver.dispatch('c');
  });
  d.driver.dispatch('ab');
  assert.deepEqual(d.performed, ['a', 'b', 'c']);
  assert.equal(d.driver.state.seen, 'abc');
  assert.equal(d.changes(), 1, 'for both events');
  d.driver.dispatch('');
  assert.equal(d.changes(), 1, 'the same state');
});

test('the next effect waits for a promise; after stop nothing is performed', async () => {
  const gate = Promise.withResolvers<void>();
  const d = driver((effect) => (effect === 'a' ? gate.promise : undefined));
  d.driver.dispatch('ab');
  d.driver.dispatch('c');
  assert.deepEqual([d.performed, d.driver.state.seen], [['a'], 'ab']);
  gate.resolve();
  await new Promise(setImmediate);
  assert.deepEqual(d.performed, ['a', 'b', 'c']);
  d.driver.dispatch('ad');
  d.driver.dispatch('e');
  d.driver.stop();
  d.driver.dispatch('f');
  await new Promise(setImmediate);
  assert.deepEqual(d.performed, ['a', 'b', 'c', 'a']);
});

test('a failed effect is reported, and the later ones of its event are dropped', async () => {
  const d = driver((effect) => {
    if (effect === 'x') throw new Error('now');
    return effect === 'y' ? Promise.reject(new Error('later')) : undefined;
  });
  d.driver.dispatch('axb');
  d.driver.dispatch('yb');
  d.driver.dispatch('c');
  await new Promise(setImmediate);
  assert.deepEqual(d.performed, ['a', 'x', 'y', 'c']);
  assert.match(d.failures.join(), /now.*later/);
  d.driver.reset({ seen: 'z' });
  d.driver.dispatch('d');
  assert.equal(d.driver.state.seen, 'zd');
});

test('events that wait are bounded', () => {
  const d = driver((effect) => {
    for (let count = 0; effect === 'a' && count < 1001; count += 1) d.driver.dispatch('b');
  });
  d.driver.dispatch('a');
  assert.equal(d.performed.length, 1001);
  assert.match(d.failures.join(), /^Error: too many events/);
});
