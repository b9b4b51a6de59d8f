/**
 * `npm run test:unit [-- --long] [--jobs N] [FILE…]`: runs every `*.test.ts` of the project with Node's test runner, then
 * lists the slowest files. The closing line counts single tests.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { LONG_RUNS } from '../testing/long-runs.ts';
import { buildUi, UI_IS_BUILT } from './build-ui.ts';
import { integerOf, readArguments } from './lib/arguments.ts';
import { ROOT } from './lib/places.ts';
import { command, Problem } from './lib/problem.ts';
import { close, FAILED, type Tally } from './lib/tally.ts';
import { projectFiles } from './lib/tool.ts';
import { type SharedChromium, shareChromium } from './test-browser.ts';

const FILE_TIMEOUT_MS = 10 * 60_000;
const LONG_FILE_TIMEOUT_MS = 60 * 60_000;
/** On average a test file uses less than half a processor: many wait for programs and for time limits. */
const FILES_PER_PROCESSOR = 2;
const MAX_JOBS = 64;
/** How many of the slowest files are listed. */
const SLOWEST = 10;
/** These start first, so that no slow file runs alone at the end. */
const LONG_FILES = [
  'ci/image/build.test.ts',
  'tests-qemu/harness/goosebit/fleet-goosebit.test.ts',
  'ci/agent/kill.test.ts',
  'agent/src/resources/content/serving/bundle-origin-lifetime.test.ts',
  'agent/src/resources/content/zip/corpus.test.ts',
].map((path) => join(ROOT, path));
const IN_BROWSER = ['ui/tests/', 'ci/peripherals/'].map((path) => join(ROOT, path));
const OPTIONS = {
  jobs: { type: 'string', value: 'N', help: 'test files to run in parallel (default: two per processor)' },
  long: { type: 'boolean', help: 'repeat randomised tests ten times as often: an hour' },
} as const;

/** The `test:summary` event of Node's test runner. */
export interface RunSummary {
  success: boolean;
  counts: { tests: number; passed: number; skipped: number; todo: number };
}

/** The tally of a run. A failed run without a failed test (a hook failed), or without a summary, counts one failure. */
export function tallyOf(summary: RunSummary | undefined): Tally {
  if (!summary) return FAILED;
  const { success, counts } = summary;
  // Cancelled tests count as failed: they hit a time limit, or their parent failed.
  const skipped = counts.skipped + counts.todo;
  const failed = counts.tests - counts.passed - skipped;
  return { passed: counts.passed, failed: success ? failed : Math.max(1, failed), skipped };
}

/** The slowest files of a run, one per line. @param times duration of each file, in ms */
export function slowestFiles(times: ReadonlyMap<string, number>, root = ROOT): string {
  const slowest = [...times].sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
  return slowest
    .map(([file, ms]) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${relative(root, file)}\n`)
    .join('');
}

/** Whether a test file needs a browser: those of the web app, and of what pages get for peripherals. */
export const isInBrowser = (file: string): boolean => IN_BROWSER.some((folder) => file.startsWith(folder));

export interface RunOptions {
  /** Kills the test files. */
  stop?: AbortSignal | undefined;
  /** How many files run at a time. */
  atATime?: number | undefined;
}

/** Runs test files, each in a process of its own, and prints Node's "spec" report and the slowest files. */
export async function unitTests(
  files: string[],
  print: (text: string) => void,
  options: RunOptions = {},
): Promise<Tally> {
  // Compiling the common imports is a third of the processor time of a short test file, so the results are shared.
  const compiled = await mkdtemp(join(tmpdir(), 'vitrine-compiled-'));
  const env: NodeJS.ProcessEnv = { ...process.env, NODE_COMPILE_CACHE: compiled };
  let browser: SharedChromium | undefined;
  try {
    if (files.filter(isInBrowser).length > 1) {
      // Each file would need seconds for them.
      await buildUi();
      browser = await shareChromium();
      Object.assign(env, browser.env, { [UI_IS_BUILT]: '1' });
    }
    return await runFiles(files, print, env, options);
  } finally {
    await browser?.server.close();
    await rm(compiled, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function runFiles(
  files: string[],
  print: (text: string) => void,
  env: NodeJS.ProcessEnv,
  { stop, atATime = FILES_PER_PROCESSOR * availableParallelism() }: RunOptions,
): Promise<Tally> {
  const isFirst = (file: string): boolean => LONG_FILES.includes(file);
  // @types/node does not declare `env` yet.
  const environment = { env };
  const stream = run({
    files: [...files.filter(isFirst), ...files.filter((file) => !isFirst(file))],
    concurrency: atATime,
    timeout: process.env[LONG_RUNS] ? LONG_FILE_TIMEOUT_MS : FILE_TIMEOUT_MS,
    cwd: ROOT,
    ...environment,
    ...(stop && { signal: stop }),
  });
  const times = new Map<string, number>();
  // The runner reports each file as a test whose name is its path.
  stream.on('test:complete', ({ name, file, details }) => {
    if (file !== undefined && name === file) times.set(file, details.duration_ms);
  });
  let summary: RunSummary | undefined;
  stream.on('test:summary', ({ file, success, counts }) => {
    // The summary of the whole run has no file.
    if (file === undefined) summary = { success, counts };
  });
  for await (const text of stream.compose(spec)) print(String(text));
  if (times.size > 1) print(`\nslowest files:\n${slowestFiles(times)}`);
  return tallyOf(summary);
}

/** Every unit test file of the project. Scenarios, which need a machine, are not named `*.test.ts`. */
export async function unitTestFiles(): Promise<string[]> {
  return (await projectFiles('*.test.ts')).map((path) => join(ROOT, path));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const { values, rest } = readArguments('npm run test:unit -- [--long] [--jobs N] [FILE…]', OPTIONS);
    if (values.long) process.env[LONG_RUNS] = '1';
    const named = rest.map((path) => resolve(process.env.INIT_CWD ?? '.', path));
    const files = named.length > 0 ? named : await unitTestFiles();
    if (files.length === 0) throw new Problem('there is no *.test.ts file.');
    const jobs = values.jobs === undefined ? undefined : integerOf(values.jobs, 1, MAX_JOBS);
    return close(await unitTests(files, (text) => process.stdout.write(text), { atATime: jobs }));
  });
}
