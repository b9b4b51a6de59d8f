/**
 * `npm run test:qemu [-- NAME…]`: runs the named scenarios (default: all): in QEMU those that need a machine, two at a
 * time, and beside them the others in containers. Depending on the scenario its machine is shared,
 * restored from a state saved after a boot, or booted. A failed scenario is run once more on a new device.
 */
import { randomInt } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureContainerImage } from '../ci/container/image.ts';
import { containerObstacle } from '../ci/container/requirements.ts';
import { integerOf, readArguments } from '../ci/lib/arguments.ts';
import { command, Problem } from '../ci/lib/problem.ts';
import { close, sum, type Tally } from '../ci/lib/tally.ts';
import { type BuiltImage, ensureImage } from '../ci/qemu/image.ts';
import { rootPrefix, setupHost } from '../ci/setup.ts';
import { failureLines, tableLines, tallyOf } from './harness/attempts.ts';
import type { ContainerSetup } from './harness/container-device.ts';
import { Suite } from './harness/runner.ts';
import { MACHINE_PARTS, type Scenario, type SuiteOptions } from './harness/suite.ts';

const FOLDER = fileURLToPath(new URL('scenarios', import.meta.url));
const CUTS = 3;
const KILLS = 10;
const SITES = 10;
/** The same with --full. */
const FULL = { cuts: 4, kills: 12, sites: 12 };
const MAX_SEED = 2 ** 31 - 1;
/** Each machine needs 1 GiB of memory and up to as much for translated code. */
const MAX_JOBS = 8;
const JOBS = 2;
const OPTIONS = {
  list: { type: 'boolean', help: 'list the scenarios' },
  cuts: { type: 'string', value: 'N', help: `number of power cuts in the scenario "cuts" (${CUTS})` },
  kills: { type: 'string', value: 'N', help: `number of page processes killed in "recovery" (${KILLS})` },
  sites: { type: 'string', value: 'N', help: `number of sites visited in "frozen" (${SITES})` },
  in: { type: 'string', value: 'qemu', help: 'run everything in QEMU' },
  full: {
    type: 'boolean',
    help: `everything in QEMU, with --long and "previous", ${FULL.cuts} cuts, ${FULL.kills} kills, ${FULL.sites} sites`,
  },
  long: { type: 'boolean', help: 'also what takes minutes: in "update", "fleet" and "power"' },
  previous: { type: 'string', value: 'FOLDER', help: 'the image from which the scenario "previous" updates' },
  seed: {
    type: 'string',
    value: 'S',
    help: 'seed of random choices (default: a new one each time)',
  },
  jobs: {
    type: 'string',
    value: 'N',
    help: `scenarios to run in parallel (${JOBS}; 1 on a single processor), and one more, in a container if one is left`,
  },
  limit: { type: 'string', value: 'SECONDS', help: 'scenarios not finished by then have failed (no limit)' },
} as const;

async function loadScenario(name: string): Promise<Scenario> {
  const module: { default?: Scenario } = await import(join(FOLDER, `${name}.ts`));
  if (!module.default) throw new Error(`scenarios/${name}.ts exports no scenario`);
  return module.default;
}

/**
 * These run first: `cuts` while the device is saved that others restore. The failures of `screen`, `page` and `content` say
 * the most if everything fails. The others take minutes, during which all others can run beside them.
 */
const FIRST = ['cuts', 'screen', 'page', 'content', 'update', 'peripherals', 'boot', 'outputs'];

/** All scenarios with their names, in starting order. */
async function allScenarios(): Promise<[string, Scenario][]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.ts')).sort();
  const loaded: [string, Scenario][] = [];
  for (const file of files) {
    const name = file.slice(0, -3);
    loaded.push([name, await loadScenario(name)]);
  }
  return loaded.sort((a, b) => rankOf(...a) - rankOf(...b));
}

function rankOf(name: string, { machine }: Scenario): number {
  if (FIRST.includes(name)) return FIRST.indexOf(name);
  // Scenarios that share a device run consecutively, so that it is not idle in between.
  return FIRST.length + ['shared', 'restored', 'booted', 'none'].indexOf(machine);
}

/** What containers need; undefined, after saying why, if everything is to run in QEMU. */
async function containers(
  { where }: SuiteOptions,
  print: (text: string) => void,
): Promise<ContainerSetup | undefined> {
  if (where === 'qemu') return undefined;
  const asRoot = rootPrefix();
  const obstacle = containerObstacle(asRoot);
  if (obstacle === undefined && asRoot) return { ...(await ensureContainerImage()), asRoot };
  print(`(${obstacle} Everything runs in QEMU, which takes much longer.)\n`);
  return undefined;
}

/** What a scenario runs in, and why. */
function placeOf(scenario: Scenario): string {
  if (scenario.needs === 'system') return 'container';
  if (scenario.needs !== 'machine') return 'starts its devices itself';
  return `QEMU (${scenario.parts.map((part) => MACHINE_PARTS[part]).join(', ')})`;
}

/** Runs the named scenarios (none: all), prints a table and the failures. Throws a {@link Problem} on an unknown name. */
export async function runScenarios(
  names: string[],
  image: BuiltImage,
  options: SuiteOptions,
): Promise<Tally> {
  const all = await allScenarios();
  const unknown = names.find((name) => !all.some(([known]) => known === name));
  if (unknown !== undefined) {
    throw new Problem(
      `"${unknown}" is not a scenario; the scenarios are: ${all.map(([name]) => name).join(', ')}`,
    );
  }
  const chosen = all.filter(([name, { onlyNamed = false }]) =>
    names.length === 0 ? options.full || !onlyNamed : names.includes(name),
  );
  const print = (text: string): void => void process.stdout.write(text);
  const container = chosen.some(([, { needs }]) => needs !== undefined)
    ? await containers(options, print)
    : undefined;
  const suite = new Suite(image, container, options, print);
  const results = await suite.run(chosen);
  console.log(['', ...tableLines(results), ...failureLines(results)].join('\n'));
  return sum(results.map(tallyOf));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const { values, rest } = readArguments('npm run test:qemu -- [NAME…]', OPTIONS);
    if (values.in !== undefined && values.in !== 'qemu') throw new Problem('--in takes "qemu".');
    const full = values.full ?? false;
    const counts = full ? FULL : { cuts: CUTS, kills: KILLS, sites: SITES };
    const options: SuiteOptions = {
      full,
      kills: values.kills === undefined ? counts.kills : integerOf(values.kills, 1, 1_000_000),
      sites: values.sites === undefined ? counts.sites : integerOf(values.sites, 1, 250),
      cuts: values.cuts === undefined ? counts.cuts : integerOf(values.cuts, 1, 1_000_000),
      long: full || (values.long ?? false),
      where: full || values.in !== undefined ? 'qemu' : 'container',
      seed: values.seed === undefined ? randomInt(MAX_SEED) : integerOf(values.seed, 0, MAX_SEED),
      jobs:
        values.jobs === undefined
          ? Math.min(JOBS, availableParallelism())
          : integerOf(values.jobs, 1, MAX_JOBS),
    };
    if (values.previous !== undefined) options.previous = values.previous;
    if (values.limit !== undefined) options.endMs = integerOf(values.limit, 1, 1_000_000) * 1000;
    if (values.list) {
      for (const [name, scenario] of await allScenarios()) {
        console.log(`${name.padEnd(16)} ${scenario.title}\n${' '.repeat(17)}${placeOf(scenario)}`);
      }
      return 0;
    }
    await setupHost('test');
    const code = close(await runScenarios(rest, await ensureImage(), options));
    // A scenario that was abandoned at the time limit may still keep this process alive.
    setTimeout(() => process.exit(code), 1000).unref();
    return code;
  });
}
