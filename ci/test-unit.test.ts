import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './lib/places.ts';
import { runTool } from './lib/tool.ts';
import { tallyOf } from './test-unit.ts';

/** The end of what `npm run test:unit` prints for a file of that content, and whether its exit code is 0. */
async function outcome(content: string): Promise<{ ok: boolean; last: string | undefined }> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-unit-'));
  try {
    const file = join(folder, 'sample.test.mjs');
    await writeFile(file, `import { after, test } from 'node:test';\n${content}`);
    const { ok, output } = await runTool(
      'env',
      ['-u', 'NODE_TEST_CONTEXT', process.execPath, join(ROOT, 'ci/test-unit.ts'), file],
      60_000,
    );
    return { ok, last: output.trimEnd().split('\n').at(-1) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('tests that pass and fail are counted one by one', async () => {
  assert.deepEqual(await outcome(`test('a', () => {}); test('b', () => {}); test.skip('c', () => {});`), {
    ok: true,
    last: '2 passed, 0 failed, 1 skipped',
  });
  assert.deepEqual(await outcome(`test('a', () => {}); test('b', () => { throw new Error('no'); });`), {
    ok: false,
    last: '1 passed, 1 failed, 0 skipped',
  });
});

test('a run whose hook fails is no success', async () => {
  const { ok, last } = await outcome(`test('a', () => {}); after(() => { throw new Error('no'); });`);
  assert.equal(ok, false);
  assert.match(String(last), /, [1-9]\d* failed,/);
});

test('a run that failed without a failed test, or without a word, has a failure', () => {
  const counts = { tests: 4, passed: 3, skipped: 1, todo: 0 };
  assert.deepEqual(tallyOf({ success: true, counts }), { passed: 3, failed: 0, skipped: 1 });
  assert.deepEqual(tallyOf({ success: false, counts }), { passed: 3, failed: 1, skipped: 1 });
  assert.deepEqual(tallyOf({ success: false, counts: { ...counts, tests: 6 } }), {
    passed: 3,
    failed: 2,
    skipped: 1,
  });
  assert.deepEqual(tallyOf(undefined), { passed: 0, failed: 1, skipped: 0 });
});
