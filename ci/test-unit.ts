/**
 * `npm run test:unit [-- FILE…]`: every `*.test.ts` of the project, by Node's own test runner. The closing line
 * counts single tests.
 */
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { ROOT } from './lib/places.ts';
import { command, Problem } from './lib/problem.ts';
import { close, FAILED, type Tally } from './lib/tally.ts';
import { projectFiles } from './lib/tool.ts';

const FILE_TIMEOUT_MS = 10 * 60_000;

/** What Node's test runner says at the end of a run. */
export interface RunSummary {
  success: boolean;
  counts: { tests: number; passed: number; skipped: number; todo: number };
}

/** The tally of a run; a run that failed without a failed test (in a hook), or that said nothing, has a failure. */
export function tallyOf(summary: RunSummary | undefined): Tally {
  if (!summary) return FAILED;
  const { success, counts } = summary;
  // Cancelled ones ran into a time limit or into a failed parent.
  const skipped = counts.skipped + counts.todo;
  const failed = counts.tests - counts.passed - skipped;
  return { passed: counts.passed, failed: success ? failed : Math.max(1, failed), skipped };
}

/** Runs test files, each in a process of its own, and prints Node's "spec" report. `stop` kills them. */
export async function unitTests(
  files: string[],
  print: (text: string) => void,
  stop?: AbortSignal,
): Promise<Tally> {
  const stream = run({
    files,
    concurrency: Math.max(1, availableParallelism()),
    timeout: FILE_TIMEOUT_MS,
    cwd: ROOT,
    ...(stop && { signal: stop }),
  });
  let summary: RunSummary | undefined;
  stream.on('test:summary', ({ file, success, counts }) => {
    // The summary without a file is the whole run's.
    if (file === undefined) summary = { success, counts };
  });
  for await (const text of stream.compose(spec)) print(String(text));
  return tallyOf(summary);
}

/** Every unit test file of the project; scenarios that need a machine are not named `*.test.ts`. */
export async function unitTestFiles(): Promise<string[]> {
  return (await projectFiles('*.test.ts')).map((path) => join(ROOT, path));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const named = process.argv.slice(2).map((path) => resolve(process.env.INIT_CWD ?? '.', path));
    const files = named.length > 0 ? named : await unitTestFiles();
    if (files.length === 0) throw new Problem('there is no *.test.ts file.');
    return close(await unitTests(files, (text) => process.stdout.write(text)));
  });
}
