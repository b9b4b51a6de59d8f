import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Entry, entryOf, type Level } from './entry.ts';
import { EVERYTHING, excerpt, matcher, patternOf, piecesOf } from './search.ts';

const entry = (text: string, level: Level = 'info', source = 'kernel'): Entry =>
  entryOf(0, { at: 0, level, source, text }, 1000);

test('words are found as they are, in upper or lower case, in text and source', () => {
  const find = (query: string, one: Entry) => matcher({ ...EVERYTHING, query })(one);
  assert.ok(find('a.b', entry('see A.B here')));
  assert.ok(!find('a.b', entry('see axb here')));
  assert.ok(find('KERN', entry('x')));
  for (const odd of ['(', '[a', '\\', '*', '$^', '{2}', 'a|b', '<b>']) {
    assert.ok(find(odd, entry(`x${odd}y`)), odd);
    assert.ok(!find(odd, entry('xy')), odd);
  }
});

test('levels and sources', () => {
  const warnings = matcher({ ...EVERYTHING, level: 'warning' });
  assert.deepEqual(
    (['debug', 'info', 'warning', 'error'] as const).map((level) => warnings(entry('x', level))),
    [false, false, true, true],
  );
  assert.ok(warnings({ ...entry('x'), level: undefined }), 'what has no level is always shown');
  const ofAgent = matcher({ ...EVERYTHING, source: 'vitrine-agent' });
  assert.deepEqual([ofAgent(entry('x')), ofAgent(entry('x', 'info', 'vitrine-agent'))], [false, true]);
});

test('pieces are the whole text, and those that match are what was searched', () => {
  assert.deepEqual(piecesOf('aXbxc', patternOf('x')), [
    { at: 0, text: 'a', isMatch: false },
    { at: 1, text: 'X', isMatch: true },
    { at: 2, text: 'b', isMatch: false },
    { at: 3, text: 'x', isMatch: true },
    { at: 4, text: 'c', isMatch: false },
  ]);
  assert.deepEqual(piecesOf('abc', undefined), [{ at: 0, text: 'abc', isMatch: false }]);
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1, maxLength: 3 }), (text, query) => {
      const pieces = piecesOf(text, patternOf(query));
      assert.equal(pieces.map((piece) => piece.text).join(''), text);
    }),
  );
  assert.ok(piecesOf('x'.repeat(10_000), patternOf('x')).length < 500, 'bounded');
});

test('a row shows the place that was found, however far behind it is', () => {
  const text = `${'a'.repeat(5000)}needle${'b'.repeat(5000)}`;
  const part = excerpt(text, patternOf('NEEDLE'), 100);
  assert.match(part, /^…a{24}needleb+…$/);
  assert.equal(part.length, 102);
  assert.equal(excerpt(text, undefined, 10), 'aaaaaaaaaa…');
  assert.equal(excerpt('short', patternOf('s'), 10), 'short');
});
