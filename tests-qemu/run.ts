/**
 * `npm run test:qemu [-- NAME…]`: boots the virt image and runs the scenarios, all or those named. Shared ones run
 * first, on one boot.
 */
import { randomInt } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments } from '../ci/lib/arguments.ts';
import { command, Problem } from '../ci/lib/problem.ts';
import { close, type Tally } from '../ci/lib/tally.ts';
import { type BuiltImage, ensureImage } from '../ci/qemu/image.ts';
import { setupHost } from '../ci/setup.ts';
import type { Scenario, SuiteOptions } from './harness/suite.ts';
import { Suite } from './harness/suite.ts';

const FOLDER = fileURLToPath(new URL('scenarios', import.meta.url));
const OPTIONS = {
  list: { type: 'boolean', help: 'name the scenarios and end' },
  cuts: { type: 'string', value: 'N', help: 'power cuts of the scenario "cuts" (60)' },
  seed: {
    type: 'string',
    value: 'S',
    help: 'what is drawn by chance is drawn from this number (a new one each time)',
  },
} as const;
const CUTS = 60;
const BIGGEST_SEED = 2 ** 31 - 1;

async function loadScenario(name: string): Promise<Scenario> {
  const module: { default?: Scenario } = await import(join(FOLDER, `${name}.ts`));
  if (!module.default) throw new Error(`scenarios/${name}.ts exports no scenario`);
  return module.default;
}

/** These tell most about what is wrong when everything fails. */
const FIRST = ['boot', 'screen'];

/** All scenarios by name: those that share a machine first. */
async function allScenarios(): Promise<[string, Scenario][]> {
  const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.ts')).sort();
  const loaded: [string, Scenario][] = [];
  for (const file of files) {
    const name = file.slice(0, -3);
    loaded.push([name, await loadScenario(name)]);
  }
  const rank = ([name, { machine }]: [string, Scenario]): number => {
    if (machine === 'none') return FIRST.length + 2;
    if (machine === 'own') return FIRST.length + 1;
    return FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length;
  };
  return loaded.sort((a, b) => rank(a) - rank(b));
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
  const suite = new Suite(image, options, (text) => process.stdout.write(text));
  try {
    for (const [name, definition] of all) {
      if (names.length === 0 || names.includes(name)) await suite.run(name, definition);
    }
  } finally {
    await suite.end();
  }
  if (suite.failures.length > 0) console.log(`\nfailed:\n  ${suite.failures.join('\n  ')}`);
  return suite.tally;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await command(async () => {
    const { values, rest } = readArguments('npm run test:qemu -- [NAME…]', OPTIONS);
    const options: SuiteOptions = {
      cuts: values.cuts === undefined ? CUTS : wholeNumber(values.cuts, 1, 1_000_000),
      seed: values.seed === undefined ? randomInt(BIGGEST_SEED) : wholeNumber(values.seed, 0, BIGGEST_SEED),
    };
    if (values.list) {
      for (const [name, { title }] of await allScenarios()) console.log(`${name.padEnd(12)} ${title}`);
      return 0;
    }
    await setupHost('test');
    return close(await runScenarios(rest, await ensureImage(), options));
  });
}
