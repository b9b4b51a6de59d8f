import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryOf, lineText, visible } from './entry.ts';
import { indented, jsonText } from './json-text.ts';

test('nothing in a line is hidden', () => {
  assert.equal(visible('\u001b[31mred\u001b[0m\u0007\u0000'), '\\u001b[31mred\\u001b[0m\\u0007\\u0000');
  assert.equal(visible('one\r\ntwo\rthree\n\tfour'), 'one\ntwo\nthree\n\tfour');
  assert.equal(visible('a\u202egnp.exe\u2028\u009b\u007f'), 'a\\u202egnp.exe\\u2028\\u009b\\u007f');
  assert.equal(visible('\ud83d'), '\ufffd');
  assert.equal(visible('<img src=x> ünï 😀'), '<img src=x> ünï 😀');
});

test('a long line is cut, and says by how much', () => {
  const entry = entryOf(7, { at: 0, source: 's'.repeat(1000), text: 'x'.repeat(100_000) }, 1000);
  assert.deepEqual([entry.text.length, entry.cut, entry.source.length], [1000, 99_000, 300]);
  assert.deepEqual([entry.id, entry.level, entry.missing], [7, undefined, 0]);
});

test('a line in a file has everything that is known about it', () => {
  const line = { at: Date.UTC(2026, 0, 2, 3, 4, 5, 6), source: 'kernel', text: 'hot' };
  assert.equal(lineText(entryOf(0, line, 10)), '2026-01-02T03:04:05.006Z kernel hot');
  const entry = entryOf(0, { ...line, level: 'error', text: 'too hot', missing: 3 }, 3);
  assert.equal(
    lineText(entry),
    '2026-01-02T03:04:05.006Z error kernel [3 missing before] too [4 more characters]',
  );
  assert.match(lineText({ ...entry, missing: Number.POSITIVE_INFINITY }), /\[some missing before\]/);
});

test('JSON is indented unless that would make it endless', () => {
  assert.deepEqual(jsonText({ a: 1 }), { text: '{\n  "a": 1\n}', cut: 0 });
  assert.deepEqual(jsonText(undefined), { text: 'null', cut: 0 });
  assert.deepEqual(indented('[1]'), { text: '[\n  1\n]', cut: 0 });
  assert.deepEqual(indented('no json'), { text: 'no json', cut: 0 });
  const list = Array.from({ length: 100_000 }, (_, n) => n);
  const { text, cut } = jsonText(list);
  assert.equal(text.length + cut, JSON.stringify(list).length);
  assert.ok(text.length <= 128 * 1024);
  let deep: unknown = '\u202e';
  for (let level = 0; level < 190; level += 1) deep = [deep, 1];
  assert.ok(jsonText(deep).text.length <= 128 * 1024);
});
