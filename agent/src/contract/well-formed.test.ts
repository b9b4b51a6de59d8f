import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isWellFormed } from './well-formed.ts';

const judge = (json: string) => isWellFormed(json, JSON.parse(json));

test('finds an unpaired surrogate anywhere, and accepts everything else', () => {
  for (const json of ['"\\ud83d"', '"\\uDE00\\uD83D"', '{"a":[{"\\udc00":1}]}', '[[["a","x\\uDBFF"]]]']) {
    assert.equal(judge(json), false, json);
  }
  for (const json of [
    '"\\ud83d\\ude00"',
    '"😀"',
    '"\\\\ud83d"',
    '{"\\uD83D\\uDE00":"\\ud7ff"}',
    '1',
    'null',
  ]) {
    assert.equal(judge(json), true, json);
  }
});

test('agrees with isWellFormed() of every string, for any JSON', () => {
  const text = fc.string({
    unit: fc.integer({ min: 0xd7f0, max: 0xe010 }).map((n) => String.fromCharCode(n)),
  });
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(text, { maxLength: 3 }), (value, texts) => {
      const json = JSON.stringify([value, texts]);
      const good = texts.every((one) => one.isWellFormed()) && JSON.stringify(value).isWellFormed();
      // JSON.stringify escapes halves, so its output is always well-formed.
      if (!/\\ud[89a-f]/.test(JSON.stringify(value))) assert.equal(judge(json), good);
    }),
  );
});
