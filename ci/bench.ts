/**
 * `npm run bench`: compares the agent with similar programs on this computer and prints ratios. Absolute figures
 * differ between computers, so only the ratios are judged. Without names everything is measured.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootFigures } from './bench/boot.ts';
import { coldStart } from './bench/cold-start.ts';
import { contentUpload } from './bench/content-upload.ts';
import { type Figure, printFigure } from './bench/measure.ts';
import { serialRoundTrip } from './bench/serial.ts';
import { serving } from './bench/serving.ts';
import { throughputAndMemory } from './bench/throughput.ts';
import { buildAgent } from './build-agent.ts';
import { readArguments } from './lib/arguments.ts';
import { ROOT } from './lib/places.ts';
import { command, Problem } from './lib/problem.ts';
import { installPackages, setupHost } from './setup.ts';

type Measure = (agent: string, folder: string) => Promise<Figure[]>;
const MEASURES: ReadonlyMap<string, Measure> = new Map([
  ['start', coldStart],
  ['requests', throughputAndMemory],
  ['serial', serialRoundTrip],
  ['upload', contentUpload],
  ['serving', serving],
  ['boot', bootFigures],
]);

await command(async () => {
  const { rest } = readArguments('npm run bench -- [NAME…]', {});
  const unknown = rest.find((name) => !MEASURES.has(name));
  if (unknown !== undefined) {
    throw new Problem(`"${unknown}" is not measured; the names are: ${[...MEASURES.keys()].join(', ')}`);
  }
  const chosen = rest.length > 0 ? rest : [...MEASURES.keys()];
  await installPackages(['socat', 'nginx-light', 'unzip', 'wrk']);
  if (chosen.includes('boot')) {
    await setupHost('container');
  }
  const agent = join(ROOT, 'agent/dist/main.mjs');
  await buildAgent(join(ROOT, 'agent/dist'));
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-bench-'));
  const missed: string[] = [];
  try {
    for (const measure of chosen.flatMap((name) => MEASURES.get(name) ?? [])) {
      for (const figure of await measure(agent, folder)) if (!printFigure(figure)) missed.push(figure.name);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  console.log(missed.length === 0 ? 'all targets met' : `missed: ${missed.join(', ')}`);
  return 0;
});
