/**
 * `npm test`: lint, types, generated files, unit tests, the image, every board's disk, the Buildroot configurations (if
 * BUILDROOT_DIR names a checkout), the checks of a release and the scenarios. The image is built while the stages that do
 * not need it run; types, boards, release and what is tested in Chromium come while the scenarios run. The last line is
 * the sum: every unit test and every test of a scenario counts, and every other check as one. `npm run test:full` does
 * the same with every scenario in QEMU, and with their long variants.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '../agent/src/base/system-error.ts';
import { FULL_RUN } from '../testing/long-runs.ts';
import { boards } from './boards.ts';
import { checkBuildroot } from './buildroot/check.ts';
import { readArguments, requireNoRest } from './lib/arguments.ts';
import { ROOT } from './lib/places.ts';
import { command } from './lib/problem.ts';
import { Report } from './lib/report.ts';
import {
  close,
  countLines,
  FAILED,
  PASSED,
  readClosingLine,
  readFailures,
  sum,
  type Tally,
} from './lib/tally.ts';
import { runTool, type ToolResult } from './lib/tool.ts';
import { lint } from './lint.ts';
import { ensureImage } from './qemu/image.ts';
import { setupHost } from './setup.ts';
import { prepareTestBrowser } from './test-browser.ts';
import { releaseChecks } from './test-release.ts';
import { isInBrowser, unitTestFiles, unitTests } from './test-unit.ts';
import { types } from './types.ts';

const OPTIONS = {
  full: { type: 'boolean', help: 'run the scenarios in QEMU, with their long variants' },
} as const;
const GENERATE_TIMEOUT_MS = 2 * 60_000;
/**
 * Time limits of a run. The CI server kills it after 90 minutes without a message; the one of `npm test` is shorter, so that a
 * summary is printed.
 */
const LIMIT_MS = { test: 80 * 60_000, full: 150 * 60_000 };
/** The scenarios end this much before the run's time limit, so that their results still count. */
const GRACE_MS = 60_000;
/** Set at the end: an abandoned stage must not write after the closing line. */
let silent = false;
const print = (text: string): void => {
  if (!silent) process.stdout.write(text);
};

async function generatedFiles(): Promise<Tally> {
  const args = [join(ROOT, 'ci/generate.ts'), '--check'];
  const { ok, output } = await runTool(process.execPath, args, GENERATE_TIMEOUT_MS);
  print(`${ok ? 'ok     ' : 'FAILED '} generated files\n${ok ? '' : output}`);
  return ok ? PASSED : FAILED;
}

/** The tally of a command that prints a closing line; undefined if it has not come so far. */
function tallyOf({ ok, output }: ToolResult): Tally | undefined {
  const tally = readClosingLine(output);
  return tally && !ok && tally.failed === 0 ? sum([tally, FAILED]) : tally;
}

/** Runs `npm run test:qemu` and returns its tally. `note` gets a line for each test that failed. */
async function scenarios(full: boolean, timeoutMs: number, note: (line: string) => void): Promise<Tally> {
  // It stops by itself before it is killed, so that it can still report what failed.
  const limit = Math.max(1, Math.round((timeoutMs - GRACE_MS) / 1000));
  const args = [join(ROOT, 'tests-qemu/run.ts'), '--limit', String(limit), ...(full ? ['--full'] : [])];
  const show = (chunk: Buffer): void => print(chunk.toString());
  const result = await runTool(process.execPath, args, timeoutMs, show);
  for (const line of readFailures(result.output)) note(line);
  const tally = tallyOf(result);
  if (tally) return tally;
  print(
    `FAILED  scenarios: ended before their closing line (time limit ${Math.round(timeoutMs / 1000)} s)\n`,
  );
  return sum([countLines(result.output), FAILED]);
}

/**
 * Runs these unit tests one file at a time, and with a lower priority than the scenarios, whose time limits are those of
 * emulated machines.
 */
async function testsInChromium(
  files: string[],
  print: (text: string) => void,
  timeoutMs: number,
): Promise<Tally> {
  const args = ['-n', '5', process.execPath, join(ROOT, 'ci/test-unit.ts'), '--jobs', '1', ...files];
  return tallyOf(await runTool('nice', args, timeoutMs, (chunk) => print(chunk.toString()))) ?? FAILED;
}

/** Runs all stages, prints the summary and returns the total tally. */
async function testAll(full: boolean, stop: AbortSignal): Promise<Tally> {
  // The limit counts from the start of this process, as performance.now() does.
  if (full) process.env[FULL_RUN] = '1';
  const report = new Report(print, LIMIT_MS[full ? 'full' : 'test'] + GRACE_MS, stop);
  // Not at the same time: only one build runs at a time. Its failure is that of the tests which need it.
  const browser = prepareTestBrowser('chromium')
    .then(() => (full ? prepareTestBrowser('firefox') : undefined))
    .catch(() => undefined);
  // A failed build is reported by the stage "image" below.
  const image: Promise<Error | undefined> = browser
    .then(() => ensureImage())
    .then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error : new Error(errorMessage(error))),
    );
  await report.stage('lint', () => lint(print));
  await report.stage('generated files', generatedFiles);
  await browser;
  const files = await unitTestFiles();
  const others = files.filter((file) => !isInBrowser(file));
  await report.stage('unit tests', (left) => unitTests(others, print, { stop: left }));
  const built = await report.stage('image', async () => {
    const failure = await image;
    if (failure) throw failure;
    print('ok      image\n');
    return PASSED;
  });
  const isBuilt = built.failed === 0;
  // Beside the scenarios, which leave a part of two processors unused, in their first minutes a fifth.
  const checks = async (): Promise<void> => {
    await report.stageBeside('Chromium', (say) =>
      testsInChromium(files.filter(isInBrowser), say, Math.max(1, Math.round(report.leftMs))),
    );
    await report.stageBeside('types', (say) => types(say));
    await report.stageBeside('boards', (say) => boards(say));
    await report.stageBeside('Buildroot', (say) => checkBuildroot(say));
    if (isBuilt) await report.stageBeside('release', (say, left) => releaseChecks(full, say, left));
  };
  const timeoutMs = Math.max(1, Math.round(report.leftMs) - GRACE_MS);
  await Promise.all([
    checks(),
    isBuilt && report.stage('scenarios', () => scenarios(full, timeoutMs, (line) => report.note(line))),
  ]);
  report.printSummary();
  return report.tally;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const { values, rest } = readArguments('npm test', OPTIONS);
    requireNoRest(rest);
    await setupHost('test');
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop.abort());
    const tally = await testAll(values.full ?? false, stop.signal);
    silent = true;
    const code = close(tally);
    // An abandoned stage may still keep this process alive.
    setTimeout(() => process.exit(code), 1000).unref();
    return code;
  });
}
