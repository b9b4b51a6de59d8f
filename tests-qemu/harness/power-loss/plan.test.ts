import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describePlan, drawPlan, drawUpdatePlan } from './plan.ts';
import { Random } from './random.ts';

test('a seed always gives the same plans, and sixty of them contain every kind of cut', () => {
  const draw = (seed: number) => {
    const random = new Random(seed);
    return Array.from({ length: 60 }, () => drawPlan(random));
  };
  for (const seed of [1, 2, 3, 2 ** 31 - 1]) {
    const plans = draw(seed);
    assert.deepEqual(plans, draw(seed));
    const kinds = [
      plans.filter(({ actors }) => actors.includes('bundles')),
      plans.filter(({ actors }) => actors.includes('config')),
      plans.filter(({ actors }) => actors.includes('files')),
      plans.filter(({ moment }) => moment === 'begun'),
      plans.filter(({ moment }) => moment === 'verified'),
      plans.filter(({ quiet }) => quiet),
      plans.filter(({ trigger }) => 'ms' in trigger),
      plans.filter(({ trigger }) => 'commands' in trigger),
    ];
    for (const kind of kinds) assert.ok(kind.length >= 5, plans.map(describePlan).join('\n'));
    // Only an upload of a bundle has this moment; any other round would never reach it.
    for (const { moment, actors } of plans) assert.ok(moment !== 'verified' || actors.includes('bundles'));
  }
});

test('sixty plans with updates contain cuts of receiving, of installing, and after apply', () => {
  const random = new Random(1);
  const plans = Array.from({ length: 60 }, () => drawUpdatePlan(random));
  const kinds = [
    plans.filter(({ moment, count }) => moment === 'begun' && count === 1),
    plans.filter(({ moment }) => moment === 'verified'),
    plans.filter(({ moment, count }) => moment === 'confirmed' && count === 2),
  ];
  for (const kind of kinds) assert.ok(kind.length >= 5, plans.map(describePlan).join('\n'));
});
