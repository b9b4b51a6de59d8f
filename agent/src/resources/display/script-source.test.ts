import assert from 'node:assert/strict';
import { test } from 'node:test';
import vm from 'node:vm';
import fc from 'fast-check';
import { ApiError } from '../../contract/errors.ts';
import { prepareScript } from './script-source.ts';

/** Runs the body as the browser does. */
async function value(script: string): Promise<unknown> {
  const { body } = prepareScript(script);
  const result: unknown = await vm.runInNewContext(`(async () => {${body}\n})()`);
  return result === undefined ? undefined : JSON.parse(JSON.stringify(result) ?? 'null');
}

test('the value is that of the last statement, or what return gives', async () => {
  const cases: [string, unknown][] = [
    ['1 + 1', 2],
    ['"use strict"', 'use strict'],
    ['const a = 2;\n// last\n  a *\n 3 // six', 6],
    ['await Promise.resolve([1])', [1]],
    ['let a = 1; a += 1; a;', 2],
    ['{ a: 1 }', { a: 1 }],
    ['  { "a": { b: 2 } }  ', { a: { b: 2 } }],
    ['{ let a = 1; a }', undefined],
    ['return 7; 8', 7],
    ['if (true) { return [] }', []],
    ['function f() { return 3 } f()', 3],
    ['(() => 4)()', 4],
    ['`a; b`', 'a; b'],
    ['let x = 1', undefined],
    ['', undefined],
    ['// nothing', undefined],
    ['1, 2', 2],
  ];
  for (const [script, expected] of cases) assert.deepEqual(await value(script), expected, script);
});

test('what is no JavaScript is refused with its position, and cannot leave the function', () => {
  for (const [script, line, column] of [
    ['let let', 1, 5],
    ['1;\n  )', 2, 3],
    ['#!x', 1, 2],
    ['})(); (async () => {', 1, 1],
  ] as const) {
    assert.throws(
      () => prepareScript(script),
      (error) => {
        assert.ok(error instanceof ApiError);
        assert.equal(error.code, 'script_error');
        assert.partialDeepStrictEqual(error.details, { line, column });
        assert.doesNotMatch(error.message, /\(\d+:\d+\)/);
        return true;
      },
      script,
    );
  }
});

test('positions are those of the script', () => {
  const { body, locate } = prepareScript('a;\n  b.c; d');
  const inBody = body.split('\n')[1]?.indexOf('d') ?? 0;
  const at = (line: number | null, column: number | null) => locate({ message: '', line, column });
  assert.deepEqual(at(2, inBody + 1), { message: '', line: 2, column: 8 });
  assert.deepEqual(at(2, 5), { message: '', line: 2, column: 5 }, 'before the inserted word');
  assert.deepEqual(at(1, 50), { message: '', line: 1, column: 50 });
  assert.deepEqual(at(2, null), { message: '', line: 2, column: null });
  assert.deepEqual(at(null, null), { message: '', line: null, column: null });
});

test('any text is a script or a script_error', () => {
  const pieces = fc.constantFrom(
    'a',
    '{',
    '}',
    '(',
    ')',
    ';',
    '\n',
    'return',
    'await',
    '`',
    '/',
    '1',
    ' ',
    '"',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(pieces).map((all) => all.join('')),
      ),
      (script) => {
        try {
          const { body } = prepareScript(script);
          assert.ok(body === script || body.length === script.length + 'return '.length, body);
          // Acorn accepts `await` as a shorthand property; the browser does not.
          if (!/\{\s*await\s*\}/.test(script)) new vm.Script(`(async () => {${body}\n})()`);
        } catch (error) {
          assert.ok(error instanceof ApiError && error.code === 'script_error', String(error));
        }
      },
    ),
  );
});
