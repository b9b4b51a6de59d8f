/**
 * `npm run test:changed [-- --base REV] [--list]`: runs those parts of `npm test` that a change can affect. The change is
 * everything since this branch left the base: its commits and the uncommitted files.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { boards } from './boards.ts';
import { checkBuildroot } from './buildroot/check.ts';
import { changeSince } from './changed/project.ts';
import { type Choice, type Selection, select } from './changed/selection.ts';
import { readArguments, requireNoRest } from './lib/arguments.ts';
import { ROOT } from './lib/places.ts';
import { command } from './lib/problem.ts';
import { Report } from './lib/report.ts';
import { close, FAILED, PASSED, readClosingLine, readFailures, sum, type Tally } from './lib/tally.ts';
import { runTool } from './lib/tool.ts';
import { lint } from './lint.ts';
import { setupHost } from './setup.ts';
import { unitTestFiles, unitTests } from './test-unit.ts';
import { types } from './types.ts';

const LIMIT_MS = 80 * 60_000;
const OPTIONS = {
  base: { type: 'string', value: 'REV', help: "base revision (default: the branch's upstream, else main)" },
  list: { type: 'boolean', help: 'only print what would be run and why' },
} as const;

const print = (text: string): void => {
  process.stdout.write(text);
};

/** Runs a script of the project. The tally is its closing line; a script without one counts as one test. */
async function script(report: Report, path: string, ...args: string[]): Promise<Tally> {
  const { ok, output } = await runTool(process.execPath, [join(ROOT, path), ...args], LIMIT_MS, (chunk) =>
    print(chunk.toString()),
  );
  for (const line of readFailures(output)) report.note(line);
  const tally = readClosingLine(output) ?? (ok ? PASSED : FAILED);
  return ok || tally.failed > 0 ? tally : sum([tally, FAILED]);
}

interface Stage {
  name: string;
  choice: Choice;
  work: (left: AbortSignal, report: Report) => Promise<Tally>;
}

function stagesOf({ unit, generated, boards: disks, buildroot, scenarios }: Selection): Stage[] {
  const always: Choice = { run: 'all', why: 'always' };
  const { run } = unit;
  const tests = run === 'all' ? unitTestFiles() : Promise.resolve(run.map((path) => join(ROOT, path)));
  return [
    { name: 'lint', choice: always, work: () => lint(print) },
    { name: 'types', choice: always, work: () => types(print) },
    {
      name: 'generated files',
      choice: generated,
      work: (_, report) => script(report, 'ci/generate.ts', '--check'),
    },
    { name: 'unit tests', choice: unit, work: async (left) => unitTests(await tests, print, { stop: left }) },
    { name: 'boards', choice: disks, work: () => boards(print) },
    { name: 'Buildroot', choice: buildroot, work: () => checkBuildroot(print) },
    {
      name: 'scenarios',
      choice: scenarios,
      work: (_, report) =>
        script(report, 'tests-qemu/run.ts', ...(scenarios.run === 'all' ? [] : scenarios.run)),
    },
  ];
}

function describe({ name, choice: { run, why } }: Stage): string {
  const amount =
    run === 'all'
      ? 'run'
      : run.length === 0
        ? 'not run'
        : run.length > 8
          ? `${run.length} of them`
          : run.join(' ');
  return `${name.padEnd(16)} ${amount}: ${why}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const { values, rest } = readArguments('npm run test:changed [-- OPTIONS]', OPTIONS);
    requireNoRest(rest);
    const change = await changeSince(values.base);
    print(`${change.changed.length} files changed since ${change.base}\n`);
    const stages = stagesOf(select(change));
    for (const stage of stages) print(describe(stage));
    if (values.list) return 0;
    await setupHost('test');
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stop.abort());
    const report = new Report(print, LIMIT_MS, stop.signal);
    for (const { name, choice, work } of stages) {
      if (choice.run.length > 0) await report.stage(name, (left) => work(left, report));
    }
    report.printSummary();
    const code = close(report.tally);
    // An abandoned stage may still keep this process alive.
    setTimeout(() => process.exit(code), 1000).unref();
    return code;
  });
}
