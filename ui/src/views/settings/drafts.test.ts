import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  begun,
  chosen,
  type Draft,
  hasConflict,
  isChange,
  numberDraft,
  readJson,
  rebased,
  reset,
  settled,
  textOf,
  typedDraft,
  withDraft,
} from './drafts.ts';
import { same } from './json.ts';
import { type Field, groupsOf, type Kind } from './schema.ts';

/** A field of a kind, as a schema has it. */
function fieldOf(kind: Kind, isNullable = false): Field {
  const schemas: Readonly<Record<Kind, object>> = {
    boolean: { type: 'boolean', default: false },
    choice: { enum: ['x', 'y'], default: 'x' },
    number: { type: 'integer', default: 5 },
    text: { type: 'string', default: 'a' },
    secret: { type: 'string', format: 'password', default: '' },
    lines: { type: 'array', items: { type: 'string' }, default: [] },
    json: { type: 'array', items: { type: 'object', properties: { x: {} } }, default: [] },
  };
  const one = isNullable ? { anyOf: [schemas[kind], { type: 'null' }], default: null } : schemas[kind];
  const Config = { properties: { group: { properties: { one } } } };
  const field = groupsOf({ components: { schemas: { Config } } })[0]?.fields[0];
  assert.equal(field?.kind, kind);
  return field ?? assert.fail();
}

test('what was typed is a value, or it is said why it is none', () => {
  const lines = typedDraft([], fieldOf('lines'), ' a \n\nb\n');
  assert.deepEqual([lines.value, lines.text], [['a', 'b'], ' a \n\nb\n']);
  const json = fieldOf('json');
  assert.deepEqual(typedDraft([], json, '[{"x": 1}]').value, [{ x: 1 }]);
  assert.deepEqual(typedDraft([1], json, ' ').value, []);
  assert.equal(typedDraft([], json, '{}').problem?.kind, 'list');
  assert.equal(typedDraft([], json, '[\n1,\n}').problem?.kind, 'json');
  assert.deepEqual(readJson('[]', true), { problem: { kind: 'object' } });
  assert.deepEqual(typedDraft('', fieldOf('text'), '').value, '');
  assert.equal(typedDraft(null, fieldOf('text', true), '').problem?.kind, 'empty');
  assert.deepEqual(numberDraft(5, 7), { base: 5, value: 7 });
  assert.equal(numberDraft(5, null).problem?.kind, 'empty');
  assert.equal(numberDraft(5, undefined).problem?.kind, 'number');
});

test('the text of a value is read as this value again', () => {
  for (const [kind, value] of [
    ['lines', ['a', 'b']],
    ['lines', []],
    ['json', [{ x: [1] }]],
    ['text', 'a'],
    ['secret', 'b'],
  ] as const) {
    const field = fieldOf(kind);
    assert.ok(same(typedDraft(value, field, textOf(field, value)).value, value), kind);
  }
  assert.equal(textOf(fieldOf('text', true), null), '');
});

test('a field without a value begins with one that has to be completed, or with the one before', () => {
  assert.equal(begun(null, fieldOf('choice', true)).value, 'x');
  assert.equal(begun(null, fieldOf('number', true)).problem?.kind, 'empty');
  assert.equal(begun(null, fieldOf('secret', true)).problem?.kind, 'empty');
  assert.deepEqual(begun('a', fieldOf('text', true)), { base: 'a', value: 'a' });
});

test('a draft is a change if it differs from what the user saw, or is no value', () => {
  assert.ok(isChange(chosen(1, 2)) && isChange(numberDraft(1, null)));
  assert.ok(!isChange(chosen({ a: 1, b: 2 }, { b: 2, a: 1 })));
  assert.deepEqual(reset('b', fieldOf('text')), { base: 'b', value: 'a', isReset: true });
});

test('a change by somebody else is a conflict until the user decides', () => {
  const draft = chosen(1, 2);
  assert.ok(!hasConflict(draft, 1) && hasConflict(draft, 3));
  assert.ok(!hasConflict(rebased(draft, 3), 3));
  assert.ok(!hasConflict(chosen(1, 1), 3), 'nothing was changed here');
});

test('drafts stay when others change other fields, and end when the device has their value', () => {
  const drafts = new Map<string, Draft>([
    ['mine', chosen(1, 2)],
    ['saved', chosen(1, 2)],
    ['untouched', { base: ['a'], value: ['a'], text: 'a\n' }],
    ['followed', { base: 'a', value: 'a', text: 'a' }],
    ['conflict', chosen(1, 2)],
    ['wrong', numberDraft(1, null)],
  ]);
  const device: Record<string, unknown> = {
    mine: 1,
    saved: 2,
    untouched: ['a'],
    followed: 'b',
    conflict: 3,
    wrong: 4,
  };
  const kept = settled(drafts, (name) => device[name]);
  assert.deepEqual([...kept.keys()], ['mine', 'untouched', 'conflict', 'wrong']);
  assert.equal(
    settled(kept, (name) => device[name]),
    kept,
  );
  assert.deepEqual([...withDraft(kept, 'mine', undefined).keys()], ['untouched', 'conflict', 'wrong']);
  assert.deepEqual(withDraft(kept, 'mine', chosen(1, 5)).get('mine'), { base: 1, value: 5 });
});
