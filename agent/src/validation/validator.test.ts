import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as Type from 'typebox';
import { ApiError } from '../contract/errors.ts';
import { MAX_ISSUES } from '../contract/issues.ts';
import { validator } from './validator.ts';

const Numbers = Type.Object(
  {
    some: Type.Optional(Type.Array(Type.Integer(), { maxItems: 8 })),
    many: Type.Optional(Type.Array(Type.Integer())),
    nullable: Type.Optional(Type.Union([Type.Array(Type.Integer()), Type.Null()])),
    named: Type.Optional(Type.Record(Type.String(), Type.Array(Type.Integer()))),
  },
  { additionalProperties: false },
);

const numbers = validator(Numbers);

function refusal(value: unknown): ApiError {
  try {
    numbers.parse(value);
  } catch (error) {
    if (error instanceof ApiError) return error;
  }
  return assert.fail('the value fits');
}

test('lists issues up to the limit, and counts the rest', () => {
  const few = refusal({ many: ['a', 1, 'b'], other: 1 });
  assert.deepEqual(few.details, {
    issues: [
      { path: '/other', message: 'is not a known field; known are some, many, nullable, named' },
      { path: '/many/0', message: 'must be integer' },
      { path: '/many/2', message: 'must be integer' },
    ],
  });
  const { details } = refusal({ many: Array.from({ length: 1000 }, () => 'a') });
  const listed: unknown = details?.issues;
  assert.ok(Array.isArray(listed));
  assert.equal(listed.length, MAX_ISSUES);
  assert.equal(details?.more, 1000 - MAX_ISSUES);
});

const LARGE: readonly [string, unknown][] = [
  ['a list that is too long', { some: Array.from({ length: 500_000 }, () => 'a') }],
  ['a list of bad entries', { many: Array.from({ length: 500_000 }, () => 'a') }],
  ['a list that may be null', { nullable: Array.from({ length: 500_000 }, () => 'a') }],
  ['unknown fields', Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`f${index}`, 1]))],
  ['lists in lists', { many: Array.from({ length: 2000 }, () => [[[]], [], []]) }],
];

for (const [what, value] of LARGE) {
  test(`collects few issues for a large body: ${what}`, () => {
    const found = numbers.issues(value);
    assert.ok(found.length > 0 && found.length < 5, `${found.length} issues`);
    assert.ok(JSON.stringify(refusal(value).envelope).length < 4096);
  });
}

test('accepts a large body that fits', () => {
  const value = { many: Array.from({ length: 500_000 }, () => 1) };
  assert.deepEqual(numbers.issues(value), []);
  assert.equal(numbers.parse(value), value);
});

test('does not repeat a long name a hundred times', () => {
  const name = 'n'.repeat(500_000);
  const answer = JSON.stringify(
    refusal({ named: { [name]: Array.from({ length: 1000 }, () => 'a') } }).envelope,
  );
  assert.ok(answer.length < 200_000, `${answer.length} characters`);
});

test('cuts a long name between characters', () => {
  for (const start of ['', 'x']) {
    const [issue] = [refusal({ [start + '😀'.repeat(2000)]: 1 }).details?.issues].flat();
    assert.ok(JSON.stringify(issue).isWellFormed() && !/\\ud83d/.test(JSON.stringify(issue)), start);
  }
});
