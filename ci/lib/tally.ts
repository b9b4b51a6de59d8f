/** Numbers of passed, failed and skipped tests. */
export interface Tally {
  passed: number;
  failed: number;
  /** Not run because this computer lacks something; the output says what. */
  skipped: number;
}

export const PASSED: Tally = { passed: 1, failed: 0, skipped: 0 };
export const FAILED: Tally = { passed: 0, failed: 1, skipped: 0 };
export const SKIPPED: Tally = { passed: 0, failed: 0, skipped: 1 };

export function sum(tallies: Tally[]): Tally {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { passed, failed, skipped } of tallies) {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  return total;
}

/** The closing line of every test command: `12 passed, 0 failed, 1 skipped`. */
export function closingLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** The tally from the last line of a command's output; undefined when that is not a closing line. */
export function readClosingLine(output: string): Tally | undefined {
  const line = /^(\d+) passed, (\d+) failed, (\d+) skipped$/.exec(output.trimEnd().split('\n').at(-1) ?? '');
  return line ? { passed: Number(line[1]), failed: Number(line[2]), skipped: Number(line[3]) } : undefined;
}

/** The tally of an interrupted scenario run, counted from the line that each finished test prints. */
export function countLines(output: string): Tally {
  const count = (pattern: RegExp): number => output.match(pattern)?.length ?? 0;
  return {
    passed: count(/^ {2}ok {6}/gm),
    failed: count(/^ {2}FAILED {2}/gm),
    skipped: count(/^ {2}skipped /gm),
  };
}

/** The line for a test that failed and then passed. It counts as passed, but somebody should look at it. */
export function flakyLine(name: string, reason: string): string {
  return `FLAKY   ${name} failed and passed at the second attempt: ${reason}`;
}

/** The line for a test that failed in every attempt, below the results. */
export function failureLine(name: string, reason: string): string {
  return `FAILED  ${name}: ${reason}`;
}

/** The lines of {@link flakyLine} and {@link failureLine} in a command's output. */
export function readFailures(output: string): string[] {
  return output.match(/^(?:FLAKY {3}|FAILED {2})\S.*$/gm) ?? [];
}

/** Prints the closing line and returns the exit code. A run without any passed test has failed. */
export function close(tally: Tally): number {
  console.log(closingLine(tally));
  return tally.failed === 0 && tally.passed > 0 ? 0 : 1;
}
