/**
 * `npm run bench`: compares the agent with similar programs on this computer and prints ratios. Absolute figures
 * differ between computers, so only the ratios are judged. `-- --no-boot` skips the measurements in QEMU.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootFigures } from './bench/boot.ts';
import { coldStart } from './bench/cold-start.ts';
import { contentUpload } from './bench/content-upload.ts';
import { printFigure } from './bench/measure.ts';
import { serialRoundTrip } from './bench/serial.ts';
import { serving } from './bench/serving.ts';
import { throughputAndMemory } from './bench/throughput.ts';
import { buildAgent } from './build-agent.ts';
import { readArguments } from './lib/arguments.ts';
import { ROOT } from './lib/places.ts';
import { command } from './lib/problem.ts';
import { installPackages } from './setup.ts';

const OPTIONS = {
  'no-boot': { type: 'boolean', help: 'skip the measurements that need QEMU' },
} as const;

await command(async () => {
  const { values } = readArguments('npm run bench -- [options]', OPTIONS);
  await installPackages(['socat', 'nginx-light', 'unzip', 'wrk']);
  const agent = join(ROOT, 'agent/dist/main.mjs');
  await buildAgent(join(ROOT, 'agent/dist'));
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-bench-'));
  const missed: string[] = [];
  try {
    for (const measure of [coldStart, throughputAndMemory, serialRoundTrip, contentUpload, serving]) {
      for (const figure of await measure(agent, folder)) if (!printFigure(figure)) missed.push(figure.name);
    }
    if (!values['no-boot']) {
      for (const figure of await bootFigures(folder)) if (!printFigure(figure)) missed.push(figure.name);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  console.log(missed.length === 0 ? 'all targets met' : `missed: ${missed.join(', ')}`);
  return 0;
});
