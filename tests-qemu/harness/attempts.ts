import { errorMessage } from '../../agent/src/base/system-error.ts';
import { FAILED, failureLine, flakyLine, PASSED, SKIPPED, sum, type Tally } from '../../ci/lib/tally.ts';

/** The result of one run of a scenario. */
export interface Attempt {
  /** The results of the tests in order. An error outside the tests counts as a failed test. */
  tests: { name: string; result: keyof Tally; error?: unknown }[];
  /** From the start of the machine to the end of the last test. */
  seconds: number;
  /** Part of `seconds` until the machine was ready; 0 for a scenario that creates its machines itself. */
  machineSeconds: number;
}

/** The attempts of a scenario: one, or two if the first failed, or none if the time limit came first. */
export interface Result {
  name: string;
  attempts: Attempt[];
}

/** Additional seconds for a second attempt: its machine is booted, and QEMU's translation cache is empty. */
const SECOND_ATTEMPT_MORE = 180;

/** Characters of an error in the summary. */
const MAX_REASON = 300;

const TALLIES: Record<keyof Tally, Tally> = { passed: PASSED, failed: FAILED, skipped: SKIPPED };

export function hasFailed({ tests }: Pick<Attempt, 'tests'>): boolean {
  return tests.some(({ result }) => result === 'failed');
}

/** Whether to run a scenario a second time: the first attempt failed, and `secondsLeft` are enough for another. */
export function shouldRetry(first: Attempt, secondsLeft: number): boolean {
  return hasFailed(first) && secondsLeft > first.seconds * 1.5 + SECOND_ATTEMPT_MORE;
}

/** Whether a scenario failed first and then passed. */
export function isFlaky({ attempts: [first, second] }: Result): boolean {
  return first !== undefined && second !== undefined && hasFailed(first) && !hasFailed(second);
}

/** The tally of the last attempt. A scenario that was not run has failed. */
export function tallyOf({ attempts }: Result): Tally {
  const last = attempts.at(-1);
  if (!last) return FAILED;
  return sum(last.tests.map(({ result }) => TALLIES[result]));
}

function statusOf(result: Result): string {
  if (result.attempts.length === 0) return 'not run';
  if (isFlaky(result)) return 'FLAKY';
  return tallyOf(result).failed > 0 ? 'FAILED' : 'ok';
}

/** Lines for the tests that failed: those of scenarios that then passed, and those of both attempts of the others. */
export function failureLines(results: Result[]): string[] {
  return results.flatMap((result) => {
    const { name, attempts } = result;
    if (attempts.length === 0) return [failureLine(name, 'not run, time limit reached')];
    const flaky = isFlaky(result);
    const numbered = attempts.length > 1 && !flaky;
    return attempts.flatMap(({ tests }, i) =>
      tests
        .filter((test) => test.result === 'failed')
        .map((test) => {
          const reason = reasonOf(test.error);
          if (flaky) return flakyLine(test.name, reason);
          return failureLine(numbered ? `${test.name} (attempt ${i + 1})` : test.name, reason);
        }),
    );
  });
}

/** One line, shortened. */
function reasonOf(error: unknown): string {
  return errorMessage(error).replaceAll(/\s+/g, ' ').slice(0, MAX_REASON);
}

/** The table of all scenarios with their total seconds over all attempts, longest first. */
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
      return `${result.name.padEnd(16)} ${statusOf(result).padEnd(8)} ${String(tests).padStart(5)} ${before} ${cell(all)}`;
    });
  return [`${'scenario'.padEnd(16)} ${''.padEnd(8)} tests   machine   seconds`, ...rows];
}
