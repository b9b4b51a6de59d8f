import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ATTEMPTS, type Boot, expectedBoot } from './oracle.ts';

const word = fc.constantFrom('A', 'B', 'C', 'a', 'AB', '');
const count = fc.option(fc.constantFrom('0', '1', '2', '3', '', 'x', '-1', '255'), { nil: undefined });
const copy = fc.option(
  fc.record({
    generation: fc.integer({ min: 0, max: 255 }),
    variables: fc
      .record({
        BOOT_ORDER: fc.option(
          fc.array(word, { maxLength: 4 }).map((words) => words.join(' ')),
          { nil: undefined },
        ),
        BOOT_A_LEFT: count,
        BOOT_B_LEFT: count,
      })
      .map((all) =>
        Object.fromEntries(Object.entries(all).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]]))),
      ),
  }),
  { nil: undefined },
);

function fresh(order: string, a: string, b: string): Boot {
  const variables = { BOOT_ORDER: order, BOOT_A_LEFT: a, BOOT_B_LEFT: b };
  return expectedBoot([{ generation: 1, variables }, undefined]);
}

test('the first slot in the order with attempts left is booted', () => {
  const slots = ([order, a, b]: [string, string, string]): string => fresh(order, a, b).slot;
  assert.equal(slots(['A B', '3', '3']), 'A');
  assert.equal(slots(['B A', '3', '3']), 'B');
  assert.equal(slots(['A B', '0', '1']), 'B');
  assert.equal(slots(['B', '3', '0']), 'B');
});

test('without attempts left all slots get new ones', () => {
  const { slot, written } = fresh('B A', '0', '0');
  assert.equal(slot, 'B');
  assert.deepEqual(written.variables, { BOOT_ORDER: 'B A', BOOT_A_LEFT: '3', BOOT_B_LEFT: '2' });
});

test('a boot writes the inactive copy, which is active afterwards', () => {
  fc.assert(
    fc.property(copy, copy, (first, second) => {
      // On a device the generations are always consecutive; for others "newer" is not well-defined with wrap-around.
      if (first && second) second.generation = (first.generation + 1) % 256;
      const { copy: target, written, slot } = expectedBoot([first, second]);
      const after = [first, second] as [typeof first, typeof second];
      after[target] = written;
      const next = expectedBoot(after);
      assert.notEqual(next.copy, target);
      assert.equal(next.written.generation, (written.generation + 1) % 256);
      const left = Number(written.variables[`BOOT_${slot}_LEFT`]);
      assert.ok(left >= 0 && left < ATTEMPTS);
      // The slot changes only when the attempts of the current one are used up.
      if (left > 0) assert.equal(next.slot, slot);
    }),
  );
});

test('a slot that never boots successfully is given up after its attempts', () => {
  let state = fresh('A B', '3', '3');
  const slots: string[] = [state.slot];
  for (let i = 0; i < 6; i++) {
    state = expectedBoot([state.written, undefined]);
    slots.push(state.slot);
  }
  assert.deepEqual(slots.join(''), 'AAABBBA');
});
