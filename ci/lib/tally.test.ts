import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closingLine, countLines, failureLine, flakyLine, readClosingLine, readFailures } from './tally.ts';

test('the closing line is parsed from the end of an output', () => {
  const tally = { passed: 12, failed: 3, skipped: 2 };
  assert.deepEqual(readClosingLine(`1 passed, 0 failed, 0 skipped\nmore\n${closingLine(tally)}\n`), tally);
});

test('an incomplete output has no tally', () => {
  assert.equal(readClosingLine('12 passed, 3 failed, 0 skipped\nkilled\n'), undefined);
  assert.equal(readClosingLine(''), undefined);
});

test('the tally of an interrupted scenario run is counted from its lines', () => {
  const output =
    'boot: a title\n  ok      boot: one (0.1 s)\n  FAILED  boot: two (3 s)\n    | ok\n  ok      boot: three\n  skipped boot: four (why)';
  assert.deepEqual(countLines(output), { passed: 2, failed: 1, skipped: 1 });
});

test('the lines of failures are parsed from an output, and not those of the tests', () => {
  const lines = [flakyLine('screen: reload', 'late'), failureLine('links: hello', 'no hello')];
  assert.deepEqual(
    readFailures(
      `  FAILED  x: no (1 s)\nx: FLAKY   no\n${lines.join('\n')}\n9 passed, 0 failed, 0 skipped\n`,
    ),
    lines,
  );
  assert.deepEqual(readFailures('9 passed, 0 failed, 0 skipped'), []);
});
