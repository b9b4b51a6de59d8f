import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './lib/places.ts';
import { runTool } from './lib/tool.ts';
import { slowestFiles, tallyOf } from './test-unit.ts';

/** Runs `npm run test:unit` on files with these contents; `ok` means exit code 0. */
async function outcome(
  ...contents: string[]
): Promise<{ ok: boolean; output: string; last: string | undefined }> {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-unit-'));
  try {
    const files = contents.map((_, index) => join(folder, `sample-${index}.test.mjs`));
    for (const [index, file] of files.entries()) {
      await writeFile(file, `import { after, test } from 'node:test';\n${contents[index]}`);
    }
    const { ok, output } = await runTool(
      'env',
      ['-u', 'NODE_TEST_CONTEXT', process.execPath, join(ROOT, 'ci/test-unit.ts'), ...files],
      60_000,
    );
    return { ok, output, last: output.trimEnd().split('\n').at(-1) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('every passed and failed test is counted', async () => {
  const good = await outcome(`test('a', () => {}); test('b', () => {}); test.skip('c', () => {});`);
  assert.deepEqual([good.ok, good.last], [true, '2 passed, 0 failed, 1 skipped']);
  const bad = await outcome(`test('a', () => {}); test('b', () => { throw new Error('no'); });`);
  assert.deepEqual([bad.ok, bad.last], [false, '1 passed, 1 failed, 0 skipped']);
});

test('a run in which a hook fails has failed', async () => {
  const { ok, last } = await outcome(`test('a', () => {}); after(() => { throw new Error('no'); });`);
  assert.equal(ok, false);
  assert.match(String(last), /, [1-9]\d* failed,/);
});

test('a run that failed without a failed test, or without a summary, counts as one failure', () => {
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

test('the slowest files are listed before the closing line', async () => {
  const { output } = await outcome(`test('a', () => {});`, `test('b', () => {});`);
  const [, listed = ''] = output.split('\nslowest files:\n');
  assert.match(listed, /^( +\d+\.\d s {2}\S*sample-[01]\.test\.mjs\n){2}2 passed/);
  const times = new Map(Array.from({ length: 12 }, (_, index) => [`/p/${index}.test.ts`, index * 1000]));
  const lines = slowestFiles(times, '/p').trimEnd().split('\n');
  assert.deepEqual([lines.length, lines[0], lines[9]], [10, '   11.0 s  11.test.ts', '    2.0 s  2.test.ts']);
});
