import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isTooDeep, MAX_JSON_LEVELS } from './json.ts';

function levelsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf));
}

const nested = (levels: number, open = '[', close = ']', inside = '') =>
  `${open.repeat(levels)}${inside}${close.repeat(levels)}`;

test('200 levels are not too deep, 201 are, of lists and of objects', () => {
  for (const [open, close, inside] of [
    ['[', ']', ''],
    ['{"a":', '}', '1'],
    ['[{"\\"[{":', '}]', '1'],
  ] as const) {
    const each = open.startsWith('[{') ? 2 : 1;
    const fits = nested(MAX_JSON_LEVELS / each, open, close, inside);
    assert.equal(levelsOf(JSON.parse(fits)), MAX_JSON_LEVELS);
    assert.equal(isTooDeep(fits), false);
    assert.equal(isTooDeep(`[${fits}]`), true);
    assert.equal(isTooDeep(`[${fits}]`, 1), false);
  }
  assert.equal(isTooDeep(JSON.stringify(nested(10_000))), false, 'brackets in a text');
  assert.equal(isTooDeep(`[${Array(10_000).fill('[[]]').join()}]`), false, 'brackets beside each other');
  assert.equal(isTooDeep('['.repeat(1_000_000)), true, 'no JSON');
});

test('agrees with the levels of any value', () => {
  const json = fc.json({ maxDepth: 6, depthSize: 'large' });
  fc.assert(
    fc.property(json, fc.integer({ min: 0, max: MAX_JSON_LEVELS }), (inner, around) => {
      const text = nested(around, '[', ']', inner);
      const isDeep = around + levelsOf(JSON.parse(inner)) > MAX_JSON_LEVELS;
      assert.equal(isTooDeep(text), isDeep);
    }),
  );
});
