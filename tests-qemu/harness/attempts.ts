import { FAILED, flakyLine, sum, type Tally } from '../../ci/lib/tally.ts';

/** What came of one run of a scenario. */
export interface Attempt {
  /** By test, in order. What went wrong between tests counts as one of its own that failed. */
  tests: { name: string; passed: boolean }[];
  /** From the start of the machine to the end of the last test. */
  seconds: number;
  /** Of these, until the machine could be tested; 0 for a scenario that has no machine of the suite. */
  machineSeconds: number;
}

/** A scenario's one attempt, or two of which the first failed; none when the time was up before it. */
export interface Result {
  name: string;
  attempts: Attempt[];
}

/** Seconds that a second attempt needs beyond what the first took: its machine is booted, and nothing is warm. */
const SECOND_ATTEMPT_MORE = 180;

export function hasFailed({ tests }: Attempt): boolean {
  return tests.some(({ passed }) => !passed);
}

/** Whether a scenario is to be run a second time: the first failed, and `secondsLeft` are enough for another one. */
export function isWorthAnother(first: Attempt, secondsLeft: number): boolean {
  return hasFailed(first) && secondsLeft > first.seconds * 1.5 + SECOND_ATTEMPT_MORE;
}

/** Whether it failed first and then passed. */
export function isFlaky({ attempts: [first, second] }: Result): boolean {
  return first !== undefined && second !== undefined && hasFailed(first) && !hasFailed(second);
}

/** What the last attempt came to. A scenario that was not run has failed. */
export function tallyOf({ attempts }: Result): Tally {
  const last = attempts.at(-1);
  if (!last) return FAILED;
  return sum(
    last.tests.map(({ passed }) => ({ passed: Number(passed), failed: Number(!passed), skipped: 0 })),
  );
}

function wordFor(result: Result): string {
  if (result.attempts.length === 0) return 'not run';
  if (isFlaky(result)) return 'FLAKY';
  return tallyOf(result).failed > 0 ? 'FAILED' : 'ok';
}

/** A line for each test that failed at first, of the scenarios that then passed. */
export function flakyLines(results: Result[]): string[] {
  return results
    .filter(isFlaky)
    .flatMap(({ attempts: [first] }) =>
      (first?.tests ?? []).filter(({ passed }) => !passed).map(({ name }) => flakyLine(name)),
    );
}

/** Every failure, of both attempts, of the scenarios that failed. */
export function failureLines(results: Result[]): string[] {
  return results
    .filter((result) => tallyOf(result).failed > 0)
    .flatMap(({ name, attempts }) => {
      if (attempts.length === 0) return [`${name}: not run, the time was up`];
      const failed = attempts.map(({ tests }) => tests.filter(({ passed }) => !passed));
      return failed.flatMap((tests, i) =>
        tests.map((test) => (attempts.length > 1 ? `${test.name} (attempt ${i + 1})` : test.name)),
      );
    });
}

/** The table of all scenarios with their seconds over both attempts, the longest first. */
export function tableLines(results: Result[]): string[] {
  const of = (result: Result, key: 'seconds' | 'machineSeconds'): number =>
    result.attempts.reduce((total, attempt) => total + attempt[key], 0);
  const cell = (seconds: number): string => seconds.toFixed(1).padStart(9);
  const rows = results
    .toSorted((a, b) => of(b, 'seconds') - of(a, 'seconds'))
    .map((result) => {
      const [all, machine] = [of(result, 'seconds'), of(result, 'machineSeconds')];
      const tests = result.attempts.at(-1)?.tests.length ?? 0;
      const before = machine > 0 ? cell(machine) : '-'.padStart(9);
      return `${result.name.padEnd(16)} ${wordFor(result).padEnd(8)} ${String(tests).padStart(5)} ${before} ${cell(all)}`;
    });
  return [`${'scenario'.padEnd(16)} ${''.padEnd(8)} tests   machine   seconds`, ...rows];
}
