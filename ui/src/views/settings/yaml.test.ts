import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import { toYaml } from '../../../../ci/openapi/yaml.ts';
import { repetitions } from '../../../../testing/long-runs.ts';
import { valueAt } from './json.ts';
import { readYaml } from './yaml.ts';

test('what the writer of the API description writes is read as it was', () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('true', 'y', '~', '8', 'a: b', '- a', '#', 'a\n\n  b', '|-'),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e21),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(text, tie('tree'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (given) => {
      const value: unknown = JSON.parse(JSON.stringify({ given }));
      assert.deepEqual(readYaml(toYaml(value)), value);
    }),
    { numRuns: repetitions(300, 20_000) },
  );
});

test('the description that the device serves is read', async () => {
  const file = new URL('../../../../docs/openapi.yaml', import.meta.url);
  const document = readYaml(await readFile(file, 'utf8'));
  assert.equal(valueAt(document, ['openapi']), '3.1.0');
  assert.match(String(valueAt(document, ['info', 'description'])), /^A display.*\n\nEvery call .*[^\n]$/s);
  const on = valueAt(document, ['components', 'schemas', 'PowerSpan', 'properties', 'on', 'examples']);
  assert.deepEqual(on, ['08:00']);
});

test('other texts are refused', () => {
  for (const text of ['', '<html>', 'a: 1\n   b: 2', 'a:\n- 1', '"a', 'a: "b']) {
    assert.throws(() => readYaml(text), text);
  }
});
