import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repetitions } from '../../../../../testing/long-runs.ts';
import { CORPUS } from './tests/corpus.ts';
import { memorySource } from './tests/memory-source.ts';
import { assertPythonAgrees } from './tests/python-zip.ts';
import { verifyBundle } from './verify.ts';
import { ZipError } from './zip-entry.ts';

test('the names of the corpus are unique', () => {
  assert.ok(CORPUS.length >= 60);
  assert.equal(new Set(CORPUS.map(({ name }) => name)).size, CORPUS.length);
});

for (const { name, build, expected } of CORPUS) {
  test(`${expected === 'ok' ? 'accepted' : 'refused'}: ${name}`, async () => {
    const source = memorySource(await build());
    if (expected === 'ok') {
      const directory = await verifyBundle(source);
      assert.ok(directory.has('index.html'));
    } else {
      const reason = await verifyBundle(source).then(
        () => 'nothing wrong',
        (error: unknown) => error,
      );
      assert.ok(reason instanceof ZipError, String(reason));
      assert.match(reason.message, expected);
      assert.match(reason.message, /^[A-Z][\P{C}]+[.?]$/u);
      assert.ok(reason.message.length < 400);
    }
  });
}

test('Python reads the same content from the accepted archives', async () => {
  const isLong = repetitions(0, 1) > 0;
  const accepted = CORPUS.filter(({ expected, isSlow }) => expected === 'ok' && (isLong || !isSlow));
  await assertPythonAgrees(await Promise.all(accepted.map(({ build }) => build())));
});
