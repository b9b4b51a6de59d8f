/**
 * `npm test`: lint, types, unit tests, generated files, the image and the scenarios in QEMU. The image is built
 * while the checks that need none run; their outputs are shown one after the other. Its last line is the sum over
 * everything: every unit test and every test of a scenario counts, and each other check as one.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './lib/places.ts';
import { command, describeError, messageOf } from './lib/problem.ts';
import { close, closingLine, FAILED, PASSED, readClosingLine, sum, type Tally } from './lib/tally.ts';
import { runTool } from './lib/tool.ts';
import { lint } from './lint.ts';
import { ensureImage } from './qemu/image.ts';
import { setupHost } from './setup.ts';
import { unitTestFiles, unitTests } from './test-unit.ts';
import { types } from './types.ts';

const GENERATE_TIMEOUT_MS = 2 * 60_000;
const SCENARIOS_TIMEOUT_MS = 60 * 60_000;
const print = (text: string): void => {
  process.stdout.write(text);
};

interface Stage {
  name: string;
  tally: Tally;
  seconds: number;
}

/** Runs one stage. What it throws is its failure, and the others still run. */
async function stage(name: string, work: () => Promise<Tally>): Promise<Stage> {
  const started = performance.now();
  print(`\n── ${name}\n`);
  let tally: Tally;
  try {
    tally = await work();
  } catch (error) {
    print(`FAILED  ${name}: ${describeError(error)}\n`);
    tally = FAILED;
  }
  return { name, tally, seconds: (performance.now() - started) / 1000 };
}

async function generatedFiles(): Promise<Tally> {
  const args = [join(ROOT, 'ci/generate.ts'), '--check'];
  const { ok, output } = await runTool(process.execPath, args, GENERATE_TIMEOUT_MS);
  print(`${ok ? 'ok     ' : 'FAILED '} generated files\n${ok ? '' : output}`);
  return ok ? PASSED : FAILED;
}

/** `npm run test:qemu`, whose closing line is the tally. */
async function scenarios(): Promise<Tally> {
  const args = [join(ROOT, 'tests-qemu/run.ts')];
  const { ok, output } = await runTool(process.execPath, args, SCENARIOS_TIMEOUT_MS, (chunk) =>
    print(chunk.toString()),
  );
  const tally = readClosingLine(output) ?? FAILED;
  return ok || tally.failed > 0 ? tally : sum([tally, FAILED]);
}

function printSummary(stages: Stage[]): void {
  print('\n── summary\n');
  for (const { name, tally, seconds } of stages) {
    print(`${name.padEnd(16)} ${closingLine(tally).padEnd(24)} ${seconds.toFixed(1).padStart(7)} s\n`);
  }
}

/** All stages; the tally of each. */
async function testAll(): Promise<Stage[]> {
  // Failures are told by the image's own stage below.
  const image: Promise<Error | undefined> = ensureImage().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(messageOf(error))),
  );
  const stages = [
    await stage('lint', () => lint(print)),
    await stage('types', () => types(print)),
    await stage('generated files', generatedFiles),
    await stage('unit tests', async () => unitTests(await unitTestFiles(), print)),
  ];
  const built = await stage('image', async () => {
    const failure = await image;
    if (failure) throw failure;
    print('ok      image\n');
    return PASSED;
  });
  stages.push(built);
  if (built.tally.failed === 0) stages.push(await stage('scenarios', scenarios));
  return stages;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    await setupHost('test');
    const stages = await testAll();
    printSummary(stages);
    return close(sum(stages.map(({ tally }) => tally)));
  });
}
