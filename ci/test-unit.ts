/**
 * `npm run test:unit [-- --long] [FILE…]`: every `*.test.ts` of the project, by Node's own test runner. The closing
 * line counts single tests; before it stand the files that took longest.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { readArguments } from './lib/arguments.ts';
import { LONG_RUNS } from './lib/long-runs.ts';
import { ROOT } from './lib/places.ts';
import { command, Problem } from './lib/problem.ts';
import { close, FAILED, type Tally } from './lib/tally.ts';
import { projectFiles } from './lib/tool.ts';

const FILE_TIMEOUT_MS = 10 * 60_000;
const LONG_FILE_TIMEOUT_MS = 60 * 60_000;
/** A test file keeps less than half a processor busy on average: many wait for programs and for time limits. */
const FILES_A_PROCESSOR = 2;
/** How many of the slowest files are listed. */
const SLOWEST = 10;
/** These begin first, so that no long one is left alone at the end. */
const LONG_FILES = [
  'ci/image/build.test.ts',
  'agent/src/resources/config/kill.test.ts',
  'agent/src/resources/content/corpus.test.ts',
  'agent/src/resources/content/serving/bundle-origin-lifetime.test.ts',
  'agent/src/resources/content/zip/corpus.test.ts',
].map((path) => join(ROOT, path));
const OPTIONS = {
  long: { type: 'boolean', help: 'repeat what chance decides ten times as often: an hour' },
} as const;

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

/** The slowest files of a run, one a line. @param times how long each took, in ms */
export function slowestFiles(times: ReadonlyMap<string, number>, root = ROOT): string {
  const slowest = [...times].sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
  return slowest
    .map(([file, ms]) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${relative(root, file)}\n`)
    .join('');
}

/**
 * Runs test files, each in a process of its own, and prints Node's "spec" report and the slowest files. `stop` kills
 * them.
 */
export async function unitTests(
  files: string[],
  print: (text: string) => void,
  stop?: AbortSignal,
): Promise<Tally> {
  // Compiling what most files import is a third of the processor time of a short one.
  const compiled = await mkdtemp(join(tmpdir(), 'vitrine-compiled-'));
  try {
    return await runFiles(files, print, { ...process.env, NODE_COMPILE_CACHE: compiled }, stop);
  } finally {
    await rm(compiled, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function runFiles(
  files: string[],
  print: (text: string) => void,
  env: NodeJS.ProcessEnv,
  stop?: AbortSignal,
): Promise<Tally> {
  const isFirst = (file: string): boolean => LONG_FILES.includes(file);
  // The types do not know `env` yet.
  const environment = { env };
  const stream = run({
    files: [...files.filter(isFirst), ...files.filter((file) => !isFirst(file))],
    concurrency: FILES_A_PROCESSOR * availableParallelism(),
    timeout: process.env[LONG_RUNS] ? LONG_FILE_TIMEOUT_MS : FILE_TIMEOUT_MS,
    cwd: ROOT,
    ...environment,
    ...(stop && { signal: stop }),
  });
  const times = new Map<string, number>();
  // A file is a test around its tests, with its path as name.
  stream.on('test:complete', ({ name, file, details }) => {
    if (file !== undefined && name === file) times.set(file, details.duration_ms);
  });
  let summary: RunSummary | undefined;
  stream.on('test:summary', ({ file, success, counts }) => {
    // The summary without a file is the whole run's.
    if (file === undefined) summary = { success, counts };
  });
  for await (const text of stream.compose(spec)) print(String(text));
  if (times.size > 1) print(`\nslowest files:\n${slowestFiles(times)}`);
  return tallyOf(summary);
}

/** Every unit test file of the project; scenarios that need a machine are not named `*.test.ts`. */
export async function unitTestFiles(): Promise<string[]> {
  return (await projectFiles('*.test.ts')).map((path) => join(ROOT, path));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const { values, rest } = readArguments('npm run test:unit -- [--long] [FILE…]', OPTIONS);
    if (values.long) process.env[LONG_RUNS] = '1';
    const named = rest.map((path) => resolve(process.env.INIT_CWD ?? '.', path));
    const files = named.length > 0 ? named : await unitTestFiles();
    if (files.length === 0) throw new Problem('there is no *.test.ts file.');
    return close(await unitTests(files, (text) => process.stdout.write(text)));
  });
}
