import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectIn, valueAt } from './json.ts';
import { addScript, leaving, MOST_SCRIPTS, type Recall, recalled } from './script-history.ts';

test('scripts are remembered once, the newest first, and only so many and so much', () => {
  assert.deepEqual(addScript(['b', 'a'], 'a'), ['a', 'b']);
  let list: string[] = [];
  for (let n = 0; n < 100; n += 1) list = addScript(list, `script ${n}`);
  assert.equal(list.length, MOST_SCRIPTS);
  assert.deepEqual(addScript(['a'], 'x'.repeat(20_000)), ['a']);
  for (let n = 0; n < 10; n += 1) list = addScript(list, `${n}`.padEnd(5000, 'x'));
  assert.ok(list.join('').length <= 12_000);
  assert.match(list[0] ?? '', /^9x/);
});

test('arrow keys go to the history at the edges of the script only', () => {
  const at = (value: string, selectionStart: number, selectionEnd = selectionStart) => ({
    ...{ value, selectionStart, selectionEnd },
  });
  assert.equal(leaving('ArrowUp', at('one\ntwo', 2)), 'earlier');
  assert.equal(leaving('ArrowUp', at('one\ntwo', 5)), undefined);
  assert.equal(leaving('ArrowDown', at('one\ntwo', 5)), 'later');
  assert.equal(leaving('ArrowDown', at('one\ntwo', 2)), undefined);
  assert.equal(leaving('ArrowUp', at('one', 0, 2)), undefined, 'a selection');
  assert.equal(leaving('a', at('', 0)), undefined);
});

test('the way back leads to what was being typed', () => {
  const list = ['newest', 'oldest'];
  let recall: Recall = { at: -1, draft: '' };
  let typed = 'draft';
  const go = (direction: 'earlier' | 'later'): string | undefined => {
    const next = recalled(list, recall, typed, direction);
    if (!next) return undefined;
    ({ recall, script: typed } = next);
    return typed;
  };
  assert.equal(go('later'), undefined);
  assert.deepEqual([go('earlier'), go('earlier'), go('earlier')], ['newest', 'oldest', undefined]);
  assert.deepEqual([go('later'), go('later'), go('later')], ['newest', 'draft', undefined]);
});

test('JSON from outside is read member by member', () => {
  assert.equal(valueAt({ a: { b: 1 } }, 'a', 'b'), 1);
  assert.equal(valueAt({ a: null }, 'a', 'b'), undefined);
  assert.equal(valueAt('text', 'length'), undefined);
  assert.equal(valueAt({}, 'toString'), undefined);
  assert.deepEqual(objectIn(' {"a": [1]} '), { a: [1] });
  for (const text of ['', '[1]', 'null', '"a"', '{a: 1}']) assert.equal(objectIn(text), undefined, text);
});
