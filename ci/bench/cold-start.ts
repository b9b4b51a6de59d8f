import { join } from 'node:path';
import { build } from 'esbuild';
import { BASE_PATH } from '../../agent/src/contract/api.ts';
import { endpoints } from '../../agent/src/resources/contract.ts';
import { ROOT } from '../lib/places.ts';
import { type Figure, runNode, startAgent, startNode, stop } from './measure.ts';

const ROUNDS = 15;
const BARE = join(ROOT, 'ci/bench/bare-fastify.mjs');

/** From spawn to the ready line, against bare Fastify with the same routes, and against Node doing nothing. */
export async function coldStart(agent: string, folder: string): Promise<Figure[]> {
  const routes = JSON.stringify(
    endpoints.map(({ method, path }) => ({
      method,
      url: BASE_PATH + path.replaceAll(/\{(\w+)\}/g, ':$1'),
    })),
  );
  const bundled = join(folder, 'bare-fastify.mjs');
  await build({
    entryPoints: [BARE],
    outfile: bundled,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  const ours: number[] = [];
  const bare: number[] = [];
  const bareBundled: number[] = [];
  const nothing: number[] = [];
  const peers = [
    [ours, () => startAgent(agent, join(folder, 'data'))],
    [bare, () => startNode([BARE, routes])],
    [bareBundled, () => startNode([bundled, routes])],
  ] as const;
  // In turn and in changing order, so that whatever else the computer does affects all of them.
  for (let round = 0; round < ROUNDS; round++) {
    nothing.push((await runNode(['-e', '0'])).ms);
    for (const [times, start] of round % 2 === 0 ? peers : peers.toReversed()) {
      const started = await start();
      times.push(started.ms);
      await stop(started);
    }
  }
  const figure = { name: 'cold start', ours, unit: 'ms' };
  return [
    { ...figure, peer: { name: 'bare fastify', values: bare }, aim: { of: 'ratio', atMost: 1.2 } },
    { ...figure, peer: { name: 'bare fastify, bundled as ours', values: bareBundled } },
    { ...figure, peer: { name: 'node -e 0', values: nothing } },
  ];
}
