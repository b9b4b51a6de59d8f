/** Runs the checks on one unit and collects their results. */

import { errorMessage } from '../../agent/src/base/system-error.ts';
import { RequestError } from '../../client/client.ts';
import { within } from '../../testing/wait.ts';
import { type Bench, type Check, restore } from './checks.ts';
import { Defect, NotTested } from './unit.ts';

const RESTORE_MS = 90_000;

export interface CheckResult {
  name: string;
  result: 'passed' | 'failed' | 'not_tested';
  /** What was found, or the reason. */
  detail: string;
  /** To the millisecond. */
  seconds: number;
}

export interface UnitResult {
  /** All checks passed or could not be tested. */
  passed: boolean;
  serial: string;
  version: string;
  board: string;
  started: string;
  checks: CheckResult[];
}

export interface RunOptions {
  checks: readonly Check[];
  /** Names of checks to leave out. */
  skip: readonly string[];
  /** Reset to factory settings at the end, if everything passed. */
  reset: boolean;
  /** Called with each result as soon as there is one. */
  report: (result: CheckResult) => void;
}

/** Runs the checks one after the other; a failed one does not prevent the next. The unit is always restored. */
export async function testUnit(bench: Bench, options: RunOptions): Promise<UnitResult> {
  const started = new Date().toISOString();
  const { client } = bench;
  const {
    serial,
    version,
    model_profile: board,
  } = await client.get('/device').catch((error: unknown) => {
    throw error instanceof RequestError ? new Defect(error.message) : error;
  });
  const results: CheckResult[] = [];
  const isGood = (): boolean => results.every(({ result }) => result !== 'failed');
  const check = async (name: string, timeoutMs: number, work: () => Promise<string>): Promise<void> => {
    const result = await runCheck(name, timeoutMs, work);
    results.push(result);
    options.report(result);
  };
  for (const { name, timeoutMs, run } of options.checks) {
    if (options.skip.includes(name)) continue;
    await check(name, timeoutMs, () => run(bench));
  }
  await check('restore', RESTORE_MS, async () => {
    await restore(client);
    return 'waiting page, test content deleted';
  });
  if (options.reset && isGood()) {
    await check('reset', RESTORE_MS, async () => {
      await client.post('/device/factory-reset', { json: { confirm: serial } });
      return 'factory reset requested; the unit reboots';
    });
  }
  return {
    passed: isGood(),
    serial,
    version,
    board,
    started,
    checks: results,
  };
}

/** The result for a unit that did not answer at all. @param startedAt ms since 1970 */
export function unreachable(detail: string, startedAt: number): UnitResult {
  const seconds = (Date.now() - startedAt) / 1000;
  const link = { name: 'link', result: 'failed', detail, seconds } as const;
  const started = new Date(startedAt).toISOString();
  return { passed: false, serial: '', version: '', board: '', started, checks: [link] };
}

async function runCheck(name: string, timeoutMs: number, work: () => Promise<string>): Promise<CheckResult> {
  const begun = performance.now();
  const [result, detail] = await within(work(), timeoutMs, `the check ${name} to end`).then(
    (found) => ['passed', found] as const,
    (error: unknown) => [error instanceof NotTested ? 'not_tested' : 'failed', errorMessage(error)] as const,
  );
  return { name, result, detail, seconds: Math.ceil(performance.now() - begun) / 1000 };
}
