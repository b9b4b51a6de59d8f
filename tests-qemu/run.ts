/**
 * `npm run test:qemu [-- NAME…]`: runs the scenarios, all or those named, in QEMU, two at a time. Each has a machine of
 * its own, which is restored as it was saved after a boot unless the scenario says otherwise. One that fails is run once
 * more, on a machine that is booted.
 */
import { randomInt } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments } from '../ci/lib/arguments.ts';
import { command, Problem } from '../ci/lib/problem.ts';
import { close, sum, type Tally } from '../ci/lib/tally.ts';
import { type BuiltImage, ensureImage } from '../ci/qemu/image.ts';
import { setupHost } from '../ci/setup.ts';
import { failureLines, flakyLines, tableLines, tallyOf } from './harness/attempts.ts';
import { Suite } from './harness/runner.ts';
import type { Scenario, SuiteOptions } from './harness/suite.ts';

const FOLDER = fileURLToPath(new URL('scenarios', import.meta.url));
const CUTS = 20;
const BIGGEST_SEED = 2 ** 31 - 1;
/** More machines than this are not tried; each needs 1 GiB of memory and half a GiB for translated code. */
const MOST_JOBS = 8;
const JOBS = 2;
const OPTIONS = {
  list: { type: 'boolean', help: 'name the scenarios and end' },
  cuts: { type: 'string', value: 'N', help: `power cuts of the scenario "cuts" (${CUTS})` },
  seed: {
    type: 'string',
    value: 'S',
    help: 'what is drawn by chance is drawn from this number (a new one each time)',
  },
  jobs: {
    type: 'string',
    value: 'N',
    help: `scenarios that run side by side (${JOBS}; 1 where there is one processor)`,
  },
  limit: { type: 'string', value: 'SECONDS', help: 'what is not done by then has failed (no limit)' },
} as const;

async function loadScenario(name: string): Promise<Scenario> {
  const module: { default?: Scenario } = await import(join(FOLDER, `${name}.ts`));
  if (!module.default) throw new Error(`scenarios/${name}.ts exports no scenario`);
  return module.default;
}

/** These tell most about what is wrong when everything fails. */
const FIRST = ['boot', 'screen'];

/** All scenarios by name, in the order in which they are started: those that need all processors last. */
async function allScenarios(): Promise<[string, Scenario][]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.ts')).sort();
  const loaded: [string, Scenario][] = [];
  for (const file of files) {
    const name = file.slice(0, -3);
    loaded.push([name, await loadScenario(name)]);
  }
  return loaded.sort((a, b) => rankOf(...a) - rankOf(...b));
}

function rankOf(name: string, { machine, places = 1 }: Scenario): number {
  if (FIRST.includes(name)) return FIRST.indexOf(name);
  const group = places > 1 ? 'all processors' : machine;
  // Those that share a device follow each other: it does not stand idle between them.
  return FIRST.length + ['shared', 'restored', 'booted', 'none', 'all processors'].indexOf(group);
}

/** Reads a whole number of the command line, from `least` to `most`; a {@link Problem} when it is none. */
function wholeNumber(text: string, least: number, most: number): number {
  const number = Number(text);
  if (text !== '' && Number.isInteger(number) && number >= least && number <= most) return number;
  throw new Problem(`"${text}" is no whole number from ${least} to ${most}`);
}

/** Runs the scenarios named, or all, and prints what fails. Throws a {@link Problem} on a name that is none. */
export async function runScenarios(
  names: string[],
  image: BuiltImage,
  options: SuiteOptions,
): Promise<Tally> {
  const all = await allScenarios();
  const unknown = names.find((name) => !all.some(([known]) => known === name));
  if (unknown !== undefined) {
    throw new Problem(`"${unknown}" is no scenario; there are: ${all.map(([name]) => name).join(', ')}`);
  }
  const chosen = all.filter(([name]) => names.length === 0 || names.includes(name));
  const suite = new Suite(image, options, (text) => process.stdout.write(text));
  const results = await suite.run(chosen);
  const [failures, flaky] = [failureLines(results), flakyLines(results)];
  if (failures.length > 0) console.log(`\nfailed:\n  ${failures.join('\n  ')}`);
  console.log(['', ...tableLines(results), ...flaky].join('\n'));
  return sum(results.map(tallyOf));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const { values, rest } = readArguments('npm run test:qemu -- [NAME…]', OPTIONS);
    const options: SuiteOptions = {
      cuts: values.cuts === undefined ? CUTS : wholeNumber(values.cuts, 1, 1_000_000),
      seed: values.seed === undefined ? randomInt(BIGGEST_SEED) : wholeNumber(values.seed, 0, BIGGEST_SEED),
      jobs:
        values.jobs === undefined
          ? Math.min(JOBS, availableParallelism())
          : wholeNumber(values.jobs, 1, MOST_JOBS),
    };
    if (values.limit !== undefined) options.endMs = wholeNumber(values.limit, 1, 1_000_000) * 1000;
    if (values.list) {
      for (const [name, { title }] of await allScenarios()) console.log(`${name.padEnd(14)} ${title}`);
      return 0;
    }
    await setupHost('test');
    const code = close(await runScenarios(rest, await ensureImage(), options));
    // What the limit has cut off may still hold this process.
    setTimeout(() => process.exit(code), 1000).unref();
    return code;
  });
}
